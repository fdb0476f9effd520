//! [`Edition`]: everything that a snapshot is, in one immutable object; and [`HierarchicalSnapshot`], which points to one.

use std::sync::Arc;

use snapshot_api::{InstanceId, Snapshot, Xid};

use super::{changes::Change, levels::Levels};

/// The running ids below xmax after some number of changes. Never written while anybody but the writer can see it.
// Its count of readers lies in front of it: on lines of their own, so that those who test visibility do not lose theirs to
// those who come and go. 128 bytes, since x86 fetches lines in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Edition {
    pub(super) levels: Levels,
    pub(super) xmin: Xid,
    pub(super) xmax: Xid,
    /// Counts editions of an instance, from 1.
    pub(super) number: u64,
    /// How many changes of single ids it has seen.
    pub(super) seen: u64,
}

impl Edition {
    /// Nothing has ended and nothing runs.
    pub(super) fn empty() -> Self {
        Edition {
            levels: Levels::default(),
            xmin: Xid::FIRST_NORMAL,
            xmax: Xid::FIRST_NORMAL,
            number: 0,
            seen: 0,
        }
    }

    /// An edition of its own with the same running ids.
    pub(super) fn copy(&self) -> Self {
        Edition { levels: self.levels.copy(), ..*self }
    }

    /// Makes one change.
    pub(super) fn see(&mut self, change: Change) {
        match change {
            Change::Enter(xid) => self.levels.push(xid),
            Change::Leave(xid) => self.levels.remove(xid),
            Change::LeaveBelow(below) => self.levels.remove_below(below),
        }
        self.seen += 1;
    }

    /// All changes are made: the bounds that belong to them.
    pub(super) fn close(&mut self, number: u64, xmax: Xid) {
        self.number = number;
        self.xmax = xmax;
        self.xmin = self.levels.first().unwrap_or(xmax);
    }
}

/// A pointer to an edition. All values taken between two changes point to the same one; it lives until the last of them is
/// dropped or taken into again.
#[derive(Clone, Debug)]
pub struct HierarchicalSnapshot {
    // The edition's number and bounds, here as well: seeing that nothing has changed, and most visibility tests, need
    // no look at the edition.
    pub(super) instance: InstanceId,
    pub(super) number: u64,
    xmin: Xid,
    xmax: Xid,
    edition: Arc<Edition>,
}

impl HierarchicalSnapshot {
    #[inline]
    pub(super) fn new(instance: InstanceId, edition: Arc<Edition>) -> Self {
        let &Edition { number, xmin, xmax, .. } = &*edition;
        HierarchicalSnapshot { instance, number, xmin, xmax, edition }
    }
}

impl Snapshot for HierarchicalSnapshot {
    #[inline]
    fn xmin(&self) -> Xid {
        self.xmin
    }

    #[inline]
    fn xmax(&self) -> Xid {
        self.xmax
    }

    #[inline]
    fn is_running(&self, xid: Xid) -> bool {
        // The bounds decide for most ids: rows are old, or newer than everything that has completed.
        xid >= self.xmax || (xid >= self.xmin && self.edition.levels.contains(xid))
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        self.edition.levels.iter()
    }
}
