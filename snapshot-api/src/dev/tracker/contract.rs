//! [`SnapshotTracker`]: the adapter that an engine writes.

use std::error::Error;

/// What an engine's snapshot tracker does, in the words of the laws. The [module's page](super) has two of them whole.
///
/// A commit has a *number*; a snapshot sees the commits up to some moment. How it says which they are is the tracker's
/// own matter: *up to this number*, or *all but these ids that were running*. An engine that gives its transactions ids
/// when they begin, and ends them later, does all of that in [`commit`](Self::commit); transactions that overlap are
/// commits on several threads.
pub trait SnapshotTracker: Send + Sync + 'static {
    /// An open, registered snapshot: a guard that borrows the tracker or shares it, or a plain token.
    type Snapshot<'a>: Send
    where
        Self: 'a;

    /// One write transaction: takes a number, calls `stamp` with it, which writes the rows, and then makes it visible.
    /// Returns the number.
    ///
    /// Numbers need not be dense, but a transaction that starts when another has returned gets a higher one; 0 is nobody's.
    /// `stamp` never calls the tracker. It may be called under a lock or without one, and may panic.
    fn commit(&self, stamp: impl FnOnce(u64)) -> u64;

    /// Chooses a snapshot and registers it.
    ///
    /// # Errors
    ///
    /// The engine's own, where all places for snapshots are taken.
    fn open(&self) -> Result<Self::Snapshot<'_>, Refused>;

    /// The visibility test: whether the snapshot sees what the commit with this number wrote.
    fn sees(&self, snapshot: &Self::Snapshot<'_>, number: u64) -> bool;

    /// The collector's bound, computed now: every snapshot that is open, and every one opened later, sees every commit
    /// *below* it. What such a commit made obsolete may be removed.
    ///
    /// Where the oldest snapshot sees commits up to 7 it is 8, not 7: what commit 7 itself made obsolete, nobody needs.
    /// Where none is open it is one above the last commit. An engine that removes *up to and with* its own bound adds one.
    fn horizon(&self) -> u64;

    /// Releases a snapshot. Right as it is where dropping it does that; an engine whose snapshots are plain numbers
    /// passes it on. Called once for each snapshot, by any thread, also while that thread unwinds.
    fn close<'a>(&'a self, snapshot: Self::Snapshot<'a>) {
        drop(snapshot);
    }

    /// A write transaction that takes a number and gives up. Right as it is for a tracker whose transactions take a
    /// number when nothing can fail any more.
    fn rollback(&self) {}

    /// How many snapshots may be open at once; `None` where only memory bounds them.
    fn limit(&self) -> Option<usize> {
        None
    }
}

/// Why no snapshot could be opened: the engine's own error, so that `?` is enough in an adapter.
pub type Refused = Box<dyn Error + Send + Sync>;
