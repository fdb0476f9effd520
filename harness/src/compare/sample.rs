//! [`Sample`]: what one measurement of one cell yields.

use hdrhistogram::Histogram;

use super::{
    course::Told,
    part::{Slice, Spent, latencies},
};
use crate::results::row::Shares;

/// What one measurement of one cell yields.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Operations of all threads a second.
    pub ops_per_s: f64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Operations of each thread.
    pub by_thread: Vec<u64>,
    /// Where the threads' time went.
    pub shares: Shares,
    /// How often a caller had to wait for another, in snapshots and thresholds.
    pub lock_waits: u64,
    /// Time of single operations, in nanoseconds; one in some is looked at.
    pub latency: Histogram<u64>,
    /// From when they were due; where they were.
    pub intended: Histogram<u64>,
    /// Operations that began more than a millisecond late.
    pub late: u64,
    /// Operations that were due and never began.
    pub skipped: u64,
    /// The parts of the time.
    pub slices: Vec<Slice>,
    /// Bytes that the strategies hold at the end.
    pub bytes: i64,
    /// How far a replayer was behind at worst, in milliseconds.
    pub lag_ms: Option<f64>,
    /// What the threads did a second that are not measured; none where there are none.
    pub beside_per_s: Option<f64>,
    /// Scans that were told that they are too old, of all; for loads that scan.
    pub too_old: Option<f64>,
    /// Throughput in the middle third over that before and after.
    pub middle: f64,
    /// Answers that were wrong. One is enough to drop the pairing.
    pub wrong: Vec<String>,
}

impl Sample {
    /// Adds up what the threads say. The strategies held so many bytes before the threads began.
    pub fn of(told: Told, bytes_before: i64) -> Self {
        let Told { parts, beside, seconds, lock_waits, held } = told;
        let length = seconds.max(f64::MIN_POSITIVE);
        let mut thirds = [0_u64; 3];
        let (mut scans, mut too_old) = (0, 0);
        let mut spent = Spent::default();
        let mut waiting = [0.0; 2];
        let told_waiting = parts.iter().filter_map(|part| part.waiting).count();
        let mut sample = Sample {
            ops_per_s: 0.0,
            seconds,
            by_thread: Vec::new(),
            shares: Shares::default(),
            lock_waits,
            latency: latencies(2),
            intended: latencies(2),
            late: 0,
            skipped: 0,
            slices: Vec::new(),
            bytes: bytes_before + held,
            lag_ms: beside.lag_ms,
            beside_per_s: (beside.done > 0).then_some(beside.per_s),
            too_old: None,
            middle: 0.0,
            wrong: beside.wrong.into_iter().collect(),
        };
        for part in parts {
            sample.by_thread.push(part.ops);
            sample.late += part.late;
            sample.skipped += part.skipped;
            sample.lag_ms = sample.lag_ms.into_iter().chain(part.lag_ms).reduce(f64::max);
            sample.wrong.extend(part.wrong);
            spent.add(part.spent);
            scans += part.scans[0];
            too_old += part.scans[1];
            for (sum, third) in thirds.iter_mut().zip(part.thirds) {
                *sum += third;
            }
            for (sum, share) in waiting.iter_mut().zip(part.waiting.unwrap_or_default()) {
                *sum += share;
            }
            add(&mut sample.latency, &part.latency);
            add(&mut sample.intended, &part.intended);
            add_slices(&mut sample.slices, part.slices);
        }
        sample.ops_per_s = sample.by_thread.iter().sum::<u64>() as f64 / length;
        sample.too_old = (scans > 0).then(|| too_old as f64 / scans as f64);
        sample.middle = thirds[1] as f64 / ((thirds[0] + thirds[2]) as f64 / 2.0).max(1.0);
        let all = spent.all().max(f64::MIN_POSITIVE);
        let threads = told_waiting as f64;
        let of_all = |share: f64| (told_waiting > 0).then(|| share / threads);
        sample.shares = Shares {
            take: spent.take / all,
            visibility: spent.visibility / all,
            threshold: spent.threshold / all,
            other: spent.other / all,
            waiting: of_all(waiting[0]),
            off_core: of_all(waiting[1]),
        };
        sample
    }
}

/// Adds a histogram to one of the same bounds.
pub(super) fn add(to: &mut Histogram<u64>, more: &Histogram<u64>) {
    // Histograms of the same bounds always add.
    let _ = to.add(more);
}

/// Adds the parts of the time, one by one.
pub(super) fn add_slices(to: &mut Vec<Slice>, more: Vec<Slice>) {
    if to.is_empty() {
        *to = more;
        return;
    }
    for (sum, slice) in to.iter_mut().zip(&more) {
        sum.ops += slice.ops;
        add(&mut sum.latency, &slice.latency);
    }
}
