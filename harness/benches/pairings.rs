//! Every pairing under every load, one group a load: `cargo bench -p harness --bench pairings -- 'page-scan/.*seqlock'`.
//!
//! What is measured is what `harness compare` measures, by criterion: an operation is a page, a snapshot or an event, and
//! criterion keeps what the last run said. Each sample runs the load for some milliseconds with all its threads, and counts the
//! operations that they did: so the time of one operation is the inverse of the throughput of all threads. The ratios of
//! `harness compare`, which measures its reference beside each few pairings, are the better comparison between strategies;
//! this is the better one between yesterday and today.

use std::{rc::Rc, thread, time::Duration};

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use harness::{
    compare::{cell::Cell, course::Settings},
    loads::{Definition, Point, built_in, names},
    names::chosen,
    registry::{PEERS, THRESHOLDS, breaks, usual},
};

/// Longest time of one sample, in milliseconds.
const SAMPLE: u64 = 30;

fn pairings(criterion: &mut Criterion) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    for load in names().into_iter().filter_map(built_in) {
        for point in load.points(cores).expect("what is built in can be run") {
            group(criterion, &load, &Rc::new(point));
        }
    }
}

/// One variant of each strategy with the load's thresholds, and what is off the shelf with the first of them.
fn group(criterion: &mut Criterion, load: &Definition, point: &Rc<Point>) {
    let thresholds = chosen("threshold strategy", &load.thresholds, THRESHOLDS)
        .expect("what is built in names what is there");
    let strategies =
        usual().into_iter().flat_map(|name| thresholds.iter().map(move |other| (name, *other)));
    let peers = PEERS.iter().map(|name| (*name, thresholds[0]));
    let mut group = criterion.benchmark_group(&point.name);
    group.throughput(Throughput::Elements(1)).sampling_mode(SamplingMode::Flat);
    for (snapshot, threshold) in strategies.chain(peers) {
        let cell = Cell::new(point, snapshot, threshold).expect("names of the registry");
        // A strategy that cannot play a standby has no cell under some loads.
        let Some(cell) = cell else { continue };
        group.bench_function(format!("{snapshot}/{threshold}"), |bencher| {
            bencher.iter_custom(|operations| run(&cell, operations));
        });
    }
    group.finish();
}

/// How long so many operations take, by those that were done in a moment.
fn run(cell: &Cell, operations: u64) -> Duration {
    let duration = Duration::from_millis(cell.point.millis.min(SAMPLE));
    let checked = breaks(cell.snapshot).is_empty();
    let settings =
        Settings { checked, pinned: true, ..Settings::new(duration, cell.point.threads, 1) };
    let sample = cell.measure(settings).unwrap_or_else(|refused| panic!("{cell:?}: {refused}"));
    assert_eq!(sample.wrong, [""; 0], "{cell:?}");
    Duration::from_secs_f64(operations as f64 / sample.ops_per_s.max(1.0))
}

fn settings() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(SAMPLE))
        .measurement_time(Duration::from_millis(10 * SAMPLE))
}

criterion_group! { name = all; config = settings(); targets = pairings }
criterion_main!(all);
