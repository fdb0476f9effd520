//! What the five thresholds cost, beside a plain atomic load in the same run.
//!
//! `cargo bench -p strategy-atomic-threshold`. Each figure is the time of 1,000 calls, so that nanoseconds read as
//! picoseconds a call; ratios to the row `atomic load` of the same group are what counts.

use std::{
    hint::black_box,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use criterion::{
    BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime,
};
use snapshot_api::{Off, Threshold, ThresholdStrategy, Timestamp, Xid};
use strategy_atomic_threshold::{
    MutexThreshold, OsMutexThreshold, PackedThreshold, SeqlockThreshold, SplitAtomicThreshold,
};

const CALLS: u64 = 1_000;

fn at(n: u64) -> Threshold {
    Threshold { timestamp: Timestamp::from_micros(n), xid: Xid::new(n) }
}

/// Runs `work` without pause on another thread while `measure` measures.
fn beside(work: impl Fn() + Sync, measure: impl FnOnce()) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            // Relaxed: once more does no harm.
            while !done.load(Ordering::Relaxed) {
                work();
            }
        });
        measure();
        done.store(true, Ordering::Relaxed);
    });
}

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn row(group: &mut Group<'_>, name: &str, mut call: impl FnMut() -> u64) {
    group.bench_function(name, |bencher| {
        // The sum is used, so that no call can be left out.
        bencher.iter(|| (0..CALLS).fold(0, |sum: u64, _| sum.wrapping_add(call())));
    });
}

fn row_of<T: ThresholdStrategy>(group: &mut Group<'_>, threshold: &T, call: impl Fn(&T) -> u64) {
    row(group, &threshold.facts().name, || call(black_box(threshold)));
}

/// A reader's test of a page, nobody else about.
fn timestamp<T: ThresholdStrategy>(group: &mut Group<'_>, threshold: &T) {
    row_of(group, threshold, |threshold| threshold.timestamp().as_micros());
}

/// The same while another core does it too.
fn timestamp_beside_a_reader<T: ThresholdStrategy>(group: &mut Group<'_>, threshold: &T) {
    beside(|| _ = black_box(threshold.timestamp()), || timestamp(group, threshold));
}

/// The same while another core raises the threshold without pause.
fn timestamp_beside_a_writer<T: ThresholdStrategy>(group: &mut Group<'_>, threshold: &T) {
    let next = AtomicU64::new(2);
    beside(
        || threshold.advance(at(next.fetch_add(1, Ordering::Relaxed))),
        || timestamp(group, threshold),
    );
}

/// A pruner's read of the pair.
fn load<T: ThresholdStrategy>(group: &mut Group<'_>, threshold: &T) {
    row_of(group, threshold, |threshold| {
        let Threshold { timestamp, xid } = threshold.load();
        timestamp.as_micros() ^ xid.get()
    });
}

/// An advance that asks for what is there already.
fn advance_unchanged<T: ThresholdStrategy>(group: &mut Group<'_>, threshold: &T) {
    row_of(group, threshold, |threshold| {
        threshold.advance(black_box(at(1)));
        0
    });
}

/// An advance that raises both halves.
fn advance_rising<T: ThresholdStrategy>(group: &mut Group<'_>, threshold: &T) {
    let mut next = 1;
    row(group, &threshold.facts().name, || {
        next += 1;
        black_box(threshold).advance(at(next));
        0
    });
}

macro_rules! groups {
    ($($name:ident)*) => {
        fn all(criterion: &mut Criterion) {$({
            let mut group = criterion.benchmark_group(stringify!($name).replace('_', " "));
            let word = AtomicU64::new(1);
            row(&mut group, "atomic load", || black_box(&word).load(Ordering::Relaxed));
            $name(&mut group, &Off);
            $name(&mut group, &SplitAtomicThreshold::new());
            $name(&mut group, &SeqlockThreshold::new());
            $name(&mut group, &PackedThreshold::new());
            $name(&mut group, &OsMutexThreshold::new());
            $name(&mut group, &MutexThreshold::new());
            group.finish();
        })*}
    };
}

groups! {
    timestamp
    timestamp_beside_a_reader
    timestamp_beside_a_writer
    load
    advance_unchanged
    advance_rising
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500));
    targets = all
}
criterion_main!(benches);
