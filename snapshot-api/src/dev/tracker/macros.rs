//! One line that runs the laws on a tracker.

/// Runs every law of [`dev::tracker`](crate::dev::tracker) on an engine's own snapshot tracker: one test for each, in a
/// module of the given name. The last argument makes a new tracker.
///
/// The test binary needs [`counting_allocator!`](crate::counting_allocator) once.
///
/// ```
/// # use snapshot_api::dev::tracker::{Refused, SnapshotTracker};
/// # struct Tracker;
/// # impl Tracker { fn new() -> Self { Tracker } }
/// # impl SnapshotTracker for Tracker {
/// #     type Snapshot<'a> = ();
/// #     fn commit(&self, stamp: impl FnOnce(u64)) -> u64 { stamp(1); 1 }
/// #     fn open(&self) -> Result<(), Refused> { Ok(()) }
/// #     fn sees(&self, _: &(), _: u64) -> bool { true }
/// #     fn horizon(&self) -> u64 { 0 }
/// # }
/// snapshot_api::counting_allocator!();
/// snapshot_api::tracker_laws!(our_tracker, Tracker::new());
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! tracker_laws {
    ($module:ident, $new:expr) => {
        mod $module {
            #[allow(unused_imports, reason = "a type of the prelude needs no import")]
            use super::*;
            $crate::tracker_laws_as_tests!($new;
                collector_never_overtakes_a_reader
                number_not_before_state
                commit_is_seen_whole
                own_commit_is_seen
                snapshot_never_changes
                boundary_is_one_rule
                reader_keeps_only_what_it_needs
                horizon_follows_the_oldest
                horizon_advances_without_snapshots
                horizon_never_goes_back
                what_is_needed_stays_the_rest_goes
                closing_releases_once
                panic_of_a_holder_releases_its_snapshot
                commit_that_panics_leaves_nothing
                all_places_taken_is_an_error
                nothing_grows_without_snapshots
                nothing_grows_beside_snapshots
            );
        }
    };
}

/// One test for each named law.
#[doc(hidden)]
#[macro_export]
macro_rules! tracker_laws_as_tests {
    ($new:expr; $($law:ident)*) => {$(
        #[test]
        fn $law() {
            $crate::dev::tracker::$law(|| $new);
        }
    )*};
}
