//! [`NumberedManager`]: for engines that stamp rows with the number of the commit, not with the id of the transaction.
//!
//! There a snapshot is one number: everything stamped with it or a lower one is visible. An id is assigned at commit and is the
//! commit's number; one commit at a time stamps its rows, so that numbers become visible in their order and none before its rows
//! stand (orioledb 1061, turso 5136). Readers wait for nobody. Horizon, holders, old-snapshot policy and shared snapshots are
//! those of [`TransactionManager`].
//!
//! ```text
//!   commit     lock ─► number := next id ─► stamps its rows ─► number ends: visible ─► unlock
//!   reader     number of the snapshot := the last one that ended
//! ```

use std::{fmt, sync::Arc};

use crate::{
    AssignError, CapacityExceeded, ForeignSnapshot, PinnedSnapshot, Session, SharedSnapshot,
    Snapshot, SnapshotStrategy, ThresholdStrategy, Transaction, TransactionManager, Xid,
    sync::Mutex,
};

/// Transactions whose rows carry the number of their commit. The module's idea is in [`manager`](crate::manager).
///
/// ```
/// use std::sync::Mutex;
/// use snapshot_api::{ManagerOptions, NumberedManager, Off, TransactionManager, Xid};
/// # use snapshot_api::dev::models::LockedSet as AnyStrategy;
/// # let manager = TransactionManager::<AnyStrategy, Off>::restore(
/// #     &Default::default(), Xid::FROZEN, &[], Off, ManagerOptions::new())?;
/// let numbers = NumberedManager::new(manager);
/// let (mut writer, mut reader) = (numbers.session()?, numbers.session()?);
/// let rows = Mutex::new(Vec::new());
///
/// let mut read = reader.begin();
/// let before = read.number();
/// let (number, ()) = writer.begin().commit(|number| rows.lock().unwrap().push((number, "new")))?;
///
/// assert!(read.visible(before) && !read.visible(number));
/// drop(read);
/// assert!(reader.begin().visible(number));
/// assert!(numbers.manager().horizon().get() > number);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NumberedManager<S: SnapshotStrategy, T> {
    manager: TransactionManager<S, T>,
    /// Whose turn it is to commit.
    turn: Arc<Mutex<()>>,
}

impl<S: SnapshotStrategy, T> Clone for NumberedManager<S, T> {
    fn clone(&self) -> Self {
        NumberedManager { manager: self.manager.clone(), turn: Arc::clone(&self.turn) }
    }
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> NumberedManager<S, T> {
    /// Over a manager that nobody else begins transactions with ids in.
    pub fn new(manager: TransactionManager<S, T>) -> Self {
        NumberedManager { manager, turn: Arc::default() }
    }

    /// A place for one more connection.
    ///
    /// # Errors
    ///
    /// All are in use.
    pub fn session(&self) -> Result<NumberedSession<S, T>, CapacityExceeded> {
        let session = self.manager.session()?;
        Ok(NumberedSession { session, turn: Arc::clone(&self.turn) })
    }

    /// The manager below: for the horizon, its holders, the time. A number below the horizon has replaced what nobody needs.
    pub fn manager(&self) -> &TransactionManager<S, T> {
        &self.manager
    }
}

impl<S: SnapshotStrategy, T> fmt::Debug for NumberedManager<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NumberedManager").field(&self.manager).finish()
    }
}

/// One connection's place in a [`NumberedManager`].
#[derive(Debug)]
pub struct NumberedSession<S: SnapshotStrategy, T: ThresholdStrategy> {
    session: Session<S, T>,
    turn: Arc<Mutex<()>>,
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> NumberedSession<S, T> {
    /// Begins a transaction.
    #[inline]
    pub fn begin(&mut self) -> NumberedTransaction<'_, S, T> {
        NumberedTransaction { transaction: self.session.begin(), turn: &self.turn }
    }

    /// Begins a transaction that reads by a snapshot that another one has shared.
    ///
    /// # Errors
    ///
    /// It belongs to another manager.
    pub fn begin_with(
        &mut self,
        snapshot: &SharedSnapshot<S, T>,
    ) -> Result<NumberedTransaction<'_, S, T>, ForeignSnapshot> {
        let transaction = self.session.begin_with(snapshot)?;
        Ok(NumberedTransaction { transaction, turn: &self.turn })
    }

    /// See [`Session::set_label`].
    pub fn set_label(&mut self, label: &str) {
        self.session.set_label(label);
    }
}

/// An open transaction of a [`NumberedManager`]. Dropped, it leaves no trace: it has no number yet.
#[derive(Debug)]
#[must_use = "a transaction that is dropped is aborted"]
pub struct NumberedTransaction<'s, S: SnapshotStrategy, T: ThresholdStrategy> {
    transaction: Transaction<'s, S, T>,
    turn: &'s Mutex<()>,
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> NumberedTransaction<'_, S, T> {
    /// The snapshot's number: what was stamped with it or a lower one is visible. Taken at the first call.
    #[inline]
    pub fn number(&mut self) -> u64 {
        // Commits end in their order, so that none runs below xmax.
        self.snapshot().xmax().prev().get()
    }

    /// Whether what was stamped with this number is visible.
    #[inline]
    pub fn visible(&mut self, number: u64) -> bool {
        !self.snapshot().is_running(Xid::new(number))
    }

    /// The transaction's snapshot, for [`check`](PinnedSnapshot::check).
    #[inline]
    pub fn snapshot(&mut self) -> &PinnedSnapshot<S, T> {
        self.transaction.snapshot()
    }

    /// A new snapshot, for the next statement.
    #[inline]
    pub fn new_snapshot(&mut self) -> &PinnedSnapshot<S, T> {
        self.transaction.new_snapshot()
    }

    /// See [`Transaction::share`].
    pub fn share(&mut self) -> SharedSnapshot<S, T> {
        self.transaction.share()
    }

    /// Commits: `stamp` puts the number that it is given onto all rows, and is nobody's but this transaction's turn. When this
    /// returns, every new snapshot sees them. Returns the number, and what `stamp` returned.
    ///
    /// `stamp` must not commit another transaction: it would wait for itself.
    ///
    /// # Errors
    ///
    /// No number could be assigned; `stamp` was not called.
    ///
    /// # Panics
    ///
    /// Where `stamp` does. [`before_end`](crate::ManagerOptions::before_end) is called with
    /// [`Aborted`](crate::Outcome::Aborted) and the number then, to take away what was stamped, before anybody can see it.
    pub fn commit<R>(self, stamp: impl FnOnce(u64) -> R) -> Result<(u64, R), AssignError> {
        // Goes last: also where `stamp` panics, the next one's turn comes when this number has ended.
        let _turn = self.turn.lock();
        let mut transaction = self.transaction;
        let number = transaction.id()?.get();
        let stamped = stamp(number);
        transaction.commit();
        Ok((number, stamped))
    }
}
