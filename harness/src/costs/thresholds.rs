//! The cells of a threshold strategy.

use std::{
    hint::black_box,
    panic::resume_unwind,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use snapshot_api::{
    Threshold, ThresholdStrategy, Timestamp, Xid,
    measure::{Fault, Yardstick, Yardsticks},
};

use super::{
    operation::{
        ADVANCE, BESIDE_ADVANCER, BESIDE_READER, LOAD, OF_THRESHOLDS, Operation, TIMESTAMP,
    },
    rounds::{Pace, Round, middle, rounds},
    rows::Row,
    snapshots::{batches, beside_it},
};
use crate::clock;

/// Calls between two looks at the clock.
const BATCH: u64 = 256;

/// One threshold, and how far it has been raised.
struct Subject<'a, T> {
    threshold: &'a T,
    reached: AtomicU64,
    /// The strategy `off` stays where it is.
    moves: bool,
}

fn at(n: u64) -> Threshold {
    Threshold { timestamp: Timestamp::from_micros(n), xid: Xid::new(n) }
}

/// Measures all operations, two of them only where there are two cores.
pub(super) fn run<T: ThresholdStrategy>(
    strategy: &'static str,
    threshold: &T,
    pace: Pace,
    cores: usize,
) -> Result<Vec<Row>, Fault> {
    let subject = Subject { threshold, reached: AtomicU64::new(1_000), moves: strategy != "off" };
    let mut rows = Vec::new();
    for operation in OF_THRESHOLDS {
        let is_crowded = operation == BESIDE_READER || operation == BESIDE_ADVANCER;
        if is_crowded && cores < 2 {
            continue;
        }
        subject.advance();
        rows.extend(subject.cell(strategy, &operation, pace)?);
        subject.check()?;
    }
    Ok(rows)
}

impl<T: ThresholdStrategy> Subject<'_, T> {
    fn advance(&self) {
        // Relaxed: one thread advances at a time, and starting and joining threads orders them.
        let next = self.reached.load(Ordering::Relaxed) + 1;
        self.reached.store(next, Ordering::Relaxed);
        self.threshold.advance(at(next));
    }

    /// Both halves are where they were raised to.
    fn check(&self) -> Result<(), Fault> {
        let reached = self.reached.load(Ordering::Relaxed);
        let right = if self.moves { at(reached) } else { Threshold::NONE };
        let (pair, timestamp) = (self.threshold.load(), self.threshold.timestamp());
        if pair == right && timestamp == right.timestamp {
            return Ok(());
        }
        Err(Fault::Wrong(format!("{pair:?} and timestamp {timestamp}, not {right:?}")))
    }

    fn cell(
        &self,
        strategy: &'static str,
        operation: &Operation,
        pace: Pace,
    ) -> Result<Vec<Row>, Fault> {
        let mut yardsticks = Yardsticks::new(Vec::new(), Vec::new());
        let clock = clock::own_time();
        let stick = if *operation == ADVANCE { Yardstick::FetchAdd } else { Yardstick::Load };
        let measured = rounds(pace, |first| {
            let mut beside = || beside_it(&mut yardsticks, [stick], clock)[0];
            let before = first.then(&mut beside);
            let ns = self.timed(operation, pace.slice, clock)?;
            Ok(Round { ns, yardstick_ns: before.unwrap_or_else(beside) })
        })?;
        let row = |middle| Row::new(strategy, operation, stick.name(), None, middle);
        Ok(middle(measured).map(row).into_iter().collect())
    }

    fn timed(&self, operation: &Operation, slice: Duration, clock: Duration) -> Result<f64, Fault> {
        let threshold = self.threshold;
        let timestamps = || batches(slice, clock, || Ok(batch(|| threshold.timestamp())));
        match *operation {
            TIMESTAMP => timestamps(),
            BESIDE_READER => beside(
                || {
                    black_box(threshold.timestamp());
                },
                timestamps,
            ),
            BESIDE_ADVANCER => beside(|| self.advance(), timestamps),
            LOAD => batches(slice, clock, || Ok(batch(|| threshold.load()))),
            _ => batches(slice, clock, || Ok(batch(|| self.advance()))),
        }
    }
}

fn batch<R>(mut call: impl FnMut() -> R) -> (Duration, u64) {
    let start = Instant::now();
    for _ in 0..BATCH {
        black_box(call());
    }
    (start.elapsed(), BATCH)
}

/// Measures while another thread works without pause. Its start is not in the time.
fn beside<R>(work: impl Fn() + Sync, measure: impl FnOnce() -> R) -> R {
    let (going, over) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            // Relaxed, both flags: they pass nothing on.
            while !over.load(Ordering::Relaxed) {
                work();
                going.store(true, Ordering::Relaxed);
            }
        });
        while !going.load(Ordering::Relaxed) && !other.is_finished() {
            thread::yield_now();
        }
        let measured = measure();
        over.store(true, Ordering::Relaxed);
        other.join().unwrap_or_else(|panic| resume_unwind(panic));
        measured
    })
}
