//! A home-made spin lock without a guard: a panic inside leaves it taken for ever.

use snapshot_api::{
    BeginError, Facts, ListSnapshot, Restore, RestoreError, SessionId, SnapshotStrategy, Xid,
    dev::models::LockedSet,
    sync::{AtomicBool, AtomicU64, Ordering, spin_loop},
};

#[derive(Debug)]
pub(crate) struct Spinning {
    taken: AtomicBool,
    waits: AtomicU64,
    inner: LockedSet,
}

impl Spinning {
    fn locked<R>(&self, operation: impl FnOnce() -> R) -> R {
        if self.taken.swap(true, Ordering::Acquire) {
            self.waits.fetch_add(1, Ordering::Relaxed);
            // Not for ever, so that the test ends.
            for _ in 0..1_000 {
                spin_loop();
                if !self.taken.swap(true, Ordering::Acquire) {
                    break;
                }
            }
        }
        let result = operation();
        self.taken.store(false, Ordering::Release);
        result
    }
}

impl SnapshotStrategy for Spinning {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts { name: "spinning".into(), source: "made to fail", ..self.inner.facts() }
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.locked(|| self.inner.begin(session, xid))
    }

    fn end(&self, session: SessionId, tree: &[Xid]) {
        self.locked(|| self.inner.end(session, tree));
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        self.locked(|| self.inner.take(snapshot));
    }

    fn lock_waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }
}

impl Restore for Spinning {
    type Config = ();

    fn restore(config: &(), latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        Ok(Spinning {
            taken: AtomicBool::new(false),
            waits: AtomicU64::new(0),
            inner: LockedSet::restore(config, latest, running)?,
        })
    }
}
