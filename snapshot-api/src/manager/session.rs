//! [`Session`]: one connection's place in a manager.

use std::{fmt, mem, panic::resume_unwind, sync::Arc, thread};

use crate::{
    AssignError, CapacityExceeded, Ending, ForeignSnapshot, PinnedSnapshot, SessionId,
    SharedSnapshot, SnapshotStrategy, ThresholdStrategy, Transaction, View, Xid,
    manager::{
        Outcome,
        levels::{Assign, Levels},
        prepared::Entry,
        sessions::{Owner, Record},
        shared::Shared,
    },
};

/// One connection's place in a [`TransactionManager`](crate::TransactionManager). Runs one transaction at a time; may move from
/// thread to thread.
///
/// Its place is free again when it is dropped. One that is forgotten (`mem::forget`) keeps its place, and what its
/// transaction held.
pub struct Session<S: SnapshotStrategy, T: ThresholdStrategy> {
    pub(super) shared: Arc<Shared<S, T>>,
    pub(super) record: Arc<Record>,
    pub(super) number: SessionId,
    /// Its own snapshot, used again and again.
    own: PinnedSnapshot<S, T>,
    /// The transaction's, where it is not its own alone.
    common: Option<SharedSnapshot<S, T>>,
    pub(super) levels: Levels,
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> Session<S, T> {
    pub(super) fn new(shared: &Arc<Shared<S, T>>) -> Result<Self, CapacityExceeded> {
        let (number, record) = shared.sessions.enter()?;
        let own = PinnedSnapshot::new(shared, Owner { session: number, label: None });
        let (shared, levels) = (Arc::clone(shared), Levels::default());
        Ok(Session { shared, record, number, own, common: None, levels })
    }

    /// The number that its next transaction has in the strategy. Changes when a transaction is prepared.
    pub fn id(&self) -> SessionId {
        self.number
    }

    /// How it calls itself where somebody asks who holds the horizon back.
    pub fn set_label(&mut self, label: &str) {
        self.record.set_label(Some(label.into()));
        self.own.belongs_to(self.owner());
    }

    /// Begins a transaction. It costs nothing until it asks for a snapshot or an id.
    ///
    /// A transaction that was forgotten (`mem::forget`) is aborted first.
    #[inline]
    pub fn begin(&mut self) -> Transaction<'_, S, T> {
        if self.is_open() {
            self.abort();
        }
        Transaction { session: self }
    }

    /// Begins a transaction that reads by a snapshot that another one has shared.
    ///
    /// # Errors
    ///
    /// [`ForeignSnapshot`] where it belongs to another manager.
    pub fn begin_with(
        &mut self,
        snapshot: &SharedSnapshot<S, T>,
    ) -> Result<Transaction<'_, S, T>, ForeignSnapshot> {
        if !Arc::ptr_eq(&snapshot.shared, &self.shared) {
            return Err(ForeignSnapshot);
        }
        let transaction = self.begin();
        transaction.session.common = Some(snapshot.clone());
        Ok(transaction)
    }

    fn owner(&self) -> Owner {
        Owner { session: self.number, label: self.record.label() }
    }

    #[inline]
    fn current(&self) -> &PinnedSnapshot<S, T> {
        match &self.common {
            Some(common) => common,
            None => &self.own,
        }
    }

    /// The transaction's snapshot, taken if there is none yet.
    #[inline]
    pub(super) fn snapshot(&mut self) -> &PinnedSnapshot<S, T> {
        if self.common.is_none() && !self.own.is_taken() {
            self.own.take();
        }
        self.current()
    }

    #[inline]
    pub(super) fn view(&mut self) -> View<'_, S, T> {
        self.snapshot();
        View { snapshot: self.current(), own: &self.levels }
    }

    /// The transaction's next one.
    #[inline]
    pub(super) fn new_snapshot(&mut self) -> &PinnedSnapshot<S, T> {
        self.own.take();
        // Held until the new one was.
        self.common = None;
        &self.own
    }

    pub(super) fn share(&mut self) -> SharedSnapshot<S, T> {
        self.snapshot();
        match &self.common {
            Some(common) => common.clone(),
            None => {
                let next = PinnedSnapshot::new(&self.shared, self.owner());
                let taken = SharedSnapshot::new(mem::replace(&mut self.own, next));
                self.common.insert(taken).clone()
            }
        }
    }

    /// The id of the innermost savepoint.
    #[inline]
    pub(super) fn assign(&mut self) -> Result<Xid, AssignError> {
        self.with_ids(|levels, assign| levels.current(assign))
    }

    /// The transaction's own id.
    pub(super) fn assign_top(&mut self) -> Result<Xid, AssignError> {
        self.with_ids(|levels, assign| levels.top_or(assign))
    }

    fn with_ids(
        &mut self,
        find: impl FnOnce(&mut Levels, Assign<'_>) -> Result<Xid, AssignError>,
    ) -> Result<Xid, AssignError> {
        let Session { shared, number, levels, .. } = self;
        let had_none = levels.top().is_none();
        let assigned = find(levels, &mut || shared.ids.assign(&shared.strategy, *number));
        if had_none && let Some(top) = levels.top() {
            self.record.begins(top, shared.time());
        }
        assigned
    }

    /// Ends what is open. The engine comes first; where it panics, everything stays as it is.
    pub(super) fn end(&mut self, outcome: Outcome) -> Option<Xid> {
        let top = self.levels.top();
        if let Some(top) = top {
            self.shared.before_end(&self.ending(outcome, top));
            self.shared.strategy.end(self.number, self.levels.ids());
            self.record.ends();
        }
        self.close();
        top
    }

    /// Ends what is open, and nothing keeps it open.
    pub(super) fn abort(&mut self) {
        if let Some(top) = self.levels.top() {
            let hook = self.shared.try_before_end(&self.ending(Outcome::Aborted, top));
            if let Err(panic) = hook {
                let entry = self.leave();
                self.shared.prepared.strand(top, entry);
                if !thread::panicking() {
                    resume_unwind(panic);
                }
                return;
            }
            self.shared.strategy.end(self.number, self.levels.ids());
            self.record.ends();
        }
        self.close();
    }

    fn ending(&self, outcome: Outcome, top: Xid) -> Ending<'_> {
        Ending { outcome, session: self.number, top, ids: self.levels.ids() }
    }

    /// Leaves what is open, with the number, to whoever ends it.
    pub(super) fn leave(&mut self) -> Entry {
        let mut entry = Entry::new(self.number, self.levels.ids(), self.record.since());
        entry.label = self.record.label();
        self.number = self.shared.sessions.renumber(self.number);
        self.own.belongs_to(self.owner());
        self.record.ends();
        self.close();
        entry
    }

    /// Nothing is open.
    #[inline]
    fn close(&mut self) {
        self.levels.clear();
        self.own.let_go();
        self.common = None;
    }

    #[inline]
    pub(super) fn is_open(&self) -> bool {
        !(self.levels.is_empty() && self.own.holds_nothing() && self.common.is_none())
    }
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> Drop for Session<S, T> {
    fn drop(&mut self) {
        // A transaction that was forgotten.
        if self.is_open() {
            self.abort();
        }
        self.shared.sessions.leave(self.number);
    }
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> fmt::Debug for Session<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.number)
            .field("label", &self.record.label())
            .field("transaction", &self.levels.top())
            .finish_non_exhaustive()
    }
}
