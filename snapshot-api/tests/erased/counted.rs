//! Two strategy types with one snapshot type, which know nothing of each other.

use std::sync::{Arc, atomic::AtomicU64 as Count};

use snapshot_api::{
    BeginError, Facts, ListSnapshot, Restore, RestoreError, SessionId, Snapshot, SnapshotStrategy,
    Xid,
    dev::models::LockedSet,
    sync::{AtomicU64, Ordering},
};

/// How many instances of each type were made.
static MADE: [Count; 3] = [const { Count::new(0) }; 3];

/// A sorted set for one thread that takes a value for current by its instance's number within the *type* and by the number
/// of ends: law 8 asks no more. Its values hold something of it.
#[derive(Debug)]
pub(crate) struct Counted<const TYPE: usize> {
    set: LockedSet,
    instance: u64,
    ends: AtomicU64,
    pub(crate) held: Arc<()>,
}

/// A list, the instance and the number of ends that it is from, and what it holds.
#[derive(Debug)]
pub(crate) struct CountedSnapshot {
    list: ListSnapshot,
    from: Option<(u64, u64)>,
    _held: Arc<()>,
}

impl Snapshot for CountedSnapshot {
    fn xmin(&self) -> Xid {
        self.list.xmin()
    }
    fn xmax(&self) -> Xid {
        self.list.xmax()
    }
    fn is_running(&self, xid: Xid) -> bool {
        self.list.is_running(xid)
    }
    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        self.list.running()
    }
}

impl<const TYPE: usize> SnapshotStrategy for Counted<TYPE> {
    type Snapshot = CountedSnapshot;

    fn facts(&self) -> Facts {
        self.set.facts()
    }
    fn snapshot(&self) -> CountedSnapshot {
        CountedSnapshot { list: self.set.snapshot(), from: None, _held: Arc::clone(&self.held) }
    }
    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.set.begin(session, xid)
    }
    fn end(&self, session: SessionId, tree: &[Xid]) {
        self.set.end(session, tree);
        // Relaxed, as all that follow: one thread.
        self.ends.fetch_add(1, Ordering::Relaxed);
    }
    fn take(&self, snapshot: &mut CountedSnapshot) {
        let now = Some((self.instance, self.ends.load(Ordering::Relaxed)));
        if snapshot.from != now {
            self.set.take(&mut snapshot.list);
            snapshot.from = now;
        }
    }
}

impl<const TYPE: usize> Restore for Counted<TYPE> {
    type Config = ();

    fn restore(config: &(), latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let set = LockedSet::restore(config, latest, running)?;
        let instance = MADE[TYPE].fetch_add(1, Ordering::Relaxed);
        Ok(Counted { set, instance, ends: AtomicU64::new(0), held: Arc::new(()) })
    }
}
