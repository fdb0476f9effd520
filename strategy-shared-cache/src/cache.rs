//! [`SharedCache`]: the first reader after a change builds, the others take the finished copy.
//!
//! # Proof of law 1
//!
//! [`changes`](crate::changes) shows what two equal quiet words prove. A take reads the word *after* it was called and uses
//! a copy only if the copy's word is the same and quiet. The copy is exact for the moment at which that word was read, which
//! lies inside the call. Otherwise it builds a snapshot of its own through the strategy below, which is right by that
//! strategy's laws, and offers it to others only if the word was quiet and the same before and after.
//!
//! # Law 5, beside private snapshots
//!
//! One version bumped once, after the end, would break it: a thread builds privately, sees an end whose bump is still to
//! come, and then takes a cached copy from before under the version that has not changed. Here every end adds to the word
//! *before* its work as well, so whoever has seen the work finds a word that no earlier copy has.
//!
//! # Progress
//!
//! Nobody waits for a builder: whoever finds no copy builds one. A builder that stalls or panics leaves the cell as it was.

use std::{mem, sync::Arc};

use snapshot_api::{
    BeginError, Costs, Facts, InstanceId, Progress, Restore, RestoreError, SessionId,
    SnapshotStrategy, Standby, Xid, sync::Mutex,
};

use crate::{
    cell::Cell,
    changes::{Changes, is_quiet},
    shared::{Built, PRIVATE, Shared},
};

/// Shares snapshots of `S` among all who ask before the next change.
///
/// ```
/// use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid};
/// use strategy_baseline::BooleanArray;
/// use strategy_shared_cache::SharedCache;
///
/// let strategy = SharedCache::<BooleanArray>::restore(&Default::default(), Xid::new(9), &[])?;
/// strategy.begin(SessionId::new(0), Xid::new(10))?;
/// strategy.begin(SessionId::new(1), Xid::new(11))?;
/// strategy.end(SessionId::new(1), &[Xid::new(11)]);
///
/// let mut snapshot = strategy.snapshot();
/// strategy.take(&mut snapshot);
/// assert!(snapshot.running().eq([Xid::new(10)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SharedCache<S: SnapshotStrategy> {
    below: S,
    instance: InstanceId,
    changes: Changes,
    /// The last copy that was built for sharing.
    copy: Cell<Built<S::Snapshot>>,
    /// A copy that nobody holds any more, for the next builder. Only ever tried, never waited for.
    spare: Mutex<Option<Arc<Built<S::Snapshot>>>>,
}

impl<S: SnapshotStrategy> SharedCache<S>
where
    S::Snapshot: Sync,
{
    /// Shares snapshots of `below`. Changes must go through the cache from now on.
    pub fn new(below: S) -> Self {
        let empty = Built { word: PRIVATE, snapshot: below.snapshot() };
        SharedCache {
            below,
            instance: InstanceId::unique(),
            changes: Changes::default(),
            copy: Cell::new(Arc::new(empty)),
            spare: Mutex::new(None),
        }
    }

    /// The strategy below, for reading.
    pub fn below(&self) -> &S {
        &self.below
    }

    /// Takes the shared copy if it is of this word, else builds.
    #[inline(never)]
    fn refresh(&self, word: u64, snapshot: &mut Shared<S::Snapshot>) {
        if is_quiet(word) {
            let copy = self.copy.load();
            if copy.word == word {
                self.put(snapshot, Arc::clone(&copy));
                return;
            }
        }
        self.build(snapshot);
    }

    #[cold]
    fn build(&self, snapshot: &mut Shared<S::Snapshot>) {
        let mut built = self.unshared();
        let word = self.changes.word();
        // Nobody else holds it: it was made or found to be so just now.
        if let Some(own) = Arc::get_mut(&mut built) {
            own.word = PRIVATE;
            self.below.take(&mut own.snapshot);
            if is_quiet(word) && self.changes.word() == word {
                own.word = word;
            }
        }
        if built.word != PRIVATE {
            self.copy.store(Arc::clone(&built));
        }
        self.put(snapshot, built);
    }

    /// A copy that nobody else holds: the spare one, or a new one.
    fn unshared(&self) -> Arc<Built<S::Snapshot>> {
        let spare = self.spare.try_lock().and_then(|mut spare| spare.take());
        spare.unwrap_or_else(|| Arc::new(Built { word: PRIVATE, snapshot: self.below.snapshot() }))
    }

    /// Puts a copy into a value; the one that was in it becomes the spare one if nobody holds it.
    fn put(&self, snapshot: &mut Shared<S::Snapshot>, built: Arc<Built<S::Snapshot>>) {
        let mut old = mem::replace(&mut snapshot.built, built);
        if snapshot.instance == self.instance
            && Arc::get_mut(&mut old).is_some()
            && let Some(mut spare) = self.spare.try_lock()
        {
            *spare = Some(old);
        }
        snapshot.instance = self.instance;
        snapshot.word = snapshot.built.word;
    }
}

impl<S: SnapshotStrategy> SnapshotStrategy for SharedCache<S>
where
    S::Snapshot: Sync,
{
    type Snapshot = Shared<S::Snapshot>;

    fn facts(&self) -> Facts {
        let below = self.below.facts();
        Facts {
            name: format!("shared-cache({})", below.name).into(),
            source: "pgsql-hackers: GetSnapshotData round two (a shared snapshot, first one builds)",
            costs: Costs { take: "O(1) if nothing has changed, else as below", ..below.costs },
            // The cell's readers are lock-free; whoever finds no copy does what the strategy below does.
            readers: below.readers.min(Progress::LockFree),
            // A copy, where no spare one is left.
            allocations_per_change: below.allocations_per_change + 1,
            ..below
        }
    }

    fn snapshot(&self) -> Self::Snapshot {
        let empty = Built { word: PRIVATE, snapshot: self.below.snapshot() };
        Shared { instance: self.instance, word: PRIVATE, built: Arc::new(empty) }
    }

    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        // No change: the id lies at or above every snapshot's xmax.
        self.below.begin(session, xid)
    }

    fn end(&self, session: SessionId, tree: &[Xid]) {
        let _change = self.changes.begin();
        self.below.end(session, tree);
    }

    #[inline]
    fn take(&self, snapshot: &mut Self::Snapshot) {
        let word = self.changes.word();
        // A value's word is quiet, or one that no quiet word equals. Both comparisons in one branch: neither is worth its own.
        if (snapshot.word != word) | (snapshot.instance != self.instance) {
            self.refresh(word, snapshot);
        }
    }

    fn lock_waits(&self) -> u64 {
        self.below.lock_waits()
    }
}

impl<S: Restore> Restore for SharedCache<S>
where
    S::Snapshot: Sync,
{
    type Config = S::Config;

    fn restore(
        config: &S::Config,
        latest_completed: Xid,
        running: &[Xid],
    ) -> Result<Self, RestoreError> {
        Ok(Self::new(S::restore(config, latest_completed, running)?))
    }
}

impl<S: Standby> Standby for SharedCache<S>
where
    S::Snapshot: Sync,
{
    fn forget(&self, xids: &[Xid]) {
        let _change = self.changes.begin();
        self.below.forget(xids);
    }

    fn complete(&self, latest: Xid) {
        let _change = self.changes.begin();
        self.below.complete(latest);
    }

    fn prune(&self, below: Xid) {
        let _change = self.changes.begin();
        self.below.prune(below);
    }
}
