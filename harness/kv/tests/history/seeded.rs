//! The history test has to be able to fail. Each bug is a small one, in an engine, strategy or threshold that is right otherwise;
//! the test finds it, and what it finds has the right name.

mod rules;
mod strategies;
mod threshold;

use std::collections::BTreeSet;

use snapshot_api::{Restore, ThresholdStrategy};

use crate::{
    checker::{Anomaly, anomalies},
    pairings::load,
    workload::{Lists, Load, run},
};

/// Histories until a bug has to be found.
const HISTORIES: u64 = 60;

/// Runs short histories until all of these are found.
fn finds<S: Restore, T: ThresholdStrategy>(
    expected: &[Anomaly],
    change: impl Fn(Load) -> Load,
    store: impl Fn() -> Lists<S, T>,
) {
    let mut found = BTreeSet::new();
    for seed in 0..HISTORIES {
        let course = run(&store(), change(load(100, seed)));
        found.extend(anomalies(&course.history));
        if expected.iter().all(|anomaly| found.contains(anomaly)) {
            println!("found in {} histories: {found:?}", seed + 1);
            return;
        }
    }
    panic!("{expected:?} not found, only {found:?}");
}
