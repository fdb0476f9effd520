//! `harness compare`: what each pairing costs.

use std::{
    io::{self, Write},
    path::PathBuf,
    thread,
};

use indicatif::ProgressBar;

use super::progress::progress;
use crate::{
    cli::{Failure, Verdict},
    compare::{
        cell::Cell,
        run::{Progress, Wrong as Broken, compare},
    },
    interrupt::Interrupt,
    results::{Header, Row, Writer, Wrong, baseline},
    tables::{Source, legend},
};

mod args;
mod chosen;
mod dry_run;

pub use args::Args;

/// Runs the subcommand.
///
/// # Errors
///
/// Names and values that nothing has, results that cannot be written.
pub fn run(args: &Args) -> Result<Verdict, Failure> {
    let plan = args.plan();
    let asked = chosen::asked(args)?;
    if args.dry_run {
        dry_run::print(&mut io::stdout().lock(), &asked.groups, &plan)?;
        return Ok(Verdict::Good);
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let header = Header::new(cores, &plan, asked.reference);
    let writer = |folder: PathBuf| Writer::new(&folder, header.clone(), asked.about.clone());
    let file = args.out.clone().map(writer).transpose()?;
    let saved = args.save.as_ref().map(|name| writer(baseline::folder().join(name))).transpose()?;
    file.as_ref().map(Writer::clear).transpose()?;
    Interrupt::catch()?;
    let bar = progress(plan.steps(&asked.groups));
    let mut course = Course { bar, file };
    let outcome = compare(&asked.groups, &plan, &mut course)?;
    course.bar.finish_and_clear();
    let stopped = Interrupt::asked();
    let wrong = firsts(&outcome.wrong);
    if let Some(file) = &course.file {
        file.write(&outcome.rows, &wrong, outcome.rounds_done)?;
    }
    if let (Some(saved), false) = (saved, stopped) {
        saved.write(&outcome.rows, &wrong, outcome.rounds_done)?;
        eprintln!("saved: {}", saved.file().display());
    }
    let mut out = io::stdout().lock();
    if args.json {
        for row in &outcome.rows {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
    } else {
        let header = Header { rounds_done: outcome.rounds_done, ..header };
        let about = |name: &str| asked.about.get(name).filter(|about| !about.is_empty()).cloned();
        print(&mut out, &header, &outcome.rows, &wrong, &about)?;
    }
    for wrong in &outcome.wrong {
        eprintln!("wrong: {wrong}");
    }
    Ok(match stopped {
        true => {
            let (done, planned) = (outcome.rounds_done, plan.rounds.max(outcome.rounds_done));
            eprintln!(
                "stopped after {done} of {planned} rounds; what is shown was measured so far"
            );
            Verdict::Interrupted
        }
        false if outcome.wrong.is_empty() => Verdict::Good,
        false => Verdict::Bad,
    })
}

fn print(
    out: &mut impl Write,
    header: &Header,
    rows: &[Row],
    wrong: &[Wrong],
    about: &dyn Fn(&str) -> Option<String>,
) -> io::Result<()> {
    let source = Source { header, rows, wanted: &|_| true, wrong, describe: about };
    let sections = source.sections();
    for section in &sections {
        writeln!(out, "{}", section.text())?;
    }
    for line in legend(&sections) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// As files have them: the first answer of each cell.
fn firsts(wrong: &[Broken]) -> Vec<Wrong> {
    Wrong::firsts(wrong.iter().map(Broken::entry))
}

/// The bar, and the file that is complete after each round. What was wrong is put into it at the end.
struct Course {
    bar: ProgressBar,
    file: Option<Writer>,
}

impl Progress for Course {
    fn step(&mut self, cell: &Cell) {
        self.bar.set_message(format!("{cell:?}"));
        self.bar.inc(1);
    }

    fn is_stopped(&self) -> bool {
        Interrupt::asked()
    }

    fn round(&mut self, rows: &[Row], wrong: &[Broken], rounds_done: usize) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), |file| file.write(rows, &firsts(wrong), rounds_done))
    }
}
