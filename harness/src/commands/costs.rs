//! `harness costs`: what each operation costs.

use std::{
    io::{self, Write},
    time::Duration,
};

use indicatif::ProgressBar;

use super::progress::progress;
use crate::{
    cli::{Failure, Verdict},
    costs::{
        Plan, Progress, costs,
        rows::Row,
        run::{Stop, steps},
    },
    interrupt::Interrupt,
    names::chosen,
    registry::{THRESHOLDS, choice, snapshots},
};

mod table;

/// Measure what each operation of each strategy costs, in a minute.
///
/// A snapshot strategy is measured with 200 running ids in windows of 256 to 10 million ids (64 in the smallest), a few old and
/// the rest recent (clustered) or evenly spread (uniform). Each operation stands beside a yardstick that is measured in turn with
/// it: an atomic load, a fetch_add, a copy of the running list, a binary search in it, or a cache line's way from one core to
/// another. Compare ratios, not nanoseconds: they hold from machine to machine. A strategy that answers wrongly is reported and
/// not shown.
///
/// Exit code 0, 1 if a strategy is wrong, 2 if the command line is; 130 after Ctrl-C, with what was measured until then (a second
/// Ctrl-C ends it at once).
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Small windows and few rounds, some five seconds: a first look
    #[arg(long)]
    quick: bool,

    /// Only these snapshot strategies: a name, a name without its variant, or a regular expression; may be given more than
    /// once. No threshold then unless one is named
    #[arg(long = "snapshot", value_name = "NAME|REGEX")]
    snapshots: Vec<String>,

    /// Only these threshold strategies: a name or a regular expression; may be given more than once. No snapshot strategy then
    /// unless one is named
    #[arg(long = "threshold", value_name = "NAME|REGEX")]
    thresholds: Vec<String>,

    /// Seed of everything random in the measurement
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print one JSON object a line instead of tables, each strategy's as soon as it is measured
    #[arg(long)]
    json: bool,
}

/// Below the options: lines of a doc comment would run together.
const EXAMPLES: &str = "\
Examples:
  harness costs --quick
  harness costs --snapshot boolean-array --threshold seqlock
  harness costs --snapshot '^(linked-list|skip)'
  harness costs --json > costs.jsonl";

/// Runs the subcommand.
///
/// # Errors
///
/// A name that nothing has, output that cannot be written.
pub fn run(args: &Args) -> Result<Verdict, Failure> {
    let plan = if args.quick {
        Plan {
            windows: &[256, 20_000],
            far: 20_000,
            rounds: 5,
            total: Duration::from_secs(4),
            seed: args.seed,
        }
    } else {
        Plan {
            windows: &[256, 2_000, 20_000, 1_000_000, 10_000_000],
            far: 1_000_000,
            rounds: 15,
            total: Duration::from_secs(53),
            seed: args.seed,
        }
    };
    // Who names one kind wants that kind.
    let all = args.snapshots.is_empty() && args.thresholds.is_empty();
    let of = |kind, names: &[String], known: &[&'static str]| {
        if names.is_empty() && !all { Ok(Vec::new()) } else { chosen(kind, names, known) }
    };
    let snapshots =
        of("snapshot strategy", &args.snapshots, &choice(snapshots(), &args.snapshots))?;
    let thresholds = of("threshold strategy", &args.thresholds, THRESHOLDS)?;
    Interrupt::catch()?;
    let bar = progress(steps(snapshots.len(), thresholds.len(), &plan));
    let mut course = Course { bar, json: args.json };
    let outcome =
        costs(&snapshots, &thresholds, &plan, &mut course).map_err(|stop| match stop {
            Stop::Unknown(unknown) => Failure::from(unknown),
            Stop::Output(error) => Failure::from(error),
        })?;
    course.bar.finish_and_clear();
    let mut out = io::stdout().lock();
    if args.json {
        for skipped in &outcome.skipped {
            eprintln!("{}", table::not_measured(skipped));
        }
    } else {
        table::print(&mut out, &outcome, &plan)?;
    }
    for wrong in &outcome.wrong {
        eprintln!("wrong: {wrong}");
    }
    let all = snapshots.len() + thresholds.len();
    if outcome.done < all {
        eprintln!("interrupted: {} of {all} strategies are measured to the end", outcome.done);
        return Ok(Verdict::Interrupted);
    }
    Ok(if outcome.wrong.is_empty() { Verdict::Good } else { Verdict::Bad })
}

/// The bar, and the rows as they come.
struct Course {
    bar: ProgressBar,
    json: bool,
}

impl Progress for Course {
    fn step(&mut self, next: &str) {
        self.bar.set_message(next.to_owned());
        self.bar.inc(1);
    }

    fn rows(&mut self, rows: &[Row]) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        for row in rows {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
        out.flush()
    }

    fn ends(&self) -> bool {
        Interrupt::asked()
    }
}
