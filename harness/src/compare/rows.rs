//! Rows of the result: what a cell's measurements say, against the reference of the same rounds.

use std::{collections::BTreeMap, time::Duration};

use super::{
    cell::Sample,
    run::Cell,
    stats::{estimate, median},
};
use crate::results::{
    Row,
    row::{Latency, Shares},
};

/// All measurements of a cell, in the order of the rounds.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    samples: Vec<Sample>,
    ratios: Vec<f64>,
    noisy: usize,
}

impl Measured {
    /// Adds the measurement of one more round, beside which the reference did so many operations a second.
    pub fn add(&mut self, sample: Sample, beside: f64, quiet: bool) {
        self.ratios.push(sample.ops_per_s / beside.max(f64::MIN_POSITIVE));
        self.samples.push(sample);
        self.noisy += usize::from(!quiet);
    }

    /// The first wrong answer.
    pub fn wrong(&self) -> Option<&str> {
        self.samples.iter().flat_map(|sample| &sample.wrong).map(String::as_str).next()
    }

    fn median_of(&self, value: impl Fn(&Sample) -> f64) -> f64 {
        median(&mut self.samples.iter().map(value).collect::<Vec<_>>())
    }
}

/// What `measured` says.
pub fn row(cell: &Cell, measured: &Measured, threads: usize, duration: Duration) -> Row {
    let ratio = estimate(&measured.ratios);
    let open: Vec<f64> = measured.samples.iter().filter_map(|sample| sample.while_open).collect();
    let quantile =
        |share| measured.median_of(|sample| sample.latency.value_at_quantile(share) as f64) as u64;
    let take = measured.median_of(|sample| sample.take_share);
    Row {
        workload: cell.workload.name().into(),
        snapshot: cell.snapshot.into(),
        threshold: cell.threshold.into(),
        threads,
        parameters: BTreeMap::new(),
        millis: duration.as_millis() as u64,
        ops_per_s: measured.median_of(|sample| sample.ops_per_s),
        rounds: measured.samples.iter().map(|sample| sample.ops_per_s).collect(),
        ratio: ratio.median,
        ratio_low: ratio.low,
        ratio_high: ratio.high,
        shares: Shares { take, other: 1.0 - take, ..Shares::default() },
        lock_waits: measured.median_of(|sample| sample.lock_waits as f64),
        latency: Latency {
            mean_ns: measured.median_of(|sample| sample.latency.mean()),
            stddev_ns: measured.median_of(|sample| sample.latency.stdev()),
            p50_ns: quantile(0.5),
            p95_ns: quantile(0.95),
            p99_ns: quantile(0.99),
            p999_ns: quantile(0.999),
            max_ns: quantile(1.0),
        },
        intended: None,
        late: None,
        skipped: None,
        fairness: 1.0,
        ops_by_thread: Vec::new(),
        bytes: None,
        lag_ms: None,
        beside_per_s: None,
        too_old: None,
        while_open: (!open.is_empty()).then(|| median(&mut open.clone())),
        series: Vec::new(),
        peer: false,
        breaks: Vec::new(),
        noisy: measured.noisy * 2 > measured.samples.len(),
    }
}
