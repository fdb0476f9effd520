//! [`PinnedSnapshot`] and [`SharedSnapshot`]: a snapshot that holds the horizon back while somebody uses it.

use std::{fmt, ops::Deref, sync::Arc};

use crate::{
    Snapshot, SnapshotStrategy, SnapshotTooOld, ThresholdStrategy, Timestamp, Xid,
    manager::{clock::since, pins::Claimed, sessions::Owner, shared::Shared},
};

/// A snapshot and its pin: nothing that it needs is removed as long as it is held. A transaction lends it out.
pub struct PinnedSnapshot<S: SnapshotStrategy, T> {
    value: S::Snapshot,
    pin: Claimed,
    owner: Owner,
    taken: Timestamp,
    hold: Hold,
    pub(super) shared: Arc<Shared<S, T>>,
}

/// How far a snapshot is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Hold {
    Nothing,
    /// Its pin holds back what it may turn out to need. It stays like this where the strategy's take panics.
    Announced,
    Taken,
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> PinnedSnapshot<S, T> {
    /// A value with a pin that holds nothing yet.
    pub(super) fn new(shared: &Arc<Shared<S, T>>, owner: Owner) -> Self {
        PinnedSnapshot {
            value: shared.strategy.snapshot(),
            pin: shared.horizon.pins.claim(&owner),
            owner,
            taken: Timestamp::ZERO,
            hold: Hold::Nothing,
            shared: Arc::clone(shared),
        }
    }

    #[inline]
    pub(super) fn is_taken(&self) -> bool {
        self.hold == Hold::Taken
    }

    #[inline]
    pub(super) fn holds_nothing(&self) -> bool {
        self.hold == Hold::Nothing
    }

    /// Takes, and holds. What it held before is held until then.
    #[inline]
    pub(super) fn take(&mut self) {
        let shared = &*self.shared;
        if self.hold == Hold::Nothing {
            shared.horizon.announce(&self.pin);
        }
        self.hold = Hold::Announced;
        // Before the take: see `policy`.
        self.taken = shared.time();
        shared.strategy.take(&mut self.value);
        self.pin.raise(self.value.xmin(), self.taken);
        self.hold = Hold::Taken;
    }

    #[inline]
    pub(super) fn let_go(&mut self) {
        if self.hold != Hold::Nothing {
            self.hold = Hold::Nothing;
            self.pin.clear();
        }
    }

    pub(super) fn belongs_to(&mut self, owner: Owner) {
        self.pin.belongs_to(owner.clone());
        self.owner = owner;
    }

    /// Fails where rows that this snapshot needs may have been removed because it is too old. To be asked *after* each page
    /// that was read, before anybody uses what was found there.
    ///
    /// One load of the threshold's timestamp.
    ///
    /// # Errors
    ///
    /// [`SnapshotTooOld`] says how old it is and how old it was allowed to get.
    #[inline]
    pub fn check(&self) -> Result<(), SnapshotTooOld> {
        if self.taken < self.shared.threshold.timestamp() { Err(self.too_old()) } else { Ok(()) }
    }

    /// The time of the last [`tick`](crate::TransactionManager::tick) before it was taken.
    pub fn taken(&self) -> Timestamp {
        self.taken
    }

    /// What the strategy filled.
    pub fn get(&self) -> &S::Snapshot {
        &self.value
    }

    #[cold]
    fn too_old(&self) -> SnapshotTooOld {
        let Owner { session, label } = self.owner.clone();
        SnapshotTooOld {
            session,
            label,
            age: since(self.shared.clock.now(), self.taken),
            transactions: self.shared.ids.next().get().saturating_sub(self.value.xmax().get()),
            limit: self.shared.policy,
        }
    }
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> Snapshot for PinnedSnapshot<S, T> {
    #[inline]
    fn xmin(&self) -> Xid {
        self.value.xmin()
    }

    #[inline]
    fn xmax(&self) -> Xid {
        self.value.xmax()
    }

    #[inline]
    fn is_running(&self, xid: Xid) -> bool {
        self.value.is_running(xid)
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        self.value.running()
    }
}

impl<S: SnapshotStrategy, T> fmt::Debug for PinnedSnapshot<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (xmin, xmax) = (self.value.xmin(), self.value.xmax());
        f.debug_struct("PinnedSnapshot")
            .field("xmin", &xmin)
            .field("xmax", &xmax)
            .field("taken", &self.taken)
            .finish_non_exhaustive()
    }
}

/// A snapshot that several may hold, in any thread, for as long as they like: the last one to drop it lets go of what it
/// holds back.
///
/// Made by [`Transaction::share`](crate::Transaction::share); [`Session::begin_with`](crate::Session::begin_with) begins
/// another session's transaction on it. There is one pin for all of them, so no moment at which nobody holds it. The session
/// that took it is the one that [`horizon_holders`](crate::TransactionManager::horizon_holders) names, also when it is gone.
/// Forgotten (`mem::forget`), it holds the horizon back for ever.
pub struct SharedSnapshot<S: SnapshotStrategy, T>(Arc<PinnedSnapshot<S, T>>);

impl<S: SnapshotStrategy, T> SharedSnapshot<S, T> {
    pub(super) fn new(snapshot: PinnedSnapshot<S, T>) -> Self {
        SharedSnapshot(Arc::new(snapshot))
    }
}

impl<S: SnapshotStrategy, T> Deref for SharedSnapshot<S, T> {
    type Target = PinnedSnapshot<S, T>;

    #[inline]
    fn deref(&self) -> &PinnedSnapshot<S, T> {
        &self.0
    }
}

impl<S: SnapshotStrategy, T> Clone for SharedSnapshot<S, T> {
    fn clone(&self) -> Self {
        SharedSnapshot(Arc::clone(&self.0))
    }
}

impl<S: SnapshotStrategy, T> fmt::Debug for SharedSnapshot<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
