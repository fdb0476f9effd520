//! The options of `harness reproduce`.

use std::time::Duration;

use crate::{loads::Threads, reproduce::points::Scale};

/// Measure the reports again: what each said, what real servers gave, what this machine gives, and whether the direction holds.
///
/// Five experiments, one for each report; without a name all of them, in less than 90 seconds on two idle cores. Each says what
/// the report found, with its own figures, what real servers gave for this project, and what is measured now: throughput as a
/// multiple of the design that the report is about, with 95% intervals, beside that design against itself (A/A). Then come the
/// directions that must hold. Each held, did not hold, or cannot be told here: intervals overlap, the machine is busy, or it has
/// too few cores. What such a machine cannot show at all stands below.
///
/// Exit code 0 if all directions held that can be told; 1 if one did not, or a strategy gave a wrong answer; 2 if the command line
/// is wrong; 130 after Ctrl-C, which keeps what was measured.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Only these experiments: names or regular expressions
    #[arg(value_name = "NAME|REGEX")]
    pub(super) names: Vec<String>,

    /// Print what there is, one line each, and measure nothing
    #[arg(long)]
    pub(super) list: bool,

    /// Three rounds: a first look, in half the time. Intervals are wide then
    #[arg(long)]
    quick: bool,

    /// Threads that are measured, a list to sweep: 2,32,cores. Writers and replayers come on top. Each experiment's own list if it
    /// is not given: the cores and 32 or 40 for the threshold, the cores less one beside a replayer. More threads than cores
    /// measure holders of locks that lose their core, not contention
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "How it is measured")]
    threads: Option<Vec<Threads>>,

    /// How long one measurement takes, in seconds. Each experiment's own time if it is not given: 0.06, or 0.18 and 0.6 beside a
    /// replayer
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "How it is measured")]
    duration: Option<Duration>,

    /// How often everything is measured (5 or 7, or 3 with --quick). Intervals narrow with its root
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=10_000),
        help_heading = "How it is measured"
    )]
    rounds: Option<u16>,

    /// For everything random; the same seed makes the same choices
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "How it is measured")]
    seed: u64,

    /// Print JSON, one object a line: how it was measured, then one object for each experiment
    #[arg(long)]
    pub(super) json: bool,
}

const EXAMPLES: &str = "\
Examples:
  harness reproduce                                             all five reports
  harness reproduce --list                                      what there is
  harness reproduce threshold --threads 2,8,32,104              both reports on the threshold, up to the report's clients
  harness reproduce standby-long-transaction --duration 2 --rounds 20
                                                                a dip of 10% needs a long look
  harness reproduce --json > reproduced.jsonl                   rows, claims and verdicts";

impl Args {
    /// How it is measured on a machine of so many cores.
    pub(super) fn scale(&self, cores: usize) -> Scale {
        Scale {
            threads: self.threads.clone(),
            millis: self.duration.map(|duration| duration.as_millis() as u64),
            rounds: self.rounds.map(usize::from),
            quick: self.quick,
            seed: self.seed,
            cores,
        }
    }
}

fn seconds(word: &str) -> Result<Duration, String> {
    let seconds = word.parse().ok().filter(|seconds| (0.001..=3_600.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "expected seconds from 0.001 to 3600".into())
}
