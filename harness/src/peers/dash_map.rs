//! [`ShardedMap`]: a concurrent hash map, walked over and sorted for each snapshot. The naive way once more, with locks.
//!
//! A walk holds the lock of the part that it stands in, and no other: what the skip list gets wrong is wrong here too, and
//! the parts are in no order, so that a walk meets all ids, also those from xmax on. Besides, the map allocates a guard for
//! each part that a walk comes to (law 8).

use dashmap::{DashMap, mapref::entry::Entry};
use snapshot_api::{
    BeginError, Costs, Facts, ListSnapshot, Restore, RestoreError, SessionId, SnapshotStrategy,
    Standby, Xid, highest_normal, restore_list,
    sync::{AtomicU64, Ordering, spin_loop, step},
};

use super::bounds::Bounds;
use crate::locked_set;

/// A concurrent hash map of running ids, in parts with a lock each.
#[derive(Debug)]
pub struct ShardedMap {
    running: DashMap<Xid, ()>,
    bounds: Bounds,
    waits: AtomicU64,
}

impl ShardedMap {
    /// The id's place. Tries first, as all locks do here, so that waits are counted.
    fn entry(&self, xid: Xid) -> Entry<'_, Xid, ()> {
        step();
        self.running.try_entry(xid).unwrap_or_else(|| {
            // Relaxed: a statistic.
            self.waits.fetch_add(1, Ordering::Relaxed);
            // The map waits by itself, and tells nobody.
            spin_loop();
            self.running.entry(xid)
        })
    }

    fn remove(&self, xids: &[Xid]) {
        for &xid in xids {
            if let Entry::Occupied(place) = self.entry(xid) {
                place.remove();
            }
        }
    }

    /// The running ids below `bound`, as they are met.
    fn below(&self, bound: Xid) -> impl Iterator<Item = Xid> + '_ {
        step();
        self.running
            .iter()
            .map(|place| {
                step();
                *place.key()
            })
            .filter(move |&xid| xid < bound)
    }
}

impl SnapshotStrategy for ShardedMap {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "dashmap".into(),
            source: "off the shelf: dashmap",
            costs: Costs {
                take: "O(places), and sorting",
                begin: "O(1) amortised",
                end: "O(1)",
                is_running: "O(log running)",
            },
            ..locked_set::facts()
        }
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.bounds.begin(xid, || drop(self.entry(xid).or_insert(())))
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        self.remove(tree);
        if let Some(highest) = highest_normal(tree) {
            self.bounds.complete(highest);
        }
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        let xmax = self.bounds.xmax();
        let running = snapshot.refill(xmax);
        running.extend(self.below(xmax));
        running.sort_unstable();
    }

    fn lock_waits(&self) -> u64 {
        // Relaxed: a statistic.
        self.waits.load(Ordering::Relaxed)
    }
}

impl Restore for ShardedMap {
    type Config = ();

    fn restore(_config: &(), latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let bounds = Bounds::new(latest_completed, &running);
        Ok(ShardedMap {
            running: running.into_iter().map(|xid| (xid, ())).collect(),
            bounds,
            waits: AtomicU64::new(0),
        })
    }
}

impl Standby for ShardedMap {
    fn forget(&self, xids: &[Xid]) {
        self.remove(xids);
    }

    fn complete(&self, latest: Xid) {
        self.bounds.complete(latest);
    }

    fn prune(&self, below: Xid) {
        // Who walks holds a lock that the removal wants.
        let gone: Vec<Xid> = self.below(below).collect();
        self.remove(&gone);
    }
}
