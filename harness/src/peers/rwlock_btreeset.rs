//! [`RwLockBTreeSet`]: the standard library alone. Readers copy the list side by side; a writer waits for all of them.

use snapshot_api::{
    BeginError, Facts, ListSnapshot, Restore, RestoreError, SessionId, SnapshotStrategy, Standby,
    Xid, highest_normal, sync::RwLock,
};

use crate::locked_set::{self, PlainSet};

/// A sorted set of running ids under a lock for many readers or one writer.
#[derive(Debug)]
pub struct RwLockBTreeSet(RwLock<PlainSet>);

impl SnapshotStrategy for RwLockBTreeSet {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "rwlock-btreeset".into(),
            source: "off the shelf: RwLock<BTreeSet> of the standard library",
            ..locked_set::facts()
        }
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.0.write().begin(xid)
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let mut set = self.0.write();
        set.remove(tree, drop);
        if let Some(highest) = highest_normal(tree) {
            set.complete(highest, false, drop);
        }
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        let set = self.0.read();
        snapshot.refill(set.xmax()).extend(set.listed());
    }

    fn lock_waits(&self) -> u64 {
        self.0.waits()
    }
}

impl Restore for RwLockBTreeSet {
    type Config = ();

    fn restore(_config: &(), latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        PlainSet::restore(latest_completed, running).map(|set| RwLockBTreeSet(RwLock::new(set)))
    }
}

impl Standby for RwLockBTreeSet {
    fn forget(&self, xids: &[Xid]) {
        self.0.write().remove(xids, drop);
    }

    fn complete(&self, latest: Xid) {
        self.0.write().complete(latest, false, drop);
    }

    fn prune(&self, below: Xid) {
        self.0.write().prune(below, drop);
    }
}
