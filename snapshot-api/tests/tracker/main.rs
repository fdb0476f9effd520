//! The laws of a tracker: right ones of four shapes pass all of them, and for each law a toy with a seeded bug fails it, by
//! the law's name.
#![cfg_attr(not(debug_assertions), allow(dead_code, reason = "some bugs are found by steps alone"))]

mod ids;
mod managed;
mod map;
mod race;
mod sequence;
mod slots;
mod toy;

use std::panic::{AssertUnwindSafe, catch_unwind};

use snapshot_api::{dev::tracker, tracker_laws};

snapshot_api::counting_allocator!();

tracker_laws!(numbered_manager_passes, managed::Numbered::default());
tracker_laws!(manager_passes, managed::ById::default());
tracker_laws!(map_passes, map::Tracker::default());
tracker_laws!(slots_pass, slots::Tracker::new(slots::Bug::None));
tracker_laws!(ids_pass, ids::Tracker::new(ids::Bug::None));
tracker_laws!(sequence_passes, sequence::Tracker::new(sequence::Bug::None));

/// Sees that `law` panics, and with this name first.
fn fails(name: &str, law: impl FnOnce()) {
    let Err(cause) = catch_unwind(AssertUnwindSafe(law)) else {
        panic!("the seeded bug passes, it should fail {name}");
    };
    let said = cause.downcast_ref::<String>().cloned().unwrap_or_default();
    let named = format!("tracker law ({name}) is broken: ");
    assert!(said.starts_with(&named), "it should fail {name}, but: {said}");
}

macro_rules! seeded {
    ($($test:ident: $law:ident($new:expr), $name:expr;)*) => {$(
        #[test]
        fn $test() {
            fails($name, || tracker::$law(|| $new));
        }
    )*};
}

const OVERTAKES: &str = "the collector never overtakes a reader";
const NUMBER_FIRST: &str = "number not before state";
const WHOLE: &str = "a commit is seen whole";
const BOUNDARY: &str = "the boundary is one rule";
const KEEPS: &str = "a reader keeps only what it needs";
const OLDEST: &str = "the horizon follows the oldest snapshot";
const ADVANCES: &str = "the horizon advances without snapshots";
const BACK: &str = "the horizon never goes back";
const STAYS: &str = "what is needed stays, the rest goes";
const ONCE: &str = "closing releases once";
const PANICS: &str = "a commit that panics leaves nothing";
const PLACES: &str = "all places taken is an error";

fn toy(bug: toy::Bug) -> toy::Tracker {
    toy::Tracker::new(bug)
}

fn slots(bug: slots::Bug) -> slots::Tracker {
    slots::Tracker::new(bug)
}

fn ids(bug: ids::Bug) -> ids::Tracker {
    ids::Tracker::new(bug)
}

fn sequence(bug: sequence::Bug) -> sequence::Tracker {
    sequence::Tracker::new(bug)
}

