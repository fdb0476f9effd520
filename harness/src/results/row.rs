//! [`Row`]: a line of a file of results, all that is known about one pairing under one load.
//!
//! Names are owned: a file may be older than the program that reads it, and the strategy may be gone since.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use crate::stats::{Estimate, estimate};

/// The snapshot strategy that does nothing: its row is what the harness itself costs.
pub const EMPTY: &str = "empty";

/// What was measured of one pairing under one load.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Name of the load.
    pub workload: String,
    /// Name of the snapshot strategy.
    pub snapshot: String,
    /// Name of the threshold strategy.
    pub threshold: String,
    /// Threads that are measured.
    pub threads: usize,
    /// The load's other parameters, by their names in its file. Two rows that differ in one are not compared.
    pub parameters: BTreeMap<String, Parameter>,
    /// How long one measurement took, in milliseconds, as planned.
    pub millis: u64,
    /// Operations of all threads a second, median over the rounds.
    pub ops_per_s: f64,
    /// The same of each round, in their order.
    pub rounds: Vec<f64>,
    /// Throughput over that of the load's reference a moment before and after: the middle of all means of two rounds (Hodges and
    /// Lehmann).
    pub ratio: f64,
    /// Lower end of the ratio's 95% interval.
    pub ratio_low: f64,
    /// Upper end of the ratio's 95% interval.
    pub ratio_high: f64,
    /// Where the measured threads' time goes.
    pub shares: Shares,
    /// How often a caller had to wait for another, in a measurement's time, median.
    pub lock_waits: f64,
    /// Time of an operation from its start to its end, over all rounds.
    pub latency: Latency,
    /// The same whole: times in nanoseconds, rising, each with how many operations took so long to two digits; absent where nobody
    /// asked for it (`compare --histograms`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub histogram: Vec<[u64; 2]>,
    /// Time of an operation from when it was due to its end; where operations come at a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intended: Option<Latency>,
    /// Operations of a measurement that began more than a millisecond after they were due; where they come at a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<f64>,
    /// Operations of a measurement that were due and never began; where they come at a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<f64>,
    /// Jain's index over the threads' operations: 1 where all did the same, 1/threads where one did all.
    pub fairness: f64,
    /// Operations of each thread, in the last round.
    pub ops_by_thread: Vec<u64>,
    /// What the strategies hold at the end of a measurement, in bytes; absent where nobody counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<i64>,
    /// How far the replayer was behind at worst, in milliseconds of its schedule, median; for loads that replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_ms: Option<f64>,
    /// What the threads did a second that are not measured: transactions replayed, takes beside a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside_per_s: Option<f64>,
    /// Scans that were told that their snapshot is too old, of all that began, 0 to 1; for loads that scan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub too_old: Option<f64>,
    /// Throughput while the long transaction is open over that before and after; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub while_open: Option<f64>,
    /// The 95% interval of that, from lower to upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub while_open_interval: Option<[f64; 2]>,
    /// A measurement's time in equal parts: seconds where it lasts so long.
    pub series: Vec<Interval>,
    /// Whether this is no strategy of a database: something off the shelf that does the same work, to compare with.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub peer: bool,
    /// The laws that this strategy is known to break: it is measured for comparison alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<String>,
    /// Whether the machine was busy during more than half of the measurements, also after repeating them.
    pub noisy: bool,
    /// How fast the cores were beside the measurements, of what they did at the start at best, 0 to 1, median. Less where others
    /// share their hardware threads, as on a virtual machine, or their clock changes; absent where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_speed: Option<f64>,
    /// Whether this is what the ratios of its load are multiples of. A file from before this field says it in its header alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_reference: bool,
    /// Of the reference alone: its throughput over its own, a few cells before and after; absent where the cells are too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itself: Option<Itself>,
}

