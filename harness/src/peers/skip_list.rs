//! [`SkipList`]: a concurrent ordered set, and a walk over it for each snapshot. The naive way: a walk is not of one instant.
//!
//! What a careful user gets right: xmax is loaded before the walk, so that an id just begun is never taken for ended, and it
//! rises when all ids of a tree are out. What stays wrong: two ends beside one walk, the first behind the walker and the
//! second before it (law 1); and the ids of a tree, which go one by one (law 2). Where a tree lies on both sides of the xmax
//! that the walk began with, half of it has ended in a snapshot that says that it has not completed (law 3). And a reader now and
//! then clears away what others have removed, for which crossbeam-epoch allocates (law 8).

use std::iter;

use crossbeam_skiplist::SkipSet;
use snapshot_api::{
    BeginError, Facts, ListSnapshot, Memory, Progress, Restore, RestoreError, SessionId,
    SnapshotStrategy, Standby, Xid, highest_normal, restore_list, sync::step,
};

use super::bounds::Bounds;
use crate::locked_set;

/// A concurrent skip list of running ids.
#[derive(Debug)]
pub struct SkipList {
    running: SkipSet<Xid>,
    bounds: Bounds,
}

impl SkipList {
    fn remove(&self, xids: &[Xid]) {
        for xid in xids {
            step();
            self.running.remove(xid);
        }
    }

    /// The running ids below `bound`, as they are met.
    fn below(&self, bound: Xid) -> impl Iterator<Item = Xid> + '_ {
        // Not the set's own `range`: in 0.1.3 that keeps most nodes that it comes to for ever (crossbeam issue 1178).
        let mut walk = self.running.iter();
        iter::from_fn(move || {
            step();
            walk.next().map(|entry| *entry).filter(|&xid| xid < bound)
        })
    }
}

impl SnapshotStrategy for SkipList {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "skip-list".into(),
            source: "off the shelf: crossbeam-skiplist",
            readers: Progress::LockFree,
            writers: Progress::LockFree,
            memory: Memory::UnboundedWhileTaking,
            ..locked_set::facts()
        }
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.bounds.begin(xid, || {
            step();
            self.running.insert(xid);
        })
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        self.remove(tree);
        if let Some(highest) = highest_normal(tree) {
            self.bounds.complete(highest);
        }
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        let xmax = self.bounds.xmax();
        snapshot.refill(xmax).extend(self.below(xmax));
    }
}

impl Restore for SkipList {
    type Config = ();

    fn restore(_config: &(), latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let bounds = Bounds::new(latest_completed, &running);
        Ok(SkipList { running: running.into_iter().collect(), bounds })
    }
}

impl Standby for SkipList {
    fn forget(&self, xids: &[Xid]) {
        self.remove(xids);
    }

    fn complete(&self, latest: Xid) {
        self.bounds.complete(latest);
    }

    fn prune(&self, below: Xid) {
        for xid in self.below(below) {
            step();
            self.running.remove(&xid);
        }
    }
}
