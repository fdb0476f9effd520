//! [`Store`]: rows and a transaction manager, put together.

use std::{fmt, sync::Arc};

use snapshot_api::{
    CapacityExceeded, ManagerOptions, Restore, RestoreError, SnapshotStrategy, ThresholdStrategy,
    TransactionManager, Xid,
};

use crate::{Census, Collected, Connection, Key, Rules, SnapshotIsolation, Value, rows::Rows};

/// A multi-version store of values by key, in memory, under snapshot isolation. Over any snapshot strategy `S` with any
/// threshold `T`. Clones are the same store.
///
/// ```
/// use snapshot_api::{ManagerOptions, Off};
/// use snapshot_kv::Store;
///
/// type Db = Store<&'static str, u32, strategy_csn::CsnLog, Off>;
///
/// let db = Db::new(&Default::default(), Off, ManagerOptions::new())?;
/// let (mut one, mut other) = (db.connect()?, db.connect()?);
/// let mut write = one.begin();
/// write.put(&"apples", 3)?;
///
/// let mut read = other.begin();
/// assert_eq!(read.get(&"apples")?, None, "not committed");
/// write.commit();
/// assert_eq!(read.get(&"apples")?, None, "nor was it when this one began");
/// drop(read);
/// assert_eq!(other.begin().get(&"apples")?, Some(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Store<K, V, S: SnapshotStrategy, T> {
    rows: Arc<Rows<K, V>>,
    manager: TransactionManager<S, T>,
}

impl<K, V, S: SnapshotStrategy, T> Clone for Store<K, V, S, T> {
    fn clone(&self) -> Self {
        Store { rows: Arc::clone(&self.rows), manager: self.manager.clone() }
    }
}

impl<K: Key, V: Value, S: Restore, T: ThresholdStrategy> Store<K, V, S, T> {
    /// An empty store. It adds its own step to the options' [`before_end`](ManagerOptions::before_end), behind those that were
    /// set.
    ///
    /// # Errors
    ///
    /// The strategy cannot be set up like this.
    pub fn new(
        config: &S::Config,
        threshold: T,
        options: ManagerOptions,
    ) -> Result<Self, RestoreError> {
        Self::with_rules(SnapshotIsolation, config, threshold, options)
    }

    /// The same, with other [`Rules`]: for tests of tests.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_rules(
        rules: impl Rules + 'static,
        config: &S::Config,
        threshold: T,
        options: ManagerOptions,
    ) -> Result<Self, RestoreError> {
        let rows = Arc::new(Rows::new(rules));
        let hook = Arc::clone(&rows);
        let options = options.before_end(move |ending| hook.before_end(ending.outcome, ending.ids));
        let manager = TransactionManager::restore(config, Xid::FROZEN, &[], threshold, options)?;
        Ok(Store { rows, manager })
    }

    /// A place to run transactions in, one after another.
    ///
    /// # Errors
    ///
    /// All [`sessions`](ManagerOptions::sessions) are in use.
    pub fn connect(&self) -> Result<Connection<K, V, S, T>, CapacityExceeded> {
        Ok(Connection::new(self.manager.session()?, Arc::clone(&self.rows)))
    }

    /// Removes the versions that no snapshot needs, held or to come. Beside anything else, from any thread.
    pub fn collect(&self) -> Collected {
        self.rows.collect(self.manager.horizon())
    }

    /// Removes as well what only snapshots need that are too old; they are told ([`Error::TooOld`](crate::Error::TooOld)).
    pub fn prune(&self) -> Collected {
        self.rows.collect(self.manager.prune_horizon())
    }

    /// How much there is. Looks at everything, one shard after another.
    pub fn census(&self) -> Census {
        self.rows.census()
    }

    /// The manager: for its [`tick`](TransactionManager::tick), prepared transactions, who holds the horizon back.
    pub fn manager(&self) -> &TransactionManager<S, T> {
        &self.manager
    }
}

impl<K, V, S: SnapshotStrategy, T> fmt::Debug for Store<K, V, S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("manager", &self.manager).finish_non_exhaustive()
    }
}
