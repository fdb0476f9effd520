//! [`ArcSwapVec`]: readers load a pointer to a list that is never changed; every end makes a new one.
//!
//! A begin makes none: the new id lies above everything completed, and from xmax on ids count as running in any case. So only
//! the writers' own list gets it, and the next end publishes it if it lies below xmax then.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use snapshot_api::{
    BeginError, Costs, Facts, ListSnapshot, Memory, Progress, Restore, RestoreError, SessionId,
    Snapshot, SnapshotStrategy, Standby, Xid, check_order, highest_normal, restore_list,
    sync::{Mutex, step},
};

/// A sorted list of running ids behind one atomic pointer, copied by writers.
#[derive(Debug)]
pub struct ArcSwapVec {
    published: ArcSwap<ListSnapshot>,
    writer: Mutex<Writer>,
}

/// What writers share, under their mutex.
#[derive(Debug)]
struct Writer {
    /// In rising order.
    running: Vec<Xid>,
    xmax: Xid,
    /// The highest id begun or completed so far.
    last: Xid,
}

impl Writer {
    fn remove(&mut self, xids: &[Xid]) {
        for xid in xids {
            if let Ok(place) = self.running.binary_search(xid) {
                self.running.remove(place);
            }
        }
    }

    fn complete(&mut self, latest: Xid) {
        self.xmax = self.xmax.max(latest.next());
        self.last = self.last.max(latest);
    }

    /// What readers get to see.
    fn list(&self) -> Arc<ListSnapshot> {
        let below_xmax = self.running.partition_point(|&xid| xid < self.xmax);
        let mut list = ListSnapshot::new();
        list.refill(self.xmax).extend_from_slice(&self.running[..below_xmax]);
        Arc::new(list)
    }
}

impl ArcSwapVec {
    /// One change, published before the next one begins.
    fn change(&self, change: impl FnOnce(&mut Writer)) {
        let mut writer = self.writer.lock();
        change(&mut writer);
        step();
        self.published.store(writer.list());
    }
}

/// A list that other snapshots may hold too.
#[derive(Clone, Debug)]
pub struct SharedList(Arc<ListSnapshot>);

impl Snapshot for SharedList {
    #[inline]
    fn xmin(&self) -> Xid {
        self.0.xmin()
    }

    #[inline]
    fn xmax(&self) -> Xid {
        self.0.xmax()
    }

    #[inline]
    fn is_running(&self, xid: Xid) -> bool {
        self.0.is_running(xid)
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        self.0.running()
    }
}

impl SnapshotStrategy for ArcSwapVec {
    type Snapshot = SharedList;

    fn facts(&self) -> Facts {
        Facts {
            name: "arc-swap-vec".into(),
            source: "off the shelf: arc-swap over a sorted Vec",
            costs: Costs {
                take: "O(1)",
                begin: "O(1) amortised",
                end: "O(running), and an allocation",
                is_running: "O(log running)",
            },
            readers: Progress::LockFree,
            writers: Progress::Blocking,
            unordered_begin: false,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> SharedList {
        SharedList(Arc::new(ListSnapshot::new()))
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        let mut writer = self.writer.lock();
        check_order(xid, writer.last)?;
        writer.running.push(xid);
        writer.last = xid;
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let Some(highest) = highest_normal(tree) else { return };
        self.change(|writer| {
            writer.remove(tree);
            writer.complete(highest);
        });
    }

    fn take(&self, snapshot: &mut SharedList) {
        step();
        let current = self.published.load();
        // The value may hold it already: then nobody's count changes.
        if !Arc::ptr_eq(&current, &snapshot.0) {
            snapshot.0 = Guard::into_inner(current);
        }
    }

    fn lock_waits(&self) -> u64 {
        self.writer.waits()
    }
}

impl Restore for ArcSwapVec {
    type Config = ();

    fn restore(_config: &(), latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let last = running.last().map_or(latest_completed, |&xid| xid.max(latest_completed));
        let writer = Writer { running, xmax: latest_completed.next(), last };
        Ok(ArcSwapVec { published: ArcSwap::new(writer.list()), writer: Mutex::new(writer) })
    }
}

impl Standby for ArcSwapVec {
    fn forget(&self, xids: &[Xid]) {
        self.change(|writer| writer.remove(xids));
    }

    fn complete(&self, latest: Xid) {
        if latest.is_normal() {
            self.change(|writer| writer.complete(latest));
        }
    }

    fn prune(&self, below: Xid) {
        self.change(|writer| writer.running.retain(|&xid| xid >= below));
    }
}
