//! [`SkipList`]: a concurrent ordered set, and a walk over it for each snapshot. The naive way: a walk is not of one instant.
//!
//! What a careful user gets right: xmax is loaded before the walk, so that an id just begun is never taken for ended, and it
//! rises when all ids of a tree are out. What stays wrong: two ends beside one walk, the first behind the walker and the
//! second before it (law 1); and the ids of a tree, which go one by one (law 2). Where a tree lies on both sides of the xmax
//! that the walk began with, half of it has ended in a snapshot that says that it has not completed (law 3).

use std::iter;

use crossbeam_skiplist::SkipSet;
use snapshot_api::{
    BeginError, Costs, Facts, ListSnapshot, Memory, Progress, Restore, RestoreError, SessionId,
    SnapshotStrategy, Standby, Xid, check_order, highest_normal, restore_list,
    sync::{AtomicU64, Ordering, step},
};

/// A concurrent skip list of running ids.
#[derive(Debug)]
pub struct SkipList {
    running: SkipSet<Xid>,
    xmax: AtomicU64,
    /// The highest id begun or completed so far.
    last: AtomicU64,
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
        let mut walk = self.running.range(..bound);
        iter::from_fn(move || {
            step();
            walk.next().map(|entry| *entry)
        })
    }
}

impl SnapshotStrategy for SkipList {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "skip-list".into(),
            source: "off the shelf: crossbeam-skiplist",
            costs: Costs {
                take: "O(running)",
                begin: "O(log running)",
                end: "O(log running)",
                is_running: "O(log running)",
            },
            readers: Progress::LockFree,
            writers: Progress::LockFree,
            unordered_begin: false,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::UnboundedWhileTaking,
        }
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        // Relaxed: who begins a higher id comes after who began or completed the lower ones, by the caller's own order.
        check_order(xid, Xid::new(self.last.load(Ordering::Relaxed)))?;
        step();
        self.running.insert(xid);
        self.last.fetch_max(xid.get(), Ordering::Relaxed);
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        self.remove(tree);
        if let Some(highest) = highest_normal(tree) {
            self.complete(highest);
        }
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        // Acquire: pairs with the Release in `complete`. What began below this xmax is in the set, or has ended.
        let xmax = Xid::new(self.xmax.load(Ordering::Acquire));
        snapshot.refill(xmax).extend(self.below(xmax));
    }
}

impl Restore for SkipList {
    type Config = ();

    fn restore(_config: &(), latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let last = running.last().map_or(latest_completed, |&xid| xid.max(latest_completed));
        Ok(SkipList {
            running: running.into_iter().collect(),
            xmax: AtomicU64::new(latest_completed.next().get()),
            last: AtomicU64::new(last.get()),
        })
    }
}

impl Standby for SkipList {
    fn forget(&self, xids: &[Xid]) {
        self.remove(xids);
    }

    fn complete(&self, latest: Xid) {
        if latest.is_normal() {
            // Relaxed: as in `begin`.
            self.last.fetch_max(latest.get(), Ordering::Relaxed);
            // Release: pairs with the Acquire in `take`. Lower ids have begun, and this tree's are out.
            self.xmax.fetch_max(latest.next().get(), Ordering::Release);
        }
    }

    fn prune(&self, below: Xid) {
        for xid in self.below(below) {
            step();
            self.running.remove(&xid);
        }
    }
}
