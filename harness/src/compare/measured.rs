//! [`Measured`]: all measurements of a cell, and the row that they make.

use hdrhistogram::Histogram;

use super::{
    cell::Cell,
    part::{Slice, latencies},
    run::Looked,
    sample::{Sample, add, add_slices},
};
use crate::{
    registry::{PEERS, breaks},
    replay::memory::is_counted,
    results::row::{Interval, Latency, Row, Shares},
    stats::{Estimate, estimate, median},
};

/// All measurements of a cell, in the order of the rounds; histograms are added up as they come.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    samples: Vec<Sample>,
    ratios: Vec<f64>,
    noisy: usize,
    speeds_of_cores: Vec<f64>,
    latency: Option<[Histogram<u64>; 2]>,
    slices: Vec<Slice>,
    /// Operations a second in each part of the time, round by round.
    speeds: Vec<Vec<f64>>,
}

impl Measured {
    /// Adds the measurement of one more round, beside which the reference did so many operations a second.
    pub(super) fn add(&mut self, measured: Looked, beside: f64) {
        let Looked { mut sample, look, is_quiet } = measured;
        self.ratios.push(sample.ops_per_s / beside.max(f64::MIN_POSITIVE));
        self.noisy += usize::from(!is_quiet);
        self.speeds_of_cores.push(look.speed);
        let [latency, intended] = self.latency.get_or_insert_with(|| [latencies(2), latencies(2)]);
        add(latency, &sample.latency);
        add(intended, &sample.intended);
        let slices = std::mem::take(&mut sample.slices);
        let long = sample.seconds / (slices.len() as f64).max(1.0);
        self.speeds.push(slices.iter().map(|slice| slice.ops as f64 / long).collect());
        add_slices(&mut self.slices, slices);
        // Added up above; many cells together would hold much.
        (sample.latency, sample.intended) = (latencies(1), latencies(1));
        self.samples.push(sample);
    }

    /// The first wrong answer.
    pub(super) fn wrong(&self) -> Option<&str> {
        self.samples.iter().flat_map(|sample| &sample.wrong).map(String::as_str).next()
    }

    /// The throughput over the reference's, and how finely that is known.
    pub(super) fn ratio(&self) -> Estimate {
        estimate(&self.ratios)
    }

    /// The row, with a whole histogram if that is wanted; none before the first round.
    pub(super) fn row(&self, cell: &Cell, whole: bool) -> Option<Row> {
        let [latency, intended] = self.latency.as_ref()?;
        let last = self.samples.last()?;
        let ratio = self.ratio();
        let paced = !intended.is_empty();
        let of = |value: fn(&Sample) -> f64| self.median_of(|sample| Some(value(sample)));
        // A round without an operation tells nothing about where an operation's time goes.
        let share = |of: fn(&Shares) -> f64| {
            let some = |sample: &Sample| (sample.ops_per_s > 0.0).then(|| of(&sample.shares));
            self.median_of(some).unwrap_or(0.0)
        };
        let waiting = |sample: &Sample| sample.shares.waiting;
        let middles: Vec<f64> = self.samples.iter().map(|sample| sample.middle).collect();
        let middle = estimate(&middles);
        let open = cell.point.what.kind() == crate::loads::Kind::Standby;
        Some(Row {
            workload: cell.point.name.clone(),
            snapshot: cell.snapshot.into(),
            threshold: cell.threshold.into(),
            threads: cell.point.threads,
            parameters: cell.point.parameters.clone(),
            millis: cell.point.millis,
            ops_per_s: of(|sample| sample.ops_per_s)?,
            rounds: self.samples.iter().map(|sample| sample.ops_per_s).collect(),
            ratio: ratio.middle,
            ratio_low: ratio.low,
            ratio_high: ratio.high,
            shares: Shares {
                take: share(|shares| shares.take),
                visibility: share(|shares| shares.visibility),
                threshold: share(|shares| shares.threshold),
                other: share(|shares| shares.other),
                waiting: self.median_of(waiting),
                off_core: self.median_of(|sample| sample.shares.off_core),
            },
            lock_waits: of(|sample| sample.lock_waits as f64)?,
            latency: times(latency),
            histogram: if whole { recorded(latency) } else { Vec::new() },
            intended: paced.then(|| times(intended)),
            late: of(|sample| sample.late as f64).filter(|_| paced),
            skipped: of(|sample| sample.skipped as f64).filter(|_| paced),
            fairness: of(fairness)?,
            ops_by_thread: last.by_thread.clone(),
            bytes: is_counted().then_some(last.bytes),
            lag_ms: self.median_of(|sample| sample.lag_ms),
            beside_per_s: self.median_of(|sample| sample.beside_per_s),
            too_old: self.median_of(|sample| sample.too_old),
            while_open: open.then_some(middle.middle),
            while_open_interval: open.then_some([middle.low, middle.high]),
            series: self.series(),
            peer: PEERS.contains(&cell.snapshot),
            breaks: breaks(cell.snapshot).iter().map(|law| (*law).into()).collect(),
            noisy: self.noisy * 2 > self.samples.len(),
            core_speed: Some(median(&mut self.speeds_of_cores.clone())),
            is_reference: false,
            itself: None,
        })
    }

    fn median_of(&self, value: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
        let mut values: Vec<f64> = self.samples.iter().filter_map(value).collect();
        (!values.is_empty()).then(|| median(&mut values))
    }

    fn series(&self) -> Vec<Interval> {
        let part = |(place, slice): (usize, &Slice)| {
            let speeds = self.speeds.iter().filter_map(|round| round.get(place));
            Interval {
                ops_per_s: median(&mut speeds.copied().collect::<Vec<_>>()),
                p50_ns: slice.latency.value_at_quantile(0.5),
                p99_ns: slice.latency.value_at_quantile(0.99),
            }
        };
        self.slices.iter().enumerate().map(part).collect()
    }
}

/// Jain's index: 1 where all threads did the same, 1/threads where one did all.
fn fairness(sample: &Sample) -> f64 {
    let done = || sample.by_thread.iter().map(|&ops| ops as f64);
    let (sum, squares): (f64, f64) = (done().sum(), done().map(|ops| ops * ops).sum());
    if squares == 0.0 { 1.0 } else { sum * sum / (squares * sample.by_thread.len() as f64) }
}

/// Each time that was recorded, and how often.
fn recorded(histogram: &Histogram<u64>) -> Vec<[u64; 2]> {
    histogram.iter_recorded().map(|at| [at.value_iterated_to(), at.count_at_value()]).collect()
}

fn times(histogram: &Histogram<u64>) -> Latency {
    let at = |quantile| histogram.value_at_quantile(quantile);
    Latency {
        mean_ns: histogram.mean(),
        stddev_ns: histogram.stdev(),
        p50_ns: at(0.5),
        p95_ns: at(0.95),
        p99_ns: at(0.99),
        p999_ns: at(0.999),
        max_ns: histogram.max(),
    }
}

#[cfg(test)]
mod tests;
