//! The rows of a threshold strategy.

use std::{
    hint::black_box,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use super::rows::{Bench, Label};
use crate::{Threshold, ThresholdStrategy, Timestamp, Xid, measure::Yardstick};

/// Who else uses the threshold while it is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Against {
    /// Nobody.
    Alone,
    /// Another core reads the timestamp without pause.
    Reader,
    /// Another core raises the threshold without pause.
    Writer,
}

fn at(n: u64) -> Threshold {
    Threshold { timestamp: Timestamp::from_micros(n), xid: Xid::new(n) }
}

/// Measures every operation of one threshold.
pub fn threshold<T: ThresholdStrategy>(bench: &mut Bench, threshold: &T) {
    for (against, place) in [
        (Against::Alone, ""),
        (Against::Reader, "beside a reader"),
        (Against::Writer, "beside a writer"),
    ] {
        let row = label(threshold, "timestamp", place, Yardstick::Load);
        bench.row(row, |times| {
            beside(threshold, against, || time(times, |_| threshold.timestamp()))
        });
    }
    bench.row(label(threshold, "load", "", Yardstick::Load), |times| {
        time(times, |_| threshold.load())
    });
    bench.row(label(threshold, "advance unchanged", "", Yardstick::Load), |times| {
        time(times, |_| threshold.advance(black_box(at(1))))
    });
    let mut reached = threshold.load().xid.get();
    bench.row(label(threshold, "advance rising", "", Yardstick::FetchAdd), |times| {
        let elapsed = time(times, |turn| threshold.advance(at(reached + turn)));
        reached += times;
        elapsed
    });
}

fn label<T: ThresholdStrategy>(
    threshold: &T,
    operation: &'static str,
    place: &str,
    yardstick: Yardstick,
) -> Label {
    Label {
        strategy: threshold.facts().name.into_owned(),
        operation,
        place: place.into(),
        yardstick: yardstick.name(),
    }
}

fn time<R>(times: u64, mut call: impl FnMut(u64) -> R) -> Duration {
    let start = Instant::now();
    for turn in 0..times {
        black_box(call(turn));
    }
    start.elapsed()
}

/// Measures while another thread does something without pause. Its start is not in the time.
fn beside<T: ThresholdStrategy>(
    threshold: &T,
    against: Against,
    measure: impl FnOnce() -> Duration,
) -> Duration {
    let (going, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let next = AtomicU64::new(threshold.load().xid.get());
    let work = || match against {
        Against::Alone => {}
        Against::Reader => drop(black_box(threshold.timestamp())),
        // Relaxed: one thread counts.
        Against::Writer => threshold.advance(at(next.fetch_add(1, Ordering::Relaxed))),
    };
    if against == Against::Alone {
        return measure();
    }
    thread::scope(|scope| {
        scope.spawn(|| {
            // Relaxed, both flags: they pass nothing on.
            going.store(true, Ordering::Relaxed);
            while !done.load(Ordering::Relaxed) {
                work();
            }
        });
        while !going.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        let elapsed = measure();
        done.store(true, Ordering::Relaxed);
        elapsed
    })
}
