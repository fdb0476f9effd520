//! `harness diff`: what changed between two files of results.

use std::{io, path::PathBuf};

use super::results::{Rows, left_out, unless_pipe_closed};
use crate::{
    cli::{Failure, Verdict},
    results::{
        Labels, Results, ResultsError, Row, baseline,
        changes::{Changes, changes, share_by_chance},
        names::Wanted,
        read,
    },
};

mod json;
mod text;

/// Compare two results of `harness compare`, row by row.
///
/// Rows pair by load with its parameters, snapshot strategy, threshold strategy and threads. What is compared is the ratio: the throughput as a
/// multiple of the reference's in the same round, with its 95% interval. Where the two intervals part, a row is faster or
/// slower; otherwise the difference may be chance. Rows that one file alone has are listed.
///
/// OLD and NEW are each a results.jsonl, a folder that holds one (compare --out), or the name of a baseline (compare --save),
/// looked for in this order. Baselines lie in $CARGO_TARGET_DIR/harness, or in target/harness of the current folder.
///
/// Exit code 0; 1 if a row fell below the limit of --fail-below; 2 if a file or the command line is wrong.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Results from before: a file, a folder or a baseline
    old: PathBuf,

    /// Results from after: a file, a folder or a baseline
    new: PathBuf,

    /// Show only rows whose ratio changed by so many percent or more, up or down, and those that one file alone has
    #[arg(long, value_name = "P", default_value = "0", value_parser = percent)]
    threshold_percent: f64,

    /// Exit with 1 if a row of both files became slower, its intervals part, and its new ratio is less than RATIO times the old
    /// one; also where --threshold-percent hides the row. A row that NEW lacks is listed and does not fail. With no row in both
    /// files there is nothing to judge: exit code 2
    #[arg(long, value_name = "RATIO", value_parser = limit)]
    fail_below: Option<f64>,

    #[command(flatten)]
    rows: Rows,

    /// Print one JSON object a line instead of tables; warnings go to standard error
    #[arg(long)]
    json: bool,
}

fn percent(text: &str) -> Result<f64, String> {
    let fits = |percent: &f64| percent.is_finite() && *percent >= 0.0;
    text.parse().ok().filter(fits).ok_or_else(|| "expected a number of percent, 0 or more".into())
}

fn limit(text: &str) -> Result<f64, String> {
    let fits = |limit: &f64| *limit > 0.0 && *limit <= 1.0;
    text.parse().ok().filter(fits).ok_or_else(|| "expected a part of 1, as in 0.9".into())
}

/// Below the options: lines of a doc comment would run together.
const EXAMPLES: &str = "\
Examples:
  harness compare --save before      # then change something, and build it
  harness compare --save after
  harness diff before after
  harness diff before after --fail-below 0.9 --snapshot boolean-array";

/// Runs the subcommand.
///
/// # Errors
///
/// A file that is no file of results, a name that no row has, output that cannot be written.
pub fn run(args: &Args) -> Result<Verdict, Failure> {
    let [old, new] = [read(&baseline::find(&args.old)?)?, read(&baseline::find(&args.new)?)?];
    let wanted = args.rows.filter().among(old.names().chain(new.names()))?;
    let of = |results: &'_ Results| -> Vec<Row> {
        results.rows.iter().filter(|row| wanted.has(*row)).cloned().collect()
    };
    let (old_rows, new_rows) = (of(&old), of(&new));
    let changes = changes(&old_rows, &new_rows);
    let labels = Labels::new(old_rows.iter().chain(&new_rows));
    if args.fail_below.is_some() && changes.both.is_empty() {
        let none = "nothing to judge for --fail-below: no row is in both files";
        return Err(ResultsError::whole(&new.file, none).into());
    }
    warn(&old, &new, &changes, &wanted);
    let mut out = io::stdout().lock();
    let printed = match args.json {
        true => json::print(&mut out, &changes, args.threshold_percent),
        false => text::print(&mut out, [&old, &new], &changes, &labels, args.threshold_percent),
    };
    unless_pipe_closed(printed)?;
    let Some(limit) = args.fail_below else { return Ok(Verdict::Good) };
    let fell: Vec<_> = changes.both.iter().filter(|change| change.fell_below(limit)).collect();
    for change in &fell {
        let times = change.new_over_old().unwrap_or_default();
        eprintln!("below {limit}: {}: {times:.2} of the old ratio", label(&labels, change.new));
    }
    Ok(if fell.is_empty() { Verdict::Good } else { Verdict::Bad })
}

/// What a reader has to know before he believes a row.
fn warn(old: &Results, new: &Results, changes: &Changes<'_>, wanted: &Wanted<'_>) {
    for results in [old, new] {
        if let Some(left_out) = left_out(&results.wrong, wanted) {
            eprintln!("warning: {}: {left_out}", results.file.display());
        }
    }
    let mut differences = old.header.differences(&new.header);
    differences.extend(changes.differences());
    if !differences.is_empty() {
        eprintln!(
            "warning: measured on different machines or with different settings, which moves ratios too:"
        );
        for difference in differences {
            eprintln!("  {difference}");
        }
    }
    let share = share_by_chance(old.header.rounds_done, new.header.rounds_done);
    if let Some(share) = share.filter(|share| *share >= TOO_OFTEN && !changes.both.is_empty()) {
        eprintln!(
            "warning: after so few rounds {:.0}% of all rows part by chance; harness compare without --quick does more",
            share * 100.0
        );
    }
}

/// Two intervals that part are taken for a difference: more than 1 of 20 must not do so by chance.
const TOO_OFTEN: f64 = 0.05;

/// What a row is about, in the words that tell it from the others.
fn label(labels: &Labels<'_>, row: &Row) -> String {
    let pairing = format!("{} × {}", row.snapshot, row.threshold);
    match labels.differing(&row.workload) {
        Some(differing) if differing.threads => format!("{}: {pairing}", labels.of(row)),
        _ => format!("{}: {pairing}, threads: {}", labels.of(row), row.threads),
    }
}