seeded! {
    race: collector_never_overtakes_a_reader(race::Tracker::default()), OVERTAKES;

    sees_what_is_last: number_not_before_state(toy(toy::Bug::SeesWhatIsLast)), NUMBER_FIRST;
    changes: snapshot_never_changes(toy(toy::Bug::SeesWhatIsLast)), "a snapshot never changes";

    sees_the_next: boundary_is_one_rule(toy(toy::Bug::SeesTheNext)), BOUNDARY;
    too_far: boundary_is_one_rule(toy(toy::Bug::TooFar)), BOUNDARY;
    too_near: reader_keeps_only_what_it_needs(toy(toy::Bug::TooNear)), KEEPS;
    registers_lower: reader_keeps_only_what_it_needs(toy(toy::Bug::RegistersLower)), KEEPS;
    follows_the_newest: horizon_follows_the_oldest(toy(toy::Bug::FollowsTheNewest)), OLDEST;
    waits_for_all: horizon_follows_the_oldest(toy(toy::Bug::WaitsForAll)), OLDEST;
    rises_by_closing: horizon_advances_without_snapshots(toy(toy::Bug::RisesByClosing)), ADVANCES;
    rollback_runs_on: horizon_advances_without_snapshots(ids(ids::Bug::RollbackRunsOn)), ADVANCES;
    rollback_lowers: horizon_never_goes_back(toy(toy::Bug::RollbackLowers)), BACK;
    registering_lowers: horizon_never_goes_back(toy(toy::Bug::RegistersLower)), BACK;

    removes_too_far: what_is_needed_stays_the_rest_goes(toy(toy::Bug::TooFar)), STAYS;
    removes_below_the_newest: what_is_needed_stays_the_rest_goes(toy(toy::Bug::FollowsTheNewest)), STAYS;
    keeps_too_much: what_is_needed_stays_the_rest_goes(toy(toy::Bug::TooNear)), STAYS;

    releases_twice: closing_releases_once(toy(toy::Bug::ReleasesTwice)), ONCE;
    releases_the_last_only: closing_releases_once(toy(toy::Bug::ReleasesTheLastOnly)), ONCE;
    stays_in_a_panic: panic_of_a_holder_releases_its_snapshot(toy(toy::Bug::StaysInAPanic)),
        "the panic of a holder releases its snapshot";
    stays_poisoned: commit_that_panics_leaves_nothing(toy(toy::Bug::StaysPoisoned)), PANICS;
    panic_runs_on: commit_that_panics_leaves_nothing(ids(ids::Bug::PanicRunsOn)), PANICS;

    panics_when_full: all_places_taken_is_an_error(slots(slots::Bug::PanicsWhenFull)), PLACES;
    shares_when_full: all_places_taken_is_an_error(slots(slots::Bug::SharesWhenFull)), PLACES;
    hides_the_limit: all_places_taken_is_an_error(slots(slots::Bug::HidesTheLimit)), PLACES;
    registers_the_refused: all_places_taken_is_an_error(toy(toy::Bug::RegistersTheRefused)), PLACES;
    says_no_limit: all_places_taken_is_an_error(toy(toy::Bug::HidesItsLimit)), PLACES;
    remembers_commits: nothing_grows_without_snapshots(toy(toy::Bug::RemembersCommits)),
        "nothing grows without snapshots";
    remembers_snapshots: nothing_grows_beside_snapshots(toy(toy::Bug::RemembersSnapshots)),
        "nothing grows beside snapshots";
}

/// Found in every run where threads are stopped at their steps; threads that run freely may miss them.
#[cfg(debug_assertions)]
mod by_steps {
    use super::*;

    seeded! {
        no_lower_bound: collector_never_overtakes_a_reader(slots(slots::Bug::NoLowerBound)), OVERTAKES;
        passes_the_running: collector_never_overtakes_a_reader(ids(ids::Bug::PassesTheRunning)), OVERTAKES;
        walks_first: collector_never_overtakes_a_reader(slots(slots::Bug::WalksFirst)), OVERTAKES;
        claims_in_two_steps: collector_never_overtakes_a_reader(slots(slots::Bug::ClaimsInTwoSteps)), OVERTAKES;
        number_first: number_not_before_state(sequence(sequence::Bug::NumberFirst)), NUMBER_FIRST;
        highest_in_state: number_not_before_state(sequence(sequence::Bug::PublishesTheHighest)), NUMBER_FIRST;
        publishes_the_highest: commit_is_seen_whole(sequence(sequence::Bug::PublishesTheHighest)), WHOLE;
        number_first_half: commit_is_seen_whole(sequence(sequence::Bug::NumberFirst)), WHOLE;
        list_before_xmax: commit_is_seen_whole(ids(ids::Bug::ListBeforeXmax)), WHOLE;
        returns_before_published: own_commit_is_seen(sequence(sequence::Bug::ReturnsBeforePublished)),
            "own commit is seen";
        claims_show: horizon_never_goes_back(slots(slots::Bug::ClaimsShow)), BACK;
    }
}

/// Without its bug the toy passes: it fails for the bug and for nothing else.
#[test]
fn the_toy_without_a_bug_passes() {
    let right = || toy(toy::Bug::None);
    tracker::snapshot_never_changes(right);
    tracker::boundary_is_one_rule(right);
    tracker::reader_keeps_only_what_it_needs(right);
    tracker::horizon_follows_the_oldest(right);
    tracker::horizon_advances_without_snapshots(right);
    tracker::what_is_needed_stays_the_rest_goes(right);
    tracker::closing_releases_once(right);
    tracker::panic_of_a_holder_releases_its_snapshot(right);
    tracker::commit_that_panics_leaves_nothing(right);
    tracker::all_places_taken_is_an_error(right);
}
