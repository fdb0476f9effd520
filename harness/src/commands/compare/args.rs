//! The options of `harness compare`.

use std::{path::PathBuf, time::Duration};

use crate::{
    compare::plan::{Plan, Until},
    loads::{Overrides, Threads},
    results::baseline,
};

/// Measure pairings of a snapshot strategy and a threshold strategy under the loads of the reports.
///
/// Without options: every pairing in page-scan and standby-long-transaction, every snapshot strategy with split-atomic in the
/// other loads, in less than three minutes on two cores. One variant of each strategy plays, and the shared cache over two.
/// Each pairing is first checked under its load: one that gives a wrong answer is reported and not timed. Then all are measured
/// in turn, round by round, each load until half of its ratios are known within --within percent or --limit is over. A cell of a
/// table is the throughput as a multiple of the load's reference, measured shortly before and after it.
///
/// Exit code 0; 1 if a pairing is wrong; 2 if the command line or a file is; 130 after Ctrl-C, which keeps what was measured.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Three rounds: a first look, in a minute
    #[arg(long)]
    quick: bool,

    /// Every variant of each strategy, and every pairing in every load: eight minutes, seven rounds
    #[arg(long)]
    pub(super) all: bool,

    /// Print what would be measured and how long it would take, and measure nothing
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Only this load: a name, a regular expression, or a file that ends in .toml; may be given more than once. `harness list
    /// --load NAME` prints the file of a load, to copy from
    #[arg(long = "workload", value_name = "NAME|REGEX|FILE", help_heading = "What is measured")]
    pub(super) workloads: Vec<String>,

    /// Only this snapshot strategy beside the reference: a name, a name without its variant, or a regular expression; may be
    /// given more than once
    #[arg(long = "snapshot", value_name = "NAME|REGEX", help_heading = "What is measured")]
    pub(super) snapshots: Vec<String>,

    /// Only this threshold strategy beside the reference: a name or a regular expression; may be given more than once
    #[arg(long = "threshold", value_name = "NAME|REGEX", help_heading = "What is measured")]
    pub(super) thresholds: Vec<String>,

    /// The snapshot strategy that the others are multiples of. Each load's own if it is not given: boolean-array(original), or
    /// what its file says
    #[arg(long, value_name = "NAME", help_heading = "What is measured")]
    pub(super) reference: Option<String>,

    /// The threshold strategy that goes with it
    #[arg(long, value_name = "NAME", default_value = "off", help_heading = "What is measured")]
    pub(super) reference_threshold: String,

    /// Threads that are measured, a list to sweep: 1,2,8,cores. Writers and replayers come on top. Each load's own number if it
    /// is not given: the cores, or one less beside a replayer
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "The loads' parameters, lists to sweep"
    )]
    threads: Option<Vec<Threads>>,

    /// Slots among which sessions are scattered, in select-only, mixed and simple-update (200)
    #[arg(long, value_name = "LIST", help_heading = "The loads' parameters, lists to sweep")]
    slots: Option<String>,

    /// Sessions that write without pause besides, in the same loads (0)
    #[arg(long, value_name = "LIST", help_heading = "The loads' parameters, lists to sweep")]
    writers: Option<String>,

    /// Ids that have ended since the oldest open transaction began, in the same loads (0)
    #[arg(long, value_name = "LIST", help_heading = "The loads' parameters, lists to sweep")]
    window: Option<String>,

    /// Share of the operations that only read, 0 to 1, in the same loads (1, 0.9, 0)
    #[arg(long, value_name = "LIST", help_heading = "The loads' parameters, lists to sweep")]
    read_share: Option<String>,

    /// Row versions on a page, in page-scan (61): work between two looks at the threshold
    #[arg(long, value_name = "LIST", help_heading = "The loads' parameters, lists to sweep")]
    page_work: Option<String>,

    /// Any parameter of a load's file, as in --set running=16,64; may be given more than once
    #[arg(
        long,
        value_name = "NAME=LIST",
        value_parser = setting,
        help_heading = "The loads' parameters, lists to sweep"
    )]
    set: Vec<(String, String)>,

    /// How long one measurement takes, in seconds. Each load's own time if it is not given: 0.025 to 0.075
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "How it is measured")]
    duration: Option<Duration>,

    /// How long the threads work before anything counts, in seconds, in each measurement
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0.002",
        value_parser = warm_up,
        help_heading = "How it is measured"
    )]
    warm_up: Duration,

    /// Measure each pairing just so often (3 with --quick). Intervals narrow with its root
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=10_000),
        help_heading = "How it is measured"
    )]
    rounds: Option<u16>,

    /// Without --rounds: measure a load until half of its ratios are known so finely, in percent of them (half of the 95%
    /// interval), after 7 rounds at least
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 3.0,
        value_parser = percent,
        conflicts_with_all = ["rounds", "quick"],
        help_heading = "How it is measured"
    )]
    within: f64,

    /// Without --rounds: begin no round after so many seconds, but for the first 7
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 160,
        value_parser = clap::value_parser!(u32).range(1..=86_400),
        conflicts_with_all = ["rounds", "quick"],
        help_heading = "How it is measured"
    )]
    limit: u32,

    /// Let threads run on any core: as a rule each stays on one of its own, as long as there are as many
    #[arg(long, help_heading = "How it is measured")]
    no_pin: bool,

    /// Operations that are due a second, over all threads, whether the last ones are over or not: their time is then also told
    /// from when they were due, with those that began late or never. In page-scan an operation is a page, in replay an event
    #[arg(long, value_name = "N", value_parser = rate, help_heading = "How it is measured")]
    rate: Option<f64>,

    /// For everything random; the same seed makes the same choices
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "How it is measured")]
    seed: u64,

    /// Write results.jsonl into this folder, anew after each round, for harness diff, rank and report
    #[arg(long, value_name = "DIR", help_heading = "Where results go")]
    pub(super) out: Option<PathBuf>,

    /// Keep the results as the baseline of this name when all rounds are done, in $CARGO_TARGET_DIR/harness/NAME, or in
    /// target/harness/NAME of the current folder
    #[arg(long, value_name = "NAME", value_parser = baseline::name, help_heading = "Where results go")]
    pub(super) save: Option<String>,

    /// Put whole histograms of the operations' times into the rows, not percentiles alone
    #[arg(long, help_heading = "Where results go")]
    histograms: bool,

    /// Print one JSON object a line instead of tables
    #[arg(long, help_heading = "Where results go")]
    pub(super) json: bool,
}

