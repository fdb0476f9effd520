//! The law book: every law of [`crate::strategy`] and [`crate::threshold`] as a test that any implementation can run.
//!
//! One line in `tests/conformance.rs` runs the whole book on a strategy; each law is a test of its own name:
//!
//! ```
//! use snapshot_api::dev::models::LockedSet;
//!
//! snapshot_api::counting_allocator!();
//! snapshot_api::standby_laws!(locked_set, LockedSet, ());
//! # fn main() {}
//! ```
//!
//! | macro | for | runs |
//! |---|---|---|
//! | [`snapshot_laws!`](crate::snapshot_laws) | [`Restore`] | laws 1 to 11, the reported bugs |
//! | [`standby_laws!`](crate::standby_laws) | [`Standby`](crate::Standby) | the same, and the standby's own |
//! | [`threshold_laws!`](crate::threshold_laws) | [`ThresholdStrategy`](crate::ThresholdStrategy) | laws a to c, progress |
//!
//! # How a law is decided
//!
//! - *Sequential laws* play random scripts on the subject and on [`LockedSet`](crate::dev::models::LockedSet) side by side
//!   and compare; a script that breaks a law is shrunk to a short one.
//! - *Concurrent laws* record histories of two ending and two reading threads, and decide each history as a whole. Besides,
//!   they play every interleaving in which up to two operations stop once, at each of their steps: the same at every run.
//!   Steps come from [`crate::sync`] and exist in debug builds alone; in a release build only the free-running threads
//!   remain.
//! - *Progress* is decided by stalling a thread at each step of each operation and seeing whether the others say that they
//!   wait. Nothing sleeps, nothing is timed.
//!
//! # Reported bugs
//!
//! What engines shipped, and the test that such a bug would fail here.
//!
//! | reported | test |
//! |---|---|
//! | number and root captured separately (redb 1432) | [`one_instant`], [`number_not_before_state`] |
//! | list read before xmax (memflux 10) | [`one_instant`], [`just_started_is_running`] |
//! | next id read before the one below was published (PostgreSQL 74fc8386); counter raised before the id stood in the table (WiredTiger WT-2241) | [`Assigner`](crate::Assigner): its tests and its model |
//! | just started, left out, later seen as committed (gpdb 4643) | [`just_started_is_running`], [`no_late_birth`] |
//! | a tree's ids stamped one by one (turso 5136, 5660) | [`whole_trees`] |
//! | number published before its state (orioledb 1061) | [`number_not_before_state`] |
//! | my commit returned, my next snapshot lacks it (typedb 7254) | [`own_end_is_seen`] |
//! | `<` in one place, `<=` in another (matrixone 11677) | [`boundary_is_one_rule`], [`exact`] |
//! | list of finished transactions grows while nothing is active (slatedb 1379) | [`finished_list_is_bounded`], [`managed_memory_is_flat`] |
//! | a reader chooses its snapshot, the collector sees nobody, the reader registers (surrealmx 76, turso 8992, slatedb 1298, cubrid 98) | [`horizon_waits_for_readers`]; [`manager`](crate::manager) has the models |
//! | all slots in use: panic (meilisearch 2648) | [`capacity`] |
//! | a running id listed twice (PostgreSQL 1df21ddb), the list sorted wrongly (fb2f8e53) | [`restore_lists_once_and_in_order`] |
//! | a burst of subtransactions overruns the array (neon 7855) | [`burst_of_subtransactions`], [`capacity`] |
//! | a start takes unknown ids as aborted (neon 7288) | [`unknown_ids_are_running`] |
//! | an id before epoch 0 widened to the far future (PostgreSQL b3a83055), 0xFFFFFFFF + 1 (neon 6412), an id older than 2³¹ | [`FullXid`](crate::FullXid): its tests |
//! | a lapped place of a ring reads as running (tidesdb 651) | [`lapped_place_is_told_apart`] |
//! | two setters of the threshold, the later one with the older minute (PostgreSQL) | [`threshold::never_back`] |
//! | pruned rows read without an error (PostgreSQL's old-snapshot threshold) | [`threshold::timestamp_before_xid`] |
//!
//! # How much
//!
//! `SNAPSHOT_LAWS_SCALE=n` multiplies the number of scripts and histories by n.
//!
//! # What a subject must offer
//!
//! Room for 16 sessions and 256 running ids, and for law 11 a configuration whose memory has settled after 200,000
//! transactions.

mod capacity;
mod cases;
mod exact;
mod history;
mod idempotent;
mod instant;
mod late_birth;
pub(crate) mod law;
mod macros;
mod managed;
mod memory;
mod mirror;
mod progress;
pub(crate) mod puppet;
mod recorder;
mod reuse;
mod standby;
pub mod threshold;

pub use capacity::capacity;
pub use cases::{
    boundary_is_one_rule, burst_of_subtransactions, finished_list_is_bounded,
    just_started_is_running, lapped_place_is_told_apart, number_not_before_state, own_end_is_seen,
    restore_lists_once_and_in_order, unknown_ids_are_running,
};
pub use exact::exact;
pub use idempotent::idempotent_removal;
pub use instant::{monotone_per_observer, one_instant, whole_trees, xmax};
pub use late_birth::no_late_birth;
pub use managed::{horizon_waits_for_readers, managed_memory_is_flat};
pub use memory::{bounded_memory, takes_allocate_nothing};
pub use progress::{progress_after_a_panic, progress_beside_a_stalled_thread};
pub use reuse::reuse;
pub use standby::{complete, forget, prune, standby_is_exact};

use std::{panic::resume_unwind, thread};

pub(crate) use puppet::Random;

use crate::{Restore, Xid};

/// The first id of every history: enough room below for ids that ended before it.
const START: Xid = Xid::new(100);

/// How many sessions a subject must offer.
const SESSIONS: u32 = 16;

/// An instance in which everything before [`START`] has ended.
fn fresh<S: Restore>(config: &S::Config) -> S {
    match S::restore(config, START.prev(), &[]) {
        Ok(subject) => subject,
        Err(refused) => panic!("an empty state can always be restored: {refused}"),
    }
}

/// Waits for all threads and passes the first panic on, so that a law broken on a thread fails the test in its name.
fn join_all<R>(threads: Vec<thread::ScopedJoinHandle<'_, R>>) -> Vec<R> {
    let ended: Vec<thread::Result<R>> =
        threads.into_iter().map(thread::ScopedJoinHandle::join).collect();
    let passed_on = |ended: thread::Result<R>| ended.unwrap_or_else(|panic| resume_unwind(panic));
    ended.into_iter().map(passed_on).collect()
}

/// `base` times the factor in `SNAPSHOT_LAWS_SCALE`.
pub(crate) fn scale(base: usize) -> usize {
    let factor = std::env::var("SNAPSHOT_LAWS_SCALE").ok().and_then(|text| text.parse().ok());
    base * factor.unwrap_or(1_usize).max(1)
}
