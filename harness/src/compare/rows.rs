//! Rows of the result: what a cell's measurements say, against the reference of the same rounds.

use serde::Serialize;

use super::{
    cell::Sample,
    run::Cell,
    stats::{estimate, median},
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

/// A row of `results.jsonl`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// Name of the load.
    pub workload: &'static str,
    /// Name of the snapshot strategy.
    pub snapshot: &'static str,
    /// Name of the threshold strategy.
    pub threshold: &'static str,
    /// Threads that are measured.
    pub threads: usize,
    /// Operations of all threads a second, median over the rounds.
    pub ops_per_s: f64,
    /// Throughput over that of the load's reference a moment before, median.
    pub ratio: f64,
    /// Lower end of the ratio's 95% interval.
    pub ratio_low: f64,
    /// Upper end of the ratio's 95% interval.
    pub ratio_high: f64,
    /// Share of the threads' time in `take`, 0 to 1.
    pub take_share: f64,
    /// How often a caller had to wait for another, in a measurement's time, median.
    pub lock_waits: f64,
    /// Median time of an operation.
    pub p50_ns: u64,
    /// 99 of 100 operations take no longer.
    pub p99_ns: u64,
    /// Throughput while the long transaction is open over that before and after; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub while_open: Option<f64>,
    /// Whether the machine was busy during more than half of the measurements, also after repeating them.
    pub noisy: bool,
}

impl Row {
    /// What `measured` says.
    pub fn of(cell: &Cell, measured: &Measured, threads: usize) -> Self {
        let ratio = estimate(&measured.ratios);
        let open: Vec<f64> =
            measured.samples.iter().filter_map(|sample| sample.while_open).collect();
        let quantile = |share| {
            measured.median_of(|sample| sample.latency.value_at_quantile(share) as f64) as u64
        };
        Row {
            workload: cell.workload.name(),
            snapshot: cell.snapshot,
            threshold: cell.threshold,
            threads,
            ops_per_s: measured.median_of(|sample| sample.ops_per_s),
            ratio: ratio.median,
            ratio_low: ratio.low,
            ratio_high: ratio.high,
            take_share: measured.median_of(|sample| sample.take_share),
            lock_waits: measured.median_of(|sample| sample.lock_waits as f64),
            p50_ns: quantile(0.5),
            p99_ns: quantile(0.99),
            while_open: (!open.is_empty()).then(|| median(&mut open.clone())),
            noisy: measured.noisy * 2 > measured.samples.len(),
        }
    }
}
