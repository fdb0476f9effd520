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
//! | [`snapshot_laws!`](crate::snapshot_laws) | [`Restore`](crate::Restore) | laws 1 to 11, the reported bugs |
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
mod law;
mod macros;
mod memory;
mod mirror;
mod progress;
mod puppet;
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
fn scale(base: usize) -> usize {
    let factor = std::env::var("SNAPSHOT_LAWS_SCALE").ok().and_then(|text| text.parse().ok());
    base * factor.unwrap_or(1_usize).max(1)
}
