use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use super::*;
use crate::{
    compare::{
        course::{Course, Settings, Told},
        gate::Look,
        part::{Beside, Part, Spent},
    },
    loads::built_in,
};

fn cell(load: &str, snapshot: &'static str) -> Cell {
    let point = built_in(load).expect("built in").points(2).expect("they fit").remove(0);
    Cell::new(&Rc::new(point), snapshot, "off").expect("known").expect("it suits the load")
}

/// A tenth of a second in which threads did so many operations each, half of their time in `take`.
fn sample(ops: &[u64], scans: [u64; 2]) -> Sample {
    let course = Course::new(Settings::new(Duration::from_millis(100), ops.len(), 1), ops.len());
    let parts = ops.iter().map(|&ops| {
        let mut part = Part::new(&course);
        (part.ops, part.scans) = (ops, scans);
        if ops > 0 {
            let spent = Spent { take: 50.0, visibility: 30.0, threshold: 15.0, other: 5.0 };
            part.took(&course, Duration::from_millis(50), Duration::from_nanos(100), spent);
        }
        let now = Instant::now();
        part.book(None, (now, now + Duration::from_millis(100)));
        part
    });
    let beside = Beside { done: 50, per_s: 500.0, lag_ms: Some(2.0), wrong: None };
    let told = Told { parts: parts.collect(), beside, seconds: 0.1, lock_waits: 7, held: 24 };
    Sample::of(told, 1_000)
}

fn looked(sample: Sample, is_quiet: bool) -> Looked {
    Looked { sample, look: Look { cores: 2.0, speed: 0.75 }, is_quiet }
}

fn row(load: &str, samples: &[Sample]) -> Row {
    let mut measured = Measured::default();
    for (sample, beside) in samples.iter().zip([1_000.0, 2_000.0, 4_000.0]) {
        measured.add(looked(sample.clone(), true), beside);
    }
    measured.row(&cell(load, "locked-set"), true).expect("it was measured")
}

#[test]
fn a_row_says_what_the_rounds_say() {
    let rounds = [&[100, 100][..], &[400, 200], &[300, 300]].map(|ops| sample(ops, [4, 1]));
    let row = row("page-scan", &rounds);
    assert_eq!(row.rounds, [2_000.0, 6_000.0, 6_000.0]);
    assert_eq!(row.ops_per_s, 6_000.0);
    assert_eq!((row.ratio, row.ratio_low, row.ratio_high), (2.125, 1.5, 3.0));
    let Shares { take, visibility, threshold, other, .. } = row.shares;
    assert_eq!([take, visibility, threshold, other], [0.5, 0.3, 0.15, 0.05]);
    assert_eq!((row.lock_waits, row.too_old, row.beside_per_s), (7.0, Some(0.25), Some(500.0)));
    assert_eq!((row.lag_ms, row.while_open), (Some(2.0), None));
    assert_eq!(row.ops_by_thread, [300, 300]);
    assert_eq!((row.intended, row.late, row.skipped), (None, None, None));
    assert_eq!(row.latency.p50_ns, 100);
    assert_eq!(row.histogram, [[100, 6]], "one of each thread in each round");
    assert_eq!(row.bytes, None, "nobody counts in a test");
    assert_eq!((row.series.len(), row.series[0].ops_per_s), (12, 6_000.0 * 12.0));
    assert_eq!((row.core_speed, row.itself), (Some(0.75), None));
    assert!(!row.noisy && !row.peer && row.breaks.is_empty());
}

#[test]
fn fairness_is_one_where_all_did_the_same_and_a_share_where_one_did_all() {
    for (ops, fair) in
        [(&[5, 5, 5, 5][..], 1.0), (&[8, 0, 0, 0], 0.25), (&[0, 0], 1.0), (&[3, 1], 0.8)]
    {
        assert_eq!(fairness(&sample(ops, [0, 0])), fair, "{ops:?}");
    }
}

#[test]
fn a_round_without_an_operation_counts_as_none_and_leaves_the_shares_alone() {
    let row = row("mixed", &[sample(&[0, 0], [0, 0]), sample(&[100, 100], [0, 0])]);
    assert_eq!((row.rounds, row.shares.take), (vec![0.0, 2_000.0], 0.5));
    assert_eq!(row.too_old, None, "nothing scans");
}

#[test]
fn before_the_first_round_there_is_no_row() {
    assert_eq!(Measured::default().row(&cell("mixed", "locked-set"), false), None);
}

#[test]
fn what_breaks_laws_says_so() {
    let mut measured = Measured::default();
    measured.add(looked(sample(&[1], [0, 0]), false), 1_000.0);
    let row = measured.row(&cell("mixed", "skip-list"), false).expect("it was measured");
    assert!(row.histogram.is_empty(), "nobody asked for it");
    assert!(row.peer && row.noisy && row.breaks.iter().any(|law| law == "law 1 (one instant)"));
}
