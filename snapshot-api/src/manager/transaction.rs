//! [`Transaction`]: from begin to commit.

use std::{fmt, sync::Arc};

use crate::{
    AssignError, Ending, PinnedSnapshot, PrepareError, Savepoint, SavepointError, SharedSnapshot,
    SnapshotStrategy, ThresholdStrategy, View, Xid,
    manager::{Outcome, session::Session},
};

/// An open transaction. [`commit`](Self::commit) and [`abort`](Self::abort) consume it: nothing can be done with it afterwards.
///
/// Dropped, it is aborted: at the end of a scope, by a panic, or with the future that holds it. Forgotten (`mem::forget`), it
/// stays open until its session begins another one or is dropped, which aborts it.
///
/// ```compile_fail,E0382
/// # use snapshot_api::{Off, Session, dev::models::LockedSet};
/// fn use_after_commit(session: &mut Session<LockedSet, Off>) {
///     let mut transaction = session.begin();
///     transaction.commit();
///     transaction.id();
/// }
/// ```
#[must_use = "a transaction that is dropped is aborted"]
pub struct Transaction<'s, S: SnapshotStrategy, T: ThresholdStrategy> {
    pub(super) session: &'s mut Session<S, T>,
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> Transaction<'_, S, T> {
    /// The transaction's snapshot: taken at the first call, the same from then on (*repeatable read*).
    ///
    /// The first call costs a fence besides the strategy's take. Nothing that the snapshot needs is removed until the
    /// transaction ends.
    #[inline]
    pub fn snapshot(&mut self) -> &PinnedSnapshot<S, T> {
        self.session.snapshot()
    }

    /// A new snapshot, for the next statement (*read committed*). Lets go of the one before, unless it is shared.
    #[inline]
    pub fn new_snapshot(&mut self) -> &PinnedSnapshot<S, T> {
        self.session.new_snapshot()
    }

    /// The transaction's snapshot for others to read by, and to keep beyond the transaction's end: a cursor, a parallel
    /// worker, another session ([`Session::begin_with`]).
    pub fn share(&mut self) -> SharedSnapshot<S, T> {
        self.session.share()
    }

    /// The id to write rows with: that of the innermost savepoint, of the transaction where there is none. Assigned at the
    /// first call; savepoints below get theirs before, so that a child's id lies above its parent's.
    ///
    /// # Errors
    ///
    /// The strategy refuses the id, or none is left. Ids assigned before stay.
    #[inline]
    pub fn id(&mut self) -> Result<Xid, AssignError> {
        self.session.assign()
    }

    /// The transaction's own id, if it has one.
    pub fn top_id(&self) -> Option<Xid> {
        self.session.levels.top()
    }

    /// All its ids, in rising order: its own, then those of the subtransactions that were not rolled back.
    pub fn ids(&self) -> &[Xid] {
        self.session.levels.ids()
    }

    /// Whether it sees what `writer` wrote, if that transaction committed: by its own ids, or since `writer` had ended before
    /// its snapshot. Takes the snapshot if there is none yet.
    #[inline]
    pub fn sees(&mut self, writer: Xid) -> bool {
        self.view().sees(writer)
    }

    /// What it sees, for many questions in a row. Takes the snapshot if there is none yet.
    #[inline]
    pub fn view(&mut self) -> View<'_, S, T> {
        self.session.view()
    }

    /// Sets a savepoint: what is written from here on can be rolled back by itself.
    pub fn savepoint(&mut self) -> Savepoint {
        self.session.levels.open()
    }

    /// Forgets a savepoint and those set after it; what was written since belongs to what comes before it.
    ///
    /// # Errors
    ///
    /// [`SavepointError`] where the transaction has no such savepoint (any more).
    pub fn release(&mut self, savepoint: Savepoint) -> Result<(), SavepointError> {
        self.session.levels.release(&savepoint)
    }

    /// Undoes what was written since the savepoint, and forgets those set after it; it can be rolled back to again. The ids
    /// assigned since have ended when this returns.
    ///
    /// # Errors
    ///
    /// [`SavepointError`] where the transaction has no such savepoint (any more).
    pub fn rollback_to(&mut self, savepoint: &Savepoint) -> Result<(), SavepointError> {
        let Session { shared, number, levels, .. } = &mut *self.session;
        let ids = levels.ids_since(savepoint)?;
        // Without an id of the transaction's own no level has one.
        if let (Some(top), [_, ..]) = (levels.top(), ids) {
            let (outcome, session) = (Outcome::Aborted, *number);
            shared.before_end(&Ending { outcome, session, top, ids });
            shared.strategy.end(*number, ids);
        }
        levels.roll_back(savepoint)
    }

    /// Commits, with all subtransactions in one step: every snapshot taken from now on sees it. Returns its id, none where it
    /// never had one: then nobody can tell.
    ///
    /// # Panics
    ///
    /// Where the engine's own step before the end does; the transaction is aborted then.
    #[inline]
    pub fn commit(self) -> Option<Xid> {
        self.session.end(Outcome::Committed)
    }

    /// The same, with a step before that may fail: writing the commit record. It gets the transaction's ids, its own first; none
    /// where it never had one.
    ///
    /// # Errors
    ///
    /// What `record` returned, and the transaction, still open.
    ///
    /// ```
    /// # use snapshot_api::{ManagerOptions, Off, TransactionManager, Xid, dev::models::LockedSet};
    /// # let manager = TransactionManager::<LockedSet, Off>::restore(
    /// #     &(), Xid::FROZEN, &[], Off, ManagerOptions::new())?;
    /// let mut session = manager.session()?;
    /// let mut transaction = session.begin();
    /// let id = transaction.id()?;
    /// let (transaction, why) = transaction.try_commit(|_| Err("the disk is full")).unwrap_err();
    /// assert_eq!(why, "the disk is full");
    /// assert!(!manager.has_ended(id));
    /// assert_eq!(transaction.try_commit(|_| Ok::<(), &str>(())).ok(), Some(Some(id)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_commit<E>(
        self,
        record: impl FnOnce(&[Xid]) -> Result<(), E>,
    ) -> Result<Option<Xid>, (Self, E)> {
        match record(self.ids()) {
            Ok(()) => Ok(self.commit()),
            Err(why) => Err((self, why)),
        }
    }

    /// Aborts. So does dropping it.
    pub fn abort(self) {}

    /// Leaves the transaction to be committed or aborted by name, by whomever, whenever: the first half of a two-phase commit.
    /// It keeps running, under the session's number in the strategy; the session gets another number. What was held by its
    /// snapshot is let go.
    ///
    /// # Errors
    ///
    /// [`PrepareError`] where the name is taken, as many are prepared as there can be, or no id can be assigned. The
    /// transaction comes back, open.
    pub fn prepare(self, name: &str) -> Result<Xid, (Self, PrepareError)> {
        let top = match self.session.assign_top() {
            Ok(top) => top,
            Err(why) => return Err((self, PrepareError::NoId(why))),
        };
        let session = &mut *self.session;
        let shared = Arc::clone(&session.shared);
        match shared.prepared.vacancy(name) {
            Ok(vacancy) => {
                vacancy.fill(session.leave());
                Ok(top)
            }
            Err(why) => Err((self, why)),
        }
    }
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> Drop for Transaction<'_, S, T> {
    #[inline]
    fn drop(&mut self) {
        if self.session.is_open() {
            self.session.abort();
        }
    }
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> fmt::Debug for Transaction<'_, S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction")
            .field("session", &self.session.number)
            .field("ids", &self.ids())
            .finish_non_exhaustive()
    }
}
