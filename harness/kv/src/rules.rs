//! [`Rules`]: the four decisions on which isolation hangs, each in one place.
//!
//! Everything else in this crate is book-keeping. The defaults are snapshot isolation. A test replaces one of them by a wrong
//! one, in the very engine that the others run in, and the history test has to find it and name the anomaly
//! (`tests/history/seeded.rs`).
//!
//! Behind a `dyn`: a fifth parameter on every type of this crate, for the sake of tests, would cost a reader more than the
//! call costs beside the lock of a shard.

use snapshot_api::{Outcome, Xid};

/// The decisions of a store on which isolation hangs. The defaults are snapshot isolation, and right. They can be replaced so that a
/// test may get one of them wrong and see that it is found: [`Store::with_rules`](crate::Store::with_rules).
pub trait Rules: Send + Sync {
    /// Whether a reader takes a version. `sees`: its transaction sees the writer.
    fn reads(&self, sees: bool) -> bool {
        sees
    }

    /// Whether a new version may be put on top of the newest one. `sees`: the transaction sees that one's writer.
    ///
    /// If it does not, the other one has committed since this one's snapshot, and would be lost (*first committer wins*), or it
    /// is running. Then it may yet abort, but nobody waits to find out (*first updater wins*): so there are no deadlocks, and a
    /// transaction may give way to one that comes to nothing.
    fn overwrites(&self, sees: bool) -> bool {
        sees
    }

    /// The first version of a chain that is kept. `base`: the newest one that every snapshot sees. It is what they read of the
    /// key, unless they see a newer one, so that it stays and all before it may go (cockroach 6573).
    fn first_kept(&self, base: usize) -> usize {
        base
    }

    /// What happens before ids end. `settle` takes away what they wrote where they are aborted, and marks it for collection
    /// where they are committed.
    ///
    /// It must have returned before the ids end. From then on every new snapshot sees them, and a snapshot does not know who
    /// aborted: what still stands there counts as committed.
    fn before_end(&self, outcome: Outcome, ids: &[Xid], settle: &dyn Fn(Outcome, &[Xid])) {
        settle(outcome, ids);
    }
}

/// The right ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SnapshotIsolation;

impl Rules for SnapshotIsolation {}
