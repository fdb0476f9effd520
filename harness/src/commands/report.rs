//! `harness report`: a file of results as Markdown, printed or put into a file.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use super::results::{Rows, unless_pipe_closed};
use crate::{
    cli::{Failure, Verdict},
    loads,
    results::{Results, ResultsError, Row, Wrong, baseline, names::Wanted, read},
    tables::{Section, Source, as_code, as_markdown, legend},
};

mod splice;

/// Print results of harness compare as Markdown, or put them into a file.
///
/// What is printed is what harness compare shows on a terminal: when, where and by which command it was measured, a table for
/// each load, and under it what a reader should know. --workload, --snapshot and --threshold choose what is shown; what the
/// numbers are multiples of stays the same.
///
/// --splice FILE replaces what stands in FILE between two lines of their own, <!-- results: begin --> and
/// <!-- results: end -->, and prints nothing. A file that has several such places names them: <!-- results: begin page-scan -->
/// and <!-- results: end page-scan --> are found by --as page-scan. Lines within a block of code are no such lines.
///
/// Exit code 0; 1 if --check finds that FILE would change; 2 if a file or the command line is wrong, and then FILE is as it was.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// A results.jsonl, a folder that holds one (compare --out), or the name of a baseline (compare --save)
    #[arg(default_value = "results")]
    results: PathBuf,

    #[command(flatten)]
    rows: Rows,

    /// Put it into this file, between its lines <!-- results: begin --> and <!-- results: end -->, and print nothing
    #[arg(long, value_name = "FILE")]
    splice: Option<PathBuf>,

    /// The name in those lines
    #[arg(long = "as", value_name = "NAME", requires = "splice", value_parser = baseline::name)]
    name: Option<String>,

    /// Leave the file as it is, and exit with 1 if it would change
    #[arg(long, requires = "splice")]
    check: bool,
}

/// Below the options: lines of a doc comment would run together.
const EXAMPLES: &str = "\
Examples:
  harness compare --out results && harness report
  harness report results --workload page-scan --splice README.md --as page-scan
  harness report results --splice README.md --check    # a gate: is the table that of the results?";

/// Runs the subcommand.
///
/// # Errors
///
/// A file that is no file of results, a name that no row has, a file without its two lines, output that cannot be written.
pub fn run(args: &Args) -> Result<Verdict, Failure> {
    let results = read(&baseline::find(&args.results)?)?;
    let wanted = args.rows.filter().among(results.names())?;
    let markdown = markdown(&results, &wanted);
    let Some(file) = &args.splice else {
        unless_pipe_closed(io::stdout().lock().write_all(markdown.as_bytes()))?;
        return Ok(Verdict::Good);
    };
    if !results.rows.iter().any(|row| wanted.has(row)) {
        let none = "no row is wanted: there is nothing to put into a file";
        return Err(ResultsError::whole(&results.file, none).into());
    }
    let old = splice::read(file)?;
    let new = splice::spliced(file, &old, args.name.as_deref(), &markdown)?;
    if old == new {
        return Ok(Verdict::Good);
    }
    if args.check {
        eprintln!(
            "{}: what stands between the two lines is not what this command makes of {}; without --check it is put there",
            file.display(),
            results.file.display()
        );
        return Ok(Verdict::Bad);
    }
    splice::replace(file, &new)?;
    Ok(Verdict::Good)
}

/// What a load does, as the file says. Files from before do not say it: they know the built-in ones alone.
fn about(results: &Results, load: &str) -> Option<String> {
    let told = results.about_loads.get(load).cloned();
    told.or_else(|| loads::built_in(load).map(|load| load.about))
}

/// Nothing in it depends on where the files lie: it is the same wherever it is made of the same results.
fn markdown(results: &Results, wanted: &Wanted<'_>) -> String {
    let wrong: Vec<Wrong> =
        results.wrong.iter().filter(|wrong| wanted.has(*wrong)).cloned().collect();
    let source = Source {
        header: &results.header,
        rows: &results.rows,
        wanted: &|row: &Row| wanted.has(row),
        wrong: &wrong,
        describe: &|name| about(results, name).filter(|about| !about.is_empty()),
    };
    let sections = source.sections();
    let about = as_markdown(&results.about());
    let command = as_code(&results.header.command_line());
    let mut parts = vec![format!("Measured {about}, by {command}.\n")];
    parts.extend(sections.iter().map(Section::markdown));
    let columns: Vec<String> = legend(&sections).iter().map(|line| as_markdown(line)).collect();
    if !columns.is_empty() {
        parts.push(format!("{}.\n", columns.join("; ")));
    }
    if sections.is_empty() {
        parts.push("No rows.\n".into());
    }
    parts.extend(source.wrong_elsewhere().iter().map(|line| format!("{}\n", as_markdown(line))));
    parts.join("\n")
}