/// Rounds of a first look.
const QUICK: usize = 3;
/// Fewer have no interval that leaves out the least and the most of them.
const LEAST: usize = 7;

const EXAMPLES: &str = "\
Examples:
  harness compare --quick                                       a first look at every pairing
  harness compare --workload page-scan --threads 1,2,8,32 --snapshot csn --threshold 'off|mutex'
                                                                where a lock begins to hurt
  harness compare --workload page-scan --page-work 4,16,61,244 --snapshot csn --threshold 'off|mutex'
                                                                how much work between two looks hides it
  harness compare --workload mixed --read-share 0,0.5,0.9,1 --snapshot 'shared-cache|csn'
  harness compare --workload select-only --rate 100000 --duration 5 --rounds 3
                                                                waiting times at a fixed rate
  harness list --load mixed > mine.toml && harness compare --workload mine.toml";

impl Args {
    /// How often and how long.
    pub(super) fn plan(&self) -> Plan {
        let fixed = self.rounds.map(usize::from).or(self.quick.then_some(QUICK));
        let limit = Duration::from_secs(self.limit.into());
        Plan {
            until: fixed.is_none().then_some(Until { within: self.within / 100.0, limit }),
            rate: self.rate,
            warm_up: self.warm_up,
            pinned: !self.no_pin,
            histograms: self.histograms,
            ..Plan::new(fixed.unwrap_or(LEAST), self.seed)
        }
    }

    /// What is changed in the loads.
    pub(super) fn overrides(&self) -> Overrides {
        let named = [
            ("slots", &self.slots),
            ("writers", &self.writers),
            ("window", &self.window),
            ("read-share", &self.read_share),
            ("page-work", &self.page_work),
        ];
        let given = named.into_iter().filter_map(|(name, list)| Some((name, list.clone()?)));
        let mut parameters: Vec<(String, String)> =
            given.map(|(name, list)| (name.to_owned(), list)).collect();
        parameters.extend(self.set.iter().cloned());
        Overrides {
            threads: self.threads.clone(),
            millis: self.duration.map(|duration| duration.as_millis() as u64),
            parameters,
        }
    }
}

/// `NAME=LIST`.
fn setting(word: &str) -> Result<(String, String), String> {
    match word.split_once('=') {
        Some((name, list)) if !name.is_empty() && !list.is_empty() => {
            Ok((name.trim().into(), list.into()))
        }
        _ => Err("expected a parameter and its values, as in running=16,64".into()),
    }
}

fn seconds(word: &str) -> Result<Duration, String> {
    let seconds = word.parse().ok().filter(|seconds| (0.001..=3_600.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "expected seconds from 0.001 to 3600".into())
}

fn warm_up(word: &str) -> Result<Duration, String> {
    let seconds = word.parse().ok().filter(|seconds| (0.0..=60.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "expected seconds from 0 to 60".into())
}

fn percent(word: &str) -> Result<f64, String> {
    let percent = word.parse().ok().filter(|percent| (0.1..=100.0).contains(percent));
    percent.ok_or_else(|| "expected percent from 0.1 to 100".into())
}

fn rate(word: &str) -> Result<f64, String> {
    let rate = word.parse().ok().filter(|rate| (0.01..=1e9).contains(rate));
    rate.ok_or_else(|| "expected operations a second, from 0.01 to 1000000000".into())
}
