//! The store over seven pairings of a snapshot strategy and a threshold: what snapshot isolation forbids is not found.

use snapshot_api::{ManagerOptions, Off, OldSnapshotPolicy, Restore, ThresholdStrategy};
use strategy_atomic_threshold::{
    MutexThreshold, PackedThreshold, SeqlockThreshold, SplitAtomicThreshold,
};
use strategy_baseline::{BooleanArray, ProcArray};
use strategy_bitmap::HierarchicalBitmap;
use strategy_csn::CsnLog;
use strategy_linkedlist::EpochList;
use strategy_shared_cache::SharedCache;

use crate::{
    checker::check,
    scaled,
    workload::{Course, Lists, Load, run},
};

/// Snapshots get too old after so many transactions.
const GAP: u64 = 24;

pub(crate) fn options() -> ManagerOptions {
    let policy = OldSnapshotPolicy { max_age: None, max_gap: Some(GAP) };
    ManagerOptions::new().old_snapshots(policy)
}

pub(crate) fn load(transactions: u64, seed: u64) -> Load {
    Load { clients: 4, transactions, seed, refresh: false }
}

fn holds<S: Restore, T: ThresholdStrategy>(threshold: T) -> Course {
    let store = Lists::<S, T>::new(&S::Config::default(), threshold, options());
    let store = store.expect("an empty store");
    let course = run(&store, load(scaled(3_000), fastrand::u64(..)));
    let (strategy, threshold) =
        (store.manager().strategy().facts(), store.manager().threshold().facts());
    println!(
        "{} with {}: {} transactions, {} committed, {} conflicts, {} too old, {} prepared, {} versions collected",
        strategy.name,
        threshold.name,
        course.history.len(),
        course.committed(),
        course.conflicts,
        course.too_old,
        course.prepared,
        course.collected,
    );
    let findings = check(&course.history);
    let forbidden: Vec<_> = findings.iter().filter(|found| !found.anomaly.is_permitted()).collect();
    assert!(forbidden.is_empty(), "{}: {}", strategy.name, forbidden[0]);
    assert!(findings.iter().any(|found| found.anomaly.is_permitted()), "too tame: no write skew");
    assert!(course.conflicts > 0 && course.prepared > 0 && course.collected > 0, "too tame");

    // Nobody holds anything any more: one version of each list is left, and nothing to be done.
    store.collect();
    let census = store.census();
    assert_eq!((census.versions, census.open, census.retired), (census.keys, 0, 0), "{census:?}");
    course
}

#[test]
fn csn_with_seqlock() {
    holds::<CsnLog, _>(SeqlockThreshold::default());
}

#[test]
fn hierarchical_bitmap_with_split_atomic() {
    holds::<HierarchicalBitmap, _>(SplitAtomicThreshold::default());
}

#[test]
fn boolean_array_with_mutex() {
    holds::<BooleanArray, _>(MutexThreshold::default());
}

#[test]
fn shared_cache_with_packed() {
    holds::<SharedCache<BooleanArray>, _>(PackedThreshold::default());
    holds::<SharedCache<CsnLog>, _>(PackedThreshold::default());
}

#[test]
fn epoch_list_with_the_threshold_off() {
    let course = holds::<EpochList, _>(Off);
    assert_eq!(course.too_old, 0);
}

#[test]
fn proc_array_with_split_atomic() {
    holds::<ProcArray, _>(SplitAtomicThreshold::default());
}
