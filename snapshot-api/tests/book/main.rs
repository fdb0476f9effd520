//! The law book's own test: for each law a toy with a seeded bug that fails it, by the law's name.
//!
//! That naive correct implementations pass is the test `models`.
#![cfg(debug_assertions)]

mod toys;

use std::panic::{AssertUnwindSafe, catch_unwind};

use snapshot_api::dev::laws;
use toys::{locked, numbers, spinning, threshold, walk};

snapshot_api::counting_allocator!();

/// A law whose threads run freely may miss its bug where they never get in each other's way, as on a busy machine. So often it
/// does not.
const RUNS: usize = 20;

/// Sees that `law` panics, and with this name first.
fn fails(name: &str, law: impl Fn()) {
    for _ in 0..RUNS {
        let Err(cause) = catch_unwind(AssertUnwindSafe(&law)) else { continue };
        let said = cause.downcast_ref::<String>().cloned().unwrap_or_default();
        let broken = said.starts_with(&format!("{name} is broken: "));
        assert!(broken, "it should fail {name}, but: {said}");
        return;
    }
    panic!("the seeded bug passes {RUNS} times, it should fail {name}");
}

macro_rules! seeded {
    ($($test:ident: $law:ident::<$toy:ty>($bug:expr), $name:expr;)*) => {$(
        #[test]
        fn $test() {
            fails($name, || laws::$law::<$toy>(&$bug));
        }
    )*};
}

seeded! {
    plain_walk: one_instant::<walk::Walk>(walk::Bug::PlainWalk), "law 1 (one instant)";
    list_before_xmax: one_instant::<locked::Toy>(locked::Bug::ListBeforeXmax), "law 1 (one instant)";
    tree_one_by_one: whole_trees::<locked::Toy>(locked::Bug::TreeOneByOne), "law 2 (whole trees)";
    plain_walk_over_trees: whole_trees::<walk::Walk>(walk::Bug::PlainWalk), "law 2 (whole trees)";
    xmax_after_last_begun: xmax::<locked::Toy>(locked::Bug::XmaxAfterLastBegun), "law 3 (xmax)";
    xmax_follows_last_end: xmax::<locked::Toy>(locked::Bug::XmaxFollowsLastEnd), "law 3 (xmax)";
    born_late: no_late_birth::<locked::Toy>(locked::Bug::BornLate), "law 4 (no late birth)";
    skipped_id_runs: no_late_birth::<locked::Toy>(locked::Bug::SkippedIdRuns), "law 4 (no late birth)";
    unborn_ended: no_late_birth::<numbers::Numbers>(numbers::Bug::UnbornEnded), "law 4 (no late birth)";
    reused_by_xmax: monotone_per_observer::<locked::Toy>(locked::Bug::ReusedByXmax),
        "law 5 (monotone per observer)";
    xmax_goes_back: monotone_per_observer::<locked::Toy>(locked::Bug::XmaxFollowsLastEnd),
        "law 5 (monotone per observer)";
    xmax_inclusive: exact::<locked::Toy>(locked::Bug::XmaxInclusive), "law 6 (exact)";
    reserved_runs: exact::<locked::Toy>(locked::Bug::ReservedRuns), "law 6 (exact)";
    ends_the_next: idempotent_removal::<locked::Toy>(locked::Bug::EndsTheNext),
        "law 7 (idempotent removal)";
    ends_again: idempotent_removal::<numbers::Numbers>(numbers::Bug::EndsAgain),
        "law 7 (idempotent removal)";
    keeps_old_list: reuse::<locked::Toy>(locked::Bug::KeepsOldList), "law 8 (reuse)";
    reused_by_version_alone: reuse::<locked::Toy>(locked::Bug::ReusedByVersionAlone), "law 8 (reuse)";
    take_allocates: takes_allocate_nothing::<locked::Toy>(locked::Bug::TakeAllocates),
        "law 8 (a take allocates nothing once grown)";
    drops_when_full: capacity::<locked::Toy>(locked::Bug::DropsWhenFull), "law 9 (capacity)";
    evicts_when_full: capacity::<locked::Toy>(locked::Bug::EvictsWhenFull), "law 9 (capacity)";
    claims_lock_free: progress_beside_a_stalled_thread::<locked::Toy>(locked::Bug::ClaimsLockFree),
        "law 10 (progress beside a stalled thread)";
    claims_wait_free: progress_beside_a_stalled_thread::<walk::Walk>(walk::Bug::WalksTwice),
        "law 10 (progress beside a stalled thread)";
    waits_uncounted: progress_beside_a_stalled_thread::<locked::Toy>(locked::Bug::WaitsUncounted),
        "law 10 (progress beside a stalled thread)";
    lock_left_taken: progress_after_a_panic::<spinning::Spinning>(()), "law 10 (progress after a panic)";
    keeps_finished: bounded_memory::<locked::Toy>(locked::Bug::KeepsFinished),
        "law 11 (bounded memory)";
    keeps_takes: bounded_memory::<locked::Toy>(locked::Bug::KeepsTakes), "law 11 (bounded memory)";

    takes_what_was: horizon_waits_for_readers::<locked::Toy>(locked::Bug::TakesWhatWas),
        "cases 1 to 4 (the horizon waits for readers)";
    managed_keeps_finished: managed_memory_is_flat::<locked::Toy>(locked::Bug::KeepsFinished),
        "case 19 (memory under a manager is flat)";

    case_8_list_before_xmax: just_started_is_running::<locked::Toy>(locked::Bug::ListBeforeXmax),
        "case 8 (just started is running)";
    case_10_number_first: number_not_before_state::<numbers::Numbers>(numbers::Bug::NumberFirst),
        "case 10 (number not before state)";
    case_11_publishes_late: own_end_is_seen::<locked::Toy>(locked::Bug::PublishesLate),
        "case 11 (own end is seen)";
    case_13_xmax_inclusive: boundary_is_one_rule::<locked::Toy>(locked::Bug::XmaxInclusive),
        "case 13 (boundary is one rule)";
    case_19_keeps_finished: finished_list_is_bounded::<locked::Toy>(locked::Bug::KeepsFinished),
        "case 19 (finished list is bounded)";
    case_22_restores_twice: restore_lists_once_and_in_order::<locked::Toy>(locked::Bug::RestoresTwice),
        "case 22 (restore lists once and in order)";
    case_25_loses_burst: burst_of_subtransactions::<locked::Toy>(locked::Bug::LosesBurst),
        "case 25 (burst of subtransactions)";
    case_26_takes_unknown_as_ended: unknown_ids_are_running::<locked::Toy>(locked::Bug::RestoresBelowLatest),
        "case 26 (unknown ids are running)";
    case_33_lapped: lapped_place_is_told_apart::<locked::Toy>(locked::Bug::Lapped),
        "case 33 (lapped place is told apart)";

    forget_completes: forget::<locked::Toy>(locked::Bug::ForgetCompletes),
        "law forget (leave without completing)";
    forgets_one: forget::<locked::Toy>(locked::Bug::ForgetsOne), "law forget (leave without completing)";
    complete_lowers: complete::<locked::Toy>(locked::Bug::CompleteLowers),
        "law complete (raise latest completed)";
    complete_prunes: complete::<locked::Toy>(locked::Bug::CompletePrunes),
        "law complete (raise latest completed)";
    prune_inclusive: prune::<locked::Toy>(locked::Bug::PruneInclusive), "law prune (nothing below runs)";
    prunes_one_by_one: prune::<locked::Toy>(locked::Bug::PrunesOneByOne),
        "law prune (nothing below runs)";
    standby_complete_prunes: standby_is_exact::<locked::Toy>(locked::Bug::CompletePrunes),
        "law standby (exact under every operation)";
}

