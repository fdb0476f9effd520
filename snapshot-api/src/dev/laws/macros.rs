//! One line that turns the book into tests.

/// Runs the law book on a strategy: one test for each law, in a module of the given name.
///
/// ```
/// use snapshot_api::dev::models::LockedSet;
///
/// snapshot_api::counting_allocator!();
/// snapshot_api::snapshot_laws!(locked_set, LockedSet, ());
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! snapshot_laws {
    ($module:ident, $strategy:ty, $config:expr $(, and $($more:ident)*)?) => {
        mod $module {
            #[allow(unused_imports, reason = "a type of the prelude needs no import")]
            use super::*;
            $crate::laws_as_tests!($strategy, $config;
                one_instant
                whole_trees
                xmax
                no_late_birth
                monotone_per_observer
                exact
                idempotent_removal
                reuse
                takes_allocate_nothing
                capacity
                progress_beside_a_stalled_thread
                progress_after_a_panic
                bounded_memory
                just_started_is_running
                number_not_before_state
                own_end_is_seen
                boundary_is_one_rule
                finished_list_is_bounded
                restore_lists_once_and_in_order
                burst_of_subtransactions
                unknown_ids_are_running
                lapped_place_is_told_apart
                horizon_waits_for_readers
                managed_memory_is_flat
                $($($more)*)?
            );
        }
    };
}

/// Runs the law book, with the standby's own laws, on a strategy that can play one: a test for each law, in a module of
/// the given name.
///
/// ```
/// use snapshot_api::dev::models::LockedSet;
///
/// snapshot_api::counting_allocator!();
/// snapshot_api::standby_laws!(locked_set, LockedSet, ());
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! standby_laws {
    ($module:ident, $strategy:ty, $config:expr) => {
        $crate::snapshot_laws!($module, $strategy, $config, and forget complete prune standby_is_exact);
    };
}

/// One test for each named law.
#[doc(hidden)]
#[macro_export]
macro_rules! laws_as_tests {
    ($strategy:ty, $config:expr; $($law:ident)*) => {$(
        #[test]
        fn $law() {
            $crate::dev::laws::$law::<$strategy>(&$config);
        }
    )*};
}

/// Runs the threshold's laws on an implementation: one test for each law, in a module of the given name. The last argument
/// makes a new instance.
///
/// ```
/// use snapshot_api::dev::models::LockedThreshold;
///
/// snapshot_api::threshold_laws!(locked_threshold, LockedThreshold, LockedThreshold::default());
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! threshold_laws {
    ($module:ident, $strategy:ty, $new:expr) => {
        mod $module {
            #[allow(unused_imports, reason = "a type of the prelude needs no import")]
            use super::*;
            $crate::threshold_laws_as_tests!($strategy, $new;
                starts_at_zero
                exact
                never_back
                timestamp_before_xid
                prefix
                progress
            );
        }
    };
}

/// One test for each named law.
#[doc(hidden)]
#[macro_export]
macro_rules! threshold_laws_as_tests {
    ($strategy:ty, $new:expr; $($law:ident)*) => {$(
        #[test]
        fn $law() {
            $crate::dev::laws::threshold::$law::<$strategy>(|| $new);
        }
    )*};
}
