//! A set that counts how often it is taken from, and panics there when it is told to.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

use snapshot_api::{
    BeginError, Facts, ListSnapshot, Restore, SessionId, SnapshotStrategy, Xid,
    dev::models::LockedSet,
};
use strategy_shared_cache::{SharedCache, Waiting};

use super::{ONE, OTHER};

/// Two ids run in it. The counts are the standard library's: models need not explore them.
pub(crate) struct Tally {
    below: LockedSet,
    takes: AtomicUsize,
    panics: AtomicBool,
}

impl Tally {
    /// A cache over one.
    pub(crate) fn cached<W: Waiting>() -> Arc<SharedCache<Self, W>> {
        let below = LockedSet::restore(&(), OTHER, &[ONE, OTHER]).expect("two ids run");
        let tally = Tally { below, takes: AtomicUsize::new(0), panics: AtomicBool::new(false) };
        Arc::new(SharedCache::new(tally))
    }

    /// How many takes there were.
    pub(crate) fn takes(&self) -> usize {
        self.takes.load(Relaxed)
    }

    /// The next take panics.
    pub(crate) fn panic_once(&self) {
        self.panics.store(true, Relaxed);
    }
}

impl SnapshotStrategy for Tally {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        self.below.facts()
    }

    fn snapshot(&self) -> ListSnapshot {
        self.below.snapshot()
    }

    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.below.begin(session, xid)
    }

    fn end(&self, session: SessionId, tree: &[Xid]) {
        self.below.end(session, tree);
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        self.takes.fetch_add(1, Relaxed);
        assert!(!self.panics.swap(false, Relaxed), "as it was told");
        self.below.take(snapshot);
    }
}