macro_rules! seeded_threshold {
    ($($test:ident: $law:ident($bug:ident), $name:expr;)*) => {$(
        #[test]
        fn $test() {
            fails($name, || laws::threshold::$law(|| threshold::Toy::new(threshold::Bug::$bug)));
        }
    )*};
}

seeded_threshold! {
    threshold_starts_at_one: starts_at_zero(StartsAtOne), "threshold law exact (starts at zero)";
    threshold_xid_follows_timestamp: exact(XidFollowsTimestamp),
        "threshold law exact (maximum of what was asked)";
    threshold_stores: never_back(Stores), "threshold law a (never back)";
    threshold_checks_then_stores: never_back(ChecksThenStores), "threshold law a (never back)";
    threshold_xid_first: timestamp_before_xid(XidFirst), "threshold law b (timestamp before xid)";
    threshold_loads_timestamp_first: timestamp_before_xid(LoadsTimestampFirst),
        "threshold law b (timestamp before xid)";
    threshold_claims_whole: prefix(ClaimsWhole), "threshold law c (a prefix)";
    threshold_split_the_wrong_way: prefix(XidFirst), "threshold law c (a prefix)";
    threshold_claims_wait_free: progress(ClaimsWaitFree), "threshold law progress (as promised)";
    threshold_claims_lock_free: progress(ClaimsLockFree), "threshold law progress (as promised)";
    threshold_waits_uncounted: progress(WaitsUncounted), "threshold law progress (as promised)";
}

/// Without its bug the toy passes: it fails for the bug and for nothing else.
#[test]
fn the_toy_without_a_bug_passes() {
    let right = locked::Bug::None;
    laws::one_instant::<locked::Toy>(&right);
    laws::whole_trees::<locked::Toy>(&right);
    laws::xmax::<locked::Toy>(&right);
    laws::no_late_birth::<locked::Toy>(&right);
    laws::monotone_per_observer::<locked::Toy>(&right);
    laws::exact::<locked::Toy>(&right);
    laws::idempotent_removal::<locked::Toy>(&right);
    laws::reuse::<locked::Toy>(&right);
    laws::progress_beside_a_stalled_thread::<locked::Toy>(&right);
    laws::progress_after_a_panic::<locked::Toy>(&right);
    laws::standby_is_exact::<locked::Toy>(&right);
    laws::horizon_waits_for_readers::<locked::Toy>(&right);
    laws::managed_memory_is_flat::<locked::Toy>(&right);
}
