//! [`Published`]: the smallest strategy there is. One writer; a snapshot is the last id that ended.

use crate::{
    BeginError, Costs, Facts, Memory, Progress, SessionId, Snapshot, SnapshotStrategy, Xid,
    sync::{AtomicU64, Ordering},
};

/// The last id that ended; all below it have. For models and tests of what stands above a strategy: it blocks nobody, and has
/// one step an operation. Whoever ends ids does so in rising order, one after the other.
///
/// ```
/// use snapshot_api::{SessionId, Snapshot, SnapshotStrategy, Xid, dev::models::Published};
///
/// let published = Published::default();
/// let mut snapshot = published.snapshot();
/// published.end(SessionId::new(0), &[Xid::new(7)]);
/// published.take(&mut snapshot);
/// assert!(!snapshot.is_running(Xid::new(7)) && snapshot.is_running(Xid::new(8)));
/// ```
#[derive(Debug)]
pub struct Published(AtomicU64);

/// What had ended: all ids up to this one.
#[derive(Debug)]
pub struct LastEnded(Xid);

impl Default for Published {
    fn default() -> Self {
        Published(AtomicU64::new(Xid::FROZEN.get()))
    }
}

impl SnapshotStrategy for Published {
    type Snapshot = LastEnded;

    fn facts(&self) -> Facts {
        Facts {
            name: "published".into(),
            source: "a model",
            costs: Costs { take: "O(1)", begin: "O(1)", end: "O(1)", is_running: "O(1)" },
            readers: Progress::WaitFree,
            writers: Progress::WaitFree,
            unordered_begin: true,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> LastEnded {
        LastEnded(Xid::FROZEN)
    }

    fn begin(&self, _session: SessionId, _xid: Xid) -> Result<(), BeginError> {
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        for xid in tree {
            // Release: pairs with the Acquire load in `take`.
            self.0.store(xid.get(), Ordering::Release);
        }
    }

    fn take(&self, snapshot: &mut LastEnded) {
        // Acquire: pairs with the Release store in `end`.
        snapshot.0 = Xid::new(self.0.load(Ordering::Acquire));
    }
}

impl Snapshot for LastEnded {
    fn xmin(&self) -> Xid {
        self.0.next()
    }

    fn xmax(&self) -> Xid {
        self.0.next()
    }

    fn is_running(&self, xid: Xid) -> bool {
        xid > self.0
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        std::iter::empty()
    }
}
