use super::*;
use crate::results::sample;

const HELD: Verdict = Verdict::Held;
const FAILED: Verdict = Verdict::DidNotHold;
const OVERLAP: Verdict = Verdict::CannotTell(Why::Overlap);
const BUSY: Verdict = Verdict::CannotTell(Why::Busy);
const MISSING: Verdict = Verdict::CannotTell(Why::Missing);

fn row(low: f64, ratio: f64, high: f64) -> Row {
    Row { ratio_low: low, ratio_high: high, ..sample::row("csn", "mutex", ratio) }
}

fn open(low: f64, median: f64, high: f64) -> Row {
    Row {
        while_open: Some(median),
        while_open_interval: Some([low, high]),
        ..sample::standby("csn", "off", 1.0)
    }
}

fn busy(row: Row) -> Row {
    Row { noisy: true, ..row }
}

#[test]
fn less_is_where_the_intervals_part() {
    let same = row(0.9, 1.0, 1.1);
    let judged = |row: &Row| does_less(Some(row), Some(&same));
    assert_eq!(judged(&row(0.5, 0.6, 0.89)), HELD);
    assert_eq!(judged(&row(0.5, 0.6, 0.9)), OVERLAP, "they touch");
    assert_eq!(judged(&row(0.5, 1.0, 1.5)), OVERLAP);
    assert_eq!(judged(&row(1.1, 1.2, 1.3)), OVERLAP, "they touch");
    assert_eq!(judged(&row(1.11, 1.2, 1.3)), FAILED);
    assert_eq!(judged(&busy(row(1.11, 1.2, 1.3))), BUSY, "a busy machine proves no failure");
    assert_eq!(does_less(Some(&row(1.11, 1.2, 1.3)), Some(&busy(same.clone()))), BUSY);
    assert_eq!(judged(&busy(row(0.5, 0.6, 0.89))), HELD);
    assert_eq!((does_less(None, Some(&same)), does_less(Some(&same), None)), (MISSING, MISSING));
}

#[test]
fn dips_are_compared_with_their_intervals() {
    let flat = open(0.9, 1.0, 1.1);
    let judged = |row: &Row| dips_more(Some(row), Some(&flat));
    assert_eq!(judged(&open(0.2, 0.3, 0.4)), HELD);
    assert_eq!(judged(&open(0.2, 0.3, 0.95)), OVERLAP);
    assert_eq!(judged(&open(1.2, 1.3, 1.4)), FAILED);
    assert_eq!(judged(&busy(open(1.2, 1.3, 1.4))), BUSY);
    assert_eq!(judged(&sample::row("csn", "off", 1.0)), MISSING, "no transaction is open there");
    assert_eq!(dips_more(Some(&flat), None), MISSING);
}

#[test]
fn what_is_kept_may_lose_5_percent_or_what_the_reference_loses_against_itself() {
    let judged = |row: &Row, reference: &Row| keeps(Some(row), Some(reference));
    let fine = row(0.98, 1.0, 1.02);
    assert_eq!(judged(&row(0.95, 0.97, 1.0), &fine), HELD);
    assert_eq!(judged(&row(1.5, 1.6, 1.7), &fine), HELD, "more is no loss");
    assert_eq!(judged(&row(0.94, 0.97, 1.0), &fine), OVERLAP);
    assert_eq!(judged(&row(0.8, 0.9, 0.94), &fine), FAILED);
    assert_eq!(judged(&busy(row(0.8, 0.9, 0.94)), &fine), BUSY);
    let rough = row(0.92, 1.0, 1.1);
    assert_eq!(judged(&row(0.92, 0.97, 1.0), &rough), HELD);
    assert_eq!(judged(&row(0.8, 0.9, 0.94), &rough), OVERLAP);
    assert_eq!(judged(&row(0.8, 0.9, 0.91), &rough), FAILED);
    let coarse = row(0.5, 1.0, 2.0);
    assert_eq!(judged(&row(0.6, 0.7, 0.8), &coarse), Verdict::CannotTell(Why::Coarse));
    assert_eq!(judged(&row(0.91, 1.0, 1.1), &coarse), HELD, "10% are the most that is let pass");
    assert_eq!(judged(&row(0.3, 0.4, 0.45), &coarse), FAILED);
    assert_eq!(keeps(None, Some(&fine)), MISSING);
}

#[test]
fn waits_are_counted() {
    let waiting =
        |lock_waits: f64, threads: usize| Row { lock_waits, threads, ..row(1.0, 1.0, 1.0) };
    assert_eq!(waits(Some(&waiting(1.0, 2))), HELD);
    assert_eq!(waits(Some(&waiting(0.0, 2))), FAILED);
    assert_eq!(waits(Some(&busy(waiting(0.0, 2)))), BUSY);
    assert_eq!(waits(Some(&waiting(0.0, 1))), Verdict::CannotTell(Why::Cores));
    assert_eq!(never_waits(Some(&waiting(0.0, 2))), HELD);
    assert_eq!(never_waits(Some(&busy(waiting(1.0, 2)))), FAILED, "who has no lock never waits");
    assert_eq!((waits(None), never_waits(None)), (MISSING, MISSING));
}

#[test]
fn a_number_without_an_interval_has_to_be_clearly_more() {
    let stddev = |stddev_ns: f64| {
        let mut row = row(1.0, 1.0, 1.0);
        row.latency.stddev_ns = stddev_ns;
        row
    };
    let judged = |one: f64, two: f64| {
        is_more(Some(&stddev(one)), Some(&stddev(two)), |row| row.latency.stddev_ns)
    };
    assert_eq!(judged(15.0, 10.0), HELD);
    assert_eq!((judged(14.0, 10.0), judged(10.0, 14.0)), (OVERLAP, OVERLAP));
    assert_eq!(judged(10.0, 15.0), FAILED);
    let (less, more) = (stddev(10.0), busy(stddev(15.0)));
    assert_eq!(is_more(Some(&less), Some(&more), |row| row.latency.stddev_ns), BUSY);
    assert_eq!(is_more(None, Some(&less), |row| row.latency.stddev_ns), MISSING);
}

#[test]
fn of_two_a_failure_counts_most() {
    assert_eq!(HELD.and(HELD), HELD);
    assert_eq!((HELD.and(OVERLAP), OVERLAP.and(HELD)), (OVERLAP, OVERLAP));
    assert_eq!((FAILED.and(OVERLAP), OVERLAP.and(FAILED)), (FAILED, FAILED));
    assert_eq!(FAILED.and(HELD), FAILED);
}
