//! Engines with one wrong rule.

use std::{mem, sync::Mutex};

use snapshot_api::{Off, Outcome, Xid};
use snapshot_kv::{Rules, SnapshotIsolation};
use strategy_csn::CsnLog;

use super::finds;
use crate::{
    checker::Anomaly,
    pairings::options,
    workload::{Lists, Load},
};

fn with(rules: impl Rules + 'static) -> Lists<CsnLog, Off> {
    Lists::with_rules(rules, &Default::default(), Off, options()).expect("an empty store")
}

/// What runs is visible.
struct ReadsWhatRuns;

impl Rules for ReadsWhatRuns {
    fn reads(&self, _sees: bool) -> bool {
        true
    }
}

#[test]
fn to_read_what_runs_is_an_aborted_and_an_intermediate_read() {
    finds(&[Anomaly::G1a, Anomaly::G1b], |load| load, || with(ReadsWhatRuns));
}

/// The last one to write wins.
struct OverwritesAnything;

impl Rules for OverwritesAnything {
    fn overwrites(&self, _sees: bool) -> bool {
        true
    }
}

#[test]
fn to_overwrite_anything_loses_updates() {
    finds(&[Anomaly::LostUpdate, Anomaly::GSingle], |load| load, || with(OverwritesAnything));
}

/// cockroach 6573: only what lies at or above the cutoff is kept.
struct KeepsNoBase;

impl Rules for KeepsNoBase {
    fn first_kept(&self, base: usize) -> usize {
        base + 1
    }
}

#[test]
fn to_collect_one_version_too_many_unmakes_commits() {
    let expected = [Anomaly::IncompatibleOrder, Anomaly::GSingle];
    finds(&expected, |load| load, || with(KeepsNoBase));
}

/// The ids end first, and then their rows go: when the next ones end.
#[derive(Default)]
struct UndoesAfterTheEnd {
    late: Mutex<Vec<Xid>>,
}

impl Rules for UndoesAfterTheEnd {
    fn before_end(&self, outcome: Outcome, ids: &[Xid], settle: &dyn Fn(Outcome, &[Xid])) {
        let mut late = self.late.lock().expect("no panic in here");
        settle(Outcome::Aborted, &mem::take(&mut *late));
        match outcome {
            Outcome::Aborted => late.extend(ids),
            Outcome::Committed => settle(outcome, ids),
        }
    }
}

#[test]
fn to_undo_after_the_end_is_an_aborted_read() {
    finds(&[Anomaly::G1a], |load| load, || with(UndoesAfterTheEnd::default()));
}

/// Not a wrong rule: another level of isolation, and less than is promised here.
#[test]
fn a_snapshot_for_each_read_is_read_skew() {
    let refresh = |load| Load { refresh: true, ..load };
    finds(&[Anomaly::Internal, Anomaly::GSingle], refresh, || with(SnapshotIsolation));
}
