//! [`HierarchicalBitmap`]: bits with summary levels, which readers share without a lock.

mod cell;
mod changes;
mod edition;
mod levels;
mod writer;

use std::sync::Arc;

use snapshot_api::{
    BeginError, Costs, Facts, InstanceId, Memory, Progress, Restore, RestoreError, SessionId,
    SnapshotStrategy, Standby, Xid, highest_normal, restore_list,
    sync::{
        AtomicU64, Mutex,
        Ordering::{Acquire, Release},
    },
};

pub use self::edition::HierarchicalSnapshot;
use self::{cell::Cell, edition::Edition, writer::Writer};
use crate::padded::Padded;

/// A sparse bitmap with summary levels: snapshots point to an edition of it.
///
/// ```
/// use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid};
/// use strategy_bitmap::HierarchicalBitmap;
///
/// let bitmap = HierarchicalBitmap::restore(&(), Xid::new(9), &[Xid::new(7)])?;
/// let session = SessionId::new(0);
/// for id in 10..1_000_000 {
///     bitmap.begin(session, Xid::new(id))?;
///     bitmap.end(session, &[Xid::new(id)]);
/// }
/// let mut snapshot = bitmap.snapshot();
/// bitmap.take(&mut snapshot);
/// assert_eq!((snapshot.xmin(), snapshot.xmax()), (Xid::new(7), Xid::new(1_000_000)));
/// assert!(snapshot.running().eq([Xid::new(7)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct HierarchicalBitmap {
    instance: InstanceId,
    writer: Padded<Mutex<Writer>>,
    /// The newest edition.
    root: Padded<Cell<Edition>>,
    /// Its number, or that of the next one. Written under the writers' lock, before the root.
    number: Padded<AtomicU64>,
    /// What an empty value points to.
    empty: Arc<Edition>,
}

impl HierarchicalBitmap {
    /// Makes a change and publishes it as the next edition.
    fn change(&self, change: impl FnOnce(&mut Writer)) {
        let mut writer = self.writer.lock();
        change(&mut writer);
        let next = writer.next(|| self.root.load());
        // Release: pairs with the Acquire load in `take`. Before the root: whoever has an edition finds a number that is
        // no lower than the edition's own.
        self.number.store(writer.number(), Release);
        let old = self.root.swap(next);
        writer.retire(old);
    }

    /// Apart from `take`, so that an unchanged snapshot costs a load and not a call.
    #[inline(never)]
    fn point(&self, snapshot: &mut HierarchicalSnapshot) {
        *snapshot = HierarchicalSnapshot::new(self.instance, self.root.load());
    }
}

impl SnapshotStrategy for HierarchicalBitmap {
    type Snapshot = HierarchicalSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "hierarchical-bitmap".into(),
            source: "ours: the thread's bitmap with summary levels, immutable under one root pointer",
            costs: Costs {
                take: "O(1)",
                begin: "O(1) amortised",
                end: "O(log running) amortised; O(running) where readers keep the last editions",
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

    fn snapshot(&self) -> HierarchicalSnapshot {
        HierarchicalSnapshot::new(InstanceId::NONE, Arc::clone(&self.empty))
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        // Nothing to publish: the id lies at or above the xmax of every snapshot there is.
        self.writer.lock().begin(xid)
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        if let Some(highest) = highest_normal(tree) {
            self.change(|writer| writer.complete(highest, tree));
        }
    }

    #[inline]
    fn take(&self, snapshot: &mut HierarchicalSnapshot) {
        // Acquire: pairs with the Release store in `change`.
        let number = self.number.load(Acquire);
        // Both comparisons in one branch: neither is worth its own.
        if (snapshot.number != number) | (snapshot.instance != self.instance) {
            self.point(snapshot);
        }
    }

    fn lock_waits(&self) -> u64 {
        self.writer.waits()
    }
}

impl Restore for HierarchicalBitmap {
    type Config = ();

    fn restore(_config: &(), latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let (writer, first) = Writer::new(latest_completed, running);
        Ok(HierarchicalBitmap {
            instance: InstanceId::unique(),
            number: Padded(AtomicU64::new(writer.number())),
            writer: Padded(Mutex::new(writer)),
            root: Padded(Cell::new(first)),
            empty: Arc::new(Edition::empty()),
        })
    }
}

impl Standby for HierarchicalBitmap {
    fn forget(&self, xids: &[Xid]) {
        self.change(|writer| writer.forget(xids));
    }

    fn complete(&self, latest: Xid) {
        if latest.is_normal() {
            self.change(|writer| writer.complete(latest, &[]));
        }
    }

    fn prune(&self, below: Xid) {
        self.change(|writer| writer.prune(below));
    }
}

#[cfg(test)]
mod tests {
    use snapshot_api::Snapshot;

    use super::*;

    /// Were the root looked at, it would show: it is changed here behind the number's back.
    #[test]
    fn an_unchanged_take_looks_at_the_number_alone() {
        let bitmap =
            HierarchicalBitmap::restore(&(), Xid::new(9), &[]).expect("nothing is bounded");
        let mut value = bitmap.snapshot();
        bitmap.take(&mut value);
        let right = bitmap.root.swap(Arc::new(Edition::empty()));
        bitmap.begin(SessionId::new(0), Xid::new(10)).expect("in order");
        bitmap.take(&mut value);
        assert_eq!(value.xmax(), Xid::new(10), "a begin publishes nothing");
        bitmap.root.swap(right);
        bitmap.end(SessionId::new(0), &[Xid::new(10)]);
        bitmap.take(&mut value);
        assert_eq!(value.xmax(), Xid::new(11));
    }
}
