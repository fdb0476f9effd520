//! [`View`]: what a transaction sees, to be asked again and again.

use std::fmt;

use crate::{
    PinnedSnapshot, Snapshot, SnapshotStrategy, SnapshotTooOld, ThresholdStrategy, Xid,
    manager::levels::Levels,
};

/// A transaction's snapshot together with its own ids, lent out by [`Transaction::view`](crate::Transaction::view): for a walk
/// over the versions of a row.
pub struct View<'t, S: SnapshotStrategy, T> {
    pub(super) snapshot: &'t PinnedSnapshot<S, T>,
    pub(super) own: &'t Levels,
}

impl<'t, S: SnapshotStrategy, T: ThresholdStrategy> View<'t, S, T> {
    /// Whether it sees what `writer` wrote, if that transaction committed: one of its own ids, or one that had ended before its
    /// snapshot.
    #[inline]
    pub fn sees(&self, writer: Xid) -> bool {
        self.own.contains(writer) || !self.snapshot.is_running(writer)
    }

    /// See [`PinnedSnapshot::check`]: after each page that was read.
    ///
    /// # Errors
    ///
    /// The snapshot is too old.
    #[inline]
    pub fn check(&self) -> Result<(), SnapshotTooOld> {
        self.snapshot.check()
    }

    /// The snapshot.
    pub fn snapshot(&self) -> &'t PinnedSnapshot<S, T> {
        self.snapshot
    }
}

impl<S: SnapshotStrategy, T> Clone for View<'_, S, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: SnapshotStrategy, T> Copy for View<'_, S, T> {}

impl<S: SnapshotStrategy, T> fmt::Debug for View<'_, S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("snapshot", self.snapshot)
            .field("own", &self.own.ids())
            .finish()
    }
}
