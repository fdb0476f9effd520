//! [`SharedCache`]: the first one after a change builds, the others take the finished copy.
//!
//! ```text
//!   word ──► quiet? ──► copy of this word? ──► turn (the policy): build, or look again
//!              │ no           │ yes                    │
//!              ▼              ▼                        ▼
//!        build, private   use it            build; offered if the word stayed
//! ```
//!
//! # Proof of law 1
//!
//! [`changes`](crate::changes) shows what two equal quiet words prove. A take reads the word *after* it was called and uses
//! a copy only if the copy's word is the same and quiet. The copy is exact for the moment at which that word was read, which
//! lies inside the call. Otherwise it builds a snapshot of its own through the strategy below, which is right by that
//! strategy's laws, and offers it to others only if the word was quiet and the same before and after.
//!
//! No policy has a part in this. A [`Waiting`] says who builds and who waits first; which copy may be used, and under which
//! word one is offered, is decided here alone. A wrong policy costs time, never a wrong snapshot. The policies' own proofs,
//! of what they promise beyond the laws, are in their modules.
//!
//! # Law 5, beside private snapshots
//!
//! One version bumped once, after the end, would break it: a thread builds privately, sees an end whose bump is still to
//! come, and then takes a cached copy from before under the version that has not changed. Here every end adds to the word
//! *before* its work as well, so whoever has seen the work finds a word that no earlier copy has.
//!
//! # The cell
//!
//! Words of offered copies only rise there: a builder that was slow does not put its copy over a later one, nor over
//! another's of the same word, which is as good.
//!
//! # Progress
//!
//! A builder that stalls or panics leaves the cell as it was. Whether anybody waits for it is the policy's: under
//! [`Private`] and [`Publish`](crate::Publish) nobody does.

use std::{mem, sync::Arc};

use snapshot_api::{
    BeginError, Facts, InstanceId, Restore, RestoreError, SessionId, SnapshotStrategy, Standby,
    Xid, sync::Mutex,
};

use crate::{
    cell::Cell,
    changes::{Changes, is_quiet},
    shared::{Built, PRIVATE, Shared},
    waiting::{Private, Waiting},
};

/// Shares snapshots of `S` among all who ask before the next change. `W` says who builds the copy and who waits for it.
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
pub struct SharedCache<S: SnapshotStrategy, W = Private> {
    below: S,
    instance: InstanceId,
    changes: Changes,
    /// The last copy that was built for sharing.
    copy: Cell<Built<S::Snapshot>>,
    /// A copy that nobody holds any more, for the next builder. Only ever tried, never waited for.
    spare: Mutex<Option<Arc<Built<S::Snapshot>>>>,
    waiting: W,
}

impl<S: SnapshotStrategy, W: Waiting> SharedCache<S, W>
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
            waiting: W::default(),
        }
    }

    /// The strategy below, for reading.
    pub fn below(&self) -> &S {
        &self.below
    }

    /// Takes the shared copy if it is of this word, else builds or lets another build.
    // Out of the way of a take that finds nothing changed.
    #[cold]
    #[inline(never)]
    fn refresh(&self, word: u64, snapshot: &mut Shared<S::Snapshot>) {
        let mut turn = None;
        if is_quiet(word) {
            if self.share(word, snapshot) {
                return;
            }
            turn = Some(self.waiting.turn(word, || self.changes.word()));
            // The word was read after the call began, however long the turn has taken.
            if W::LOOKS_AGAIN && self.share(word, snapshot) {
                return;
            }
        }
        let built = self.build();
        if built.word != PRIVATE {
            self.offer(Arc::clone(&built));
        }
        drop(turn);
        self.put(snapshot, built);
    }

    /// Takes the shared copy if it is of this quiet word.
    fn share(&self, word: u64, snapshot: &mut Shared<S::Snapshot>) -> bool {
        let copy = self.copy.load();
        let fits = copy.word == word;
        if fits {
            self.put(snapshot, Arc::clone(&copy));
        }
        fits
    }

    /// A new copy that nobody else holds, under the word that it is exact for, or [`PRIVATE`].
    fn build(&self) -> Arc<Built<S::Snapshot>> {
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
        built
    }

    /// A copy that nobody else holds: the spare one, or a new one.
    fn unshared(&self) -> Arc<Built<S::Snapshot>> {
        let spare = self.spare.try_lock().and_then(|mut spare| spare.take());
        spare.unwrap_or_else(|| Arc::new(Built { word: PRIVATE, snapshot: self.below.snapshot() }))
    }

    /// Puts a copy where the others find it, unless one of its word or a later one is there.
    fn offer(&self, built: Arc<Built<S::Snapshot>>) {
        self.keep(self.copy.raise(built, Built::is_newer));
    }

    /// Puts a copy into a value; the one that was in it becomes the spare one if nobody holds it.
    fn put(&self, snapshot: &mut Shared<S::Snapshot>, built: Arc<Built<S::Snapshot>>) {
        let old = mem::replace(&mut snapshot.built, built);
        if snapshot.instance == self.instance {
            self.keep(old);
        }
        snapshot.instance = self.instance;
        snapshot.word = snapshot.built.word;
    }

    /// A copy of this instance becomes the spare one if nobody holds it.
    fn keep(&self, mut old: Arc<Built<S::Snapshot>>) {
        if Arc::get_mut(&mut old).is_some()
            && let Some(mut spare) = self.spare.try_lock()
        {
            *spare = Some(old);
        }
    }

    /// Lets `work` change the set below, and builds the copy if that is the changer's to do.
    fn change(&self, work: impl FnOnce(&S)) {
        let change = self.changes.begin();
        work(&self.below);
        drop(change);
        // While another change is at it nobody could use a copy; that one builds.
        if W::CHANGER_BUILDS && is_quiet(self.changes.word()) {
            let built = self.build();
            if built.word == PRIVATE {
                self.keep(built);
            } else {
                self.offer(built);
            }
        }
    }
}

impl<S: SnapshotStrategy, W: Waiting> SnapshotStrategy for SharedCache<S, W>
where
    S::Snapshot: Sync,
{
    type Snapshot = Shared<S::Snapshot>;

    fn facts(&self) -> Facts {
        let below = self.below.facts();
        W::facts(Facts {
            name: format!("shared-cache({}{})", below.name, W::SUFFIX).into(),
            source: "pgsql-hackers: GetSnapshotData round two (a shared snapshot, first one builds)",
            // A copy, where no spare one is left.
            allocations_per_change: below.allocations_per_change + 1,
            ..below
        })
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
        self.change(|below| below.end(session, tree));
    }

    #[inline]
    fn take(&self, snapshot: &mut Self::Snapshot) {
        let word = self.changes.word();
        // A value's word is quiet and of one instance, or one that no word equals.
        if snapshot.word != word {
            self.refresh(word, snapshot);
        }
    }

    fn lock_waits(&self) -> u64 {
        self.below.lock_waits() + self.waiting.waits()
    }
}

impl<S: Restore, W: Waiting> Restore for SharedCache<S, W>
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

impl<S: Standby, W: Waiting> Standby for SharedCache<S, W>
where
    S::Snapshot: Sync,
{
    fn forget(&self, xids: &[Xid]) {
        self.change(|strategy| strategy.forget(xids));
    }

    fn complete(&self, latest: Xid) {
        self.change(|strategy| strategy.complete(latest));
    }

    fn prune(&self, below: Xid) {
        self.change(|strategy| strategy.prune(below));
    }
}
