//! [`Published`]: the smallest strategy there is. One writer; a snapshot is the last id that ended.

use snapshot_api::{
    BeginError, Costs, Facts, ManagerOptions, Memory, Progress, SessionId, Snapshot,
    SnapshotStrategy, ThresholdStrategy, TransactionManager, Xid,
    sync::{AtomicU64, Ordering},
};

/// The last id that ended; all below it have.
pub(crate) struct Published(AtomicU64);

#[derive(Debug)]
pub(crate) struct Last(Xid);

pub(crate) fn manager<T: ThresholdStrategy>(
    threshold: T,
    options: ManagerOptions,
) -> TransactionManager<Published, T> {
    let strategy = Published(AtomicU64::new(Xid::FROZEN.get()));
    TransactionManager::new(strategy, threshold, options)
}

/// Ends the next id, which everything that is read carries an order by.
pub(crate) fn commit<T: ThresholdStrategy>(manager: &TransactionManager<Published, T>, id: u64) {
    manager.strategy().end(SessionId::new(9), &[Xid::new(id)]);
}

impl SnapshotStrategy for Published {
    type Snapshot = Last;

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

    fn snapshot(&self) -> Last {
        Last(Xid::FROZEN)
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

    fn take(&self, snapshot: &mut Last) {
        // Acquire: pairs with the Release store in `end`.
        snapshot.0 = Xid::new(self.0.load(Ordering::Acquire));
    }
}

impl Snapshot for Last {
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
