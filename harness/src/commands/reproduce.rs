//! `harness reproduce`: the reports, measured again.

use std::{
    io::{self, Write},
    thread,
};

use indicatif::ProgressBar;

use super::progress::progress;
use crate::{
    cli::{Failure, Verdict},
    compare::{
        cell::Cell,
        plan::{Group, Plan},
        run::{Outcome, Progress, Wrong, compare},
    },
    interrupt::Interrupt,
    names::chosen,
    reproduce::{
        EXPERIMENTS, Experiment,
        experiment::{Judgement, Load, Measured},
        judge,
    },
    results::{Header, Row},
};

mod args;
mod json;
mod text;

pub use args::Args;

/// What is to be measured for one experiment.
struct Planned<'a> {
    experiment: &'a Experiment,
    titles: Vec<String>,
    groups: Vec<Group>,
    plan: Plan,
}

/// What came of one experiment.
struct Done<'a> {
    experiment: &'a Experiment,
    titles: Vec<String>,
    groups: Vec<Group>,
    outcome: Outcome,
    judgement: Judgement,
}

/// Runs the subcommand.
///
/// # Errors
///
/// Names and values that nothing has, output that cannot be written.
pub fn run(args: &Args) -> Result<Verdict, Failure> {
    let known: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
    let names = chosen("experiment", &args.names, &known)?;
    let wanted = || EXPERIMENTS.iter().filter(|experiment| names.contains(&experiment.name));
    let mut out = io::stdout().lock();
    if args.list {
        match args.json {
            true => json::list(&mut out, wanted())?,
            false => text::list(&mut out, wanted())?,
        }
        return Ok(Verdict::Good);
    }
    let scale = args.scale(thread::available_parallelism().map_or(1, usize::from));
    let mut planned = Vec::new();
    for experiment in wanted() {
        let loads = (experiment.loads)(&scale)?.into_iter();
        let (titles, groups) = loads.map(|Load { title, group }| (title, group)).unzip();
        planned.push(Planned { experiment, titles, groups, plan: scale.plan(experiment.rounds) });
    }
    Interrupt::catch()?;
    let all = planned.iter().map(|one| one.plan.steps(&one.groups)).sum();
    let mut course = Course { bar: progress(all), name: "" };
    let header = Header::new(scale.cores, &Plan::new(0, scale.seed), ("", ""));
    match args.json {
        true => json::header(&mut out, &header, &scale)?,
        false => text::header(&mut out, &header, &scale)?,
    }
    let mut done: Vec<Done<'_>> = Vec::new();
    for one in planned {
        course.name = one.experiment.name;
        let one = measure(one, &mut course)?;
        course.bar.suspend(|| {
            if args.json { json::print(&mut out, &one) } else { text::print(&mut out, &one) }
        })?;
        for wrong in &one.outcome.wrong {
            course.bar.suspend(|| eprintln!("wrong: {wrong}"));
        }
        done.push(one);
        if Interrupt::asked() {
            break;
        }
    }
    course.bar.finish_and_clear();
    if !args.json {
        text::summary(&mut out, &done)?;
    }
    out.flush()?;
    if Interrupt::asked() {
        eprintln!("stopped; what is shown was measured so far");
        return Ok(Verdict::Interrupted);
    }
    let failed = done.iter().any(|one| {
        !one.outcome.wrong.is_empty() || one.judgement.verdict() == judge::Verdict::DidNotHold
    });
    Ok(if failed { Verdict::Bad } else { Verdict::Good })
}

fn measure<'a>(planned: Planned<'a>, course: &mut Course) -> io::Result<Done<'a>> {
    let Planned { experiment, titles, groups, plan } = planned;
    let outcome = compare(&groups, &plan, course)?;
    let of = |group| Measured::of(group, &outcome.rows);
    let measured: Vec<Measured<'_>> = groups.iter().map(of).collect();
    let judgement = (experiment.judge)(&measured);
    Ok(Done { experiment, titles, groups, outcome, judgement })
}

/// The bar of all experiments together.
struct Course {
    bar: ProgressBar,
    name: &'static str,
}

impl Progress for Course {
    fn step(&mut self, cell: &Cell) {
        self.bar.set_message(format!("{}: {} × {}", self.name, cell.snapshot, cell.threshold));
        self.bar.inc(1);
    }

    fn is_stopped(&self) -> bool {
        Interrupt::asked()
    }

    fn round(&mut self, _rows: &[Row], _wrong: &[Wrong], _rounds_done: usize) -> io::Result<()> {
        Ok(())
    }
}