/// What a reference makes of itself, over all measurements beside cells: 1, if the way of measuring favours nobody.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Itself {
    /// The middle of all means of two.
    pub ratio: f64,
    /// Lower end of its 95% interval.
    pub low: f64,
    /// Upper end of its 95% interval.
    pub high: f64,
    /// How many ratios it is made of.
    pub times: usize,
}

impl Itself {
    /// Of these ratios; none of none.
    pub fn of(ratios: &[f64]) -> Option<Self> {
        let Estimate { middle, low, high } = estimate(ratios);
        (!ratios.is_empty()).then_some(Itself { ratio: middle, low, high, times: ratios.len() })
    }
}

/// What a row is about. A file has one row for each.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// The load.
    pub load: LoadKey,
    /// Name of the snapshot strategy.
    pub snapshot: String,
    /// Name of the threshold strategy.
    pub threshold: String,
}

/// A load: rows of the same one are compared with each other.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoadKey {
    /// Its name.
    pub workload: String,
    /// Its parameters in one text, as in `slots=200 window=1000`. Other parameters have another text.
    pub parameters: String,
    /// Threads that are measured.
    pub threads: usize,
}

impl LoadKey {
    /// The load of this name, with these parameters and threads.
    pub fn new(workload: &str, parameters: &BTreeMap<String, Parameter>, threads: usize) -> Self {
        let parameters: Vec<String> =
            parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        LoadKey { workload: workload.into(), parameters: parameters.join(" "), threads }
    }
}

impl Row {
    /// What this row is about.
    pub fn key(&self) -> Key {
        Key {
            load: self.load_key(),
            snapshot: self.snapshot.clone(),
            threshold: self.threshold.clone(),
        }
    }

    /// The load of this row.
    pub fn load_key(&self) -> LoadKey {
        LoadKey::new(&self.workload, &self.parameters, self.threads)
    }

    /// Whether this is what the harness itself costs.
    pub fn is_empty(&self) -> bool {
        self.snapshot == EMPTY
    }
}

/// A load's parameter.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    /// A count, a share, a time.
    Number(f64),
    /// A name.
    Text(String),
}

/// As it stands in the load's file; a text that could be taken for something else in quotes.
///
/// ```
/// use harness::results::row::Parameter;
///
/// let shown = [Parameter::Number(0.5), Parameter::Number(200.0), Parameter::Text("one by one".into())];
/// assert_eq!(shown.map(|parameter| parameter.to_string()), ["0.5", "200", "\"one by one\""]);
/// ```
impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |text: &str| {
            let fits = |letter: char| letter.is_alphanumeric() || "-_.+()/".contains(letter);
            !text.is_empty() && text.chars().all(fits) && text.parse::<f64>().is_err()
        };
        match self {
            Parameter::Number(number) => write!(f, "{number}"),
            Parameter::Text(text) if is_plain(text) => f.write_str(text),
            Parameter::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// Where the measured threads' time goes, 0 to 1 each, median over the rounds. The first four are looked at in some
/// operations alone, and in each round add up to 1; the last two are the system's books of the whole time.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Shares {
    /// In `take`.
    pub take: f64,
    /// In visibility tests.
    pub visibility: f64,
    /// In looks at the threshold.
    pub threshold: f64,
    /// In the rest: begins and ends where threads write, and the load's own checks.
    pub other: f64,
    /// Asleep: in a lock that another thread holds. Absent where the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<f64>,
    /// Ready to run, with no core. Absent where the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_core: Option<f64>,
}

/// Times of operations, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Latency {
    pub mean_ns: f64,
    pub stddev_ns: f64,
    pub p50_ns: u64,
    pub p95_ns: u64,
    pub p99_ns: u64,
    pub p999_ns: u64,
    pub max_ns: u64,
}

/// One part of a measurement's time, over all rounds; not cumulative.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Interval {
    /// Operations of all threads a second, median over the rounds.
    pub ops_per_s: f64,
    /// Half of the operations in it take no longer.
    pub p50_ns: u64,
    /// 99 of 100 operations in it take no longer.
    pub p99_ns: u64,
}
