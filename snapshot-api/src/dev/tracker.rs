//! Laws for an engine's own snapshot tracker: the two hundred lines that every multi-version engine writes.
//!
//! Such a tracker chooses the number that a reader reads at, registers it, so that the garbage collector keeps what the
//! reader needs, and computes the collector's horizon. An engine keeps its own, writes an adapter of twenty lines,
//! [`SnapshotTracker`], and runs the laws on it: one line, a test for each law.
//!
//! ```text
//!   numbers    1   2   3   4   5   6   7   8
//!   commits    ●   ●   ●   ●   ●   ●   ●
//!   open               A       B                A sees 1 to 3, B sees 1 to 5
//!   horizon                4                    everybody sees what is below it
//!
//!   a row      version of 2 ─────► version of 4 ─────► version of 7
//!              obsolete by 4       obsolete by 7       newest
//!              stays: A needs it   stays: B needs it   stays
//! ```
//!
//! **The one rule.** The horizon is a promise: every snapshot that is open, and every one that is opened later, sees every
//! commit below it. A version may be removed when the commit that made it *obsolete* lies below the horizon; its own age
//! says nothing.
//!
//! # A tracker that passes
//!
//! The whole file, in `tests/tracker/map.rs`:
//!
//! ```
#![doc = include_str!("../../tests/tracker/map.rs")]
//! # fn main() {
//! #     use snapshot_api::dev::tracker;
//! #     tracker::boundary_is_one_rule(Tracker::default);
//! #     tracker::reader_keeps_only_what_it_needs(Tracker::default);
//! #     tracker::commit_that_panics_leaves_nothing(Tracker::default);
//! # }
//! ```
//!
//! In the engine's tests, one file:
//!
//! ```text
//! snapshot_api::counting_allocator!();
//! snapshot_api::tracker_laws!(our_tracker, Tracker::default());
//! ```
//!
//! # A tracker that fails
//!
//! Two locks instead of one, `tests/tracker/race.rs`. It works for years.
//!
//! ```
#![doc = include_str!("../../tests/tracker/race.rs")]
//!
//! fn main() {
//!     use snapshot_api::dev::tracker::collector_never_overtakes_a_reader;
//!
//!     let law = || collector_never_overtakes_a_reader(Tracker::default);
//!     let broken = std::panic::catch_unwind(law).expect_err("the law finds the race");
//!     let said = broken.downcast_ref::<String>().expect("a message");
//!     assert!(said.starts_with("tracker law (the collector never overtakes a reader) is broken: "));
//! }
//! ```
//!
//! # The adapter
//!
//! | the engine has | the adapter |
//! |---|---|
//! | guards that borrow the tracker, or share it | `type Snapshot<'a> = Guard<'a>`, or `= Guard` |
//! | a number to give back | `type Snapshot<'a> = u64`, and [`close`](SnapshotTracker::close) |
//! | a horizon that the collector removes *up to* | adds one |
//! | a horizon that is raised now and then | raises it, then returns it |
//! | ids from a transaction's begin | begins, stamps and ends in [`commit`](SnapshotTracker::commit) |
//! | transactions that take a number and may give up | [`rollback`](SnapshotTracker::rollback) |
//! | a fixed number of places for readers | [`limit`](SnapshotTracker::limit), at least 4 |
//!
//! # Reported bugs
//!
//! What engines shipped, and the law that such a bug fails.
//!
//! | reported | law |
//! |---|---|
//! | the collector runs between choosing and registering (surrealmx 76, turso 8992); a commit in between is not recorded (slatedb 1298); a scan for the oldest overtakes a reader (cubrid 98) | [`collector_never_overtakes_a_reader`] |
//! | number and root captured separately (redb 1432) | [`number_not_before_state`], [`snapshot_never_changes`] |
//! | number published before its state (orioledb 1061) | [`number_not_before_state`] |
//! | half of a commit visible (turso 5136, 5660); ids read before xmax (memflux 10) | [`commit_is_seen_whole`] |
//! | my commit returned, my next snapshot lacks it (typedb 7254) | [`own_commit_is_seen`] |
//! | `<` in one place, `<=` in another (matrixone 11677) | [`boundary_is_one_rule`] |
//! | a rollback sets the horizon back (orioledb 889) | [`horizon_never_goes_back`] |
//! | no snapshot ever opened: the horizon stands still (fjall 86) | [`horizon_advances_without_snapshots`] |
//! | a reader at N keeps what N itself freed (redb 830) | [`reader_keeps_only_what_it_needs`] |
//! | the newest version below the cutoff removed (cockroach 6573); versions between two snapshots (slatedb 1376) | [`what_is_needed_stays_the_rest_goes`] |
//! | a list of what has finished grows while nothing is active (slatedb 1379) | [`nothing_grows_without_snapshots`], [`nothing_grows_beside_snapshots`] |
//! | a commit dropped half way leaves its lock or its pin (turso 6755) | [`commit_that_panics_leaves_nothing`], [`panic_of_a_holder_releases_its_snapshot`], [`closing_releases_once`] |
//! | all places taken: panic (meilisearch 2648) | [`all_places_taken_is_an_error`] |
//!
//! # How a law is decided
//!
//! The laws keep a small store of row versions beside the tracker, and look into it through the tracker's snapshots.
//!
//! - *Races* are looked for by threads that run freely, more of them than there are cores, so that some are always
//!   interrupted between two lines; nothing need be known of the code. A law stops at the first thing that it finds.
//! - A tracker whose atomics and locks are those of [`crate::sync`], all of them, is stopped besides at each of its steps
//!   while others run, in a debug build: the same interleavings at every run.
//! - *Boundaries* are decided by scripts of one thread.
//!
//! Threads that run freely find a lock that is taken twice in a fraction of a second, and a window of two machine
//! instructions only by luck: a horizon that walks the places before it reads the last number, or two readers that claim one
//! place, are found for certain in trackers with steps alone. A race that only a weak memory order opens is not found for
//! certain in any: for that there are model checkers.
//!
//! `SNAPSHOT_LAWS_SCALE=n` multiplies the rounds and the scripts by n.

mod contract;
mod crowd;
mod held;
mod horizon;
mod kept;
mod macros;
mod memory;
mod overtaken;
mod publication;
mod release;
mod slots;
mod stage;
mod stepped;

use super::laws::{law, puppet, scale};

pub use contract::{Refused, SnapshotTracker};
pub use horizon::{
    boundary_is_one_rule, horizon_advances_without_snapshots, horizon_follows_the_oldest,
    horizon_never_goes_back, reader_keeps_only_what_it_needs,
};
pub use kept::{snapshot_never_changes, what_is_needed_stays_the_rest_goes};
pub use memory::{nothing_grows_beside_snapshots, nothing_grows_without_snapshots};
pub use overtaken::collector_never_overtakes_a_reader;
pub use publication::{commit_is_seen_whole, number_not_before_state, own_commit_is_seen};
pub use release::{
    closing_releases_once, commit_that_panics_leaves_nothing,
    panic_of_a_holder_releases_its_snapshot,
};
pub use slots::all_places_taken_is_an_error;
