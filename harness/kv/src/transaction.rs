//! [`Tx`]: reads and writes of one transaction.
//!
//! # After each look, the check
//!
//! A read holds a shard's lock for one look, lets go, and asks its snapshot whether it has become too old
//! ([`PinnedSnapshot::check`](snapshot_api::PinnedSnapshot::check)) *before* the result goes to anybody. Whoever pruned what the
//! look has missed did so under the same lock, before, and had loaded the threshold before that: so the check finds it. The
//! other way round, a check and then a look, it may have been pruned in between.
//!
//! A write decides by the newest version, under the lock. It asks after that look and before it puts its own version there: it
//! may have missed a tombstone.

use std::{
    fmt,
    ops::{Bound, RangeBounds},
};

use snapshot_api::{
    PrepareError, Savepoint, SharedSnapshot, SnapshotStrategy, ThresholdStrategy, Transaction, Xid,
};

use crate::{Error, Key, Value, chain::Chain, rows::Rows, writes::WriteSet};

/// How many keys a scan looks at under one lock.
const PAGE: usize = 64;

/// An open transaction. Dropped, it is aborted: what it wrote is gone.
///
/// After an error it is open, and as it was before the call.
#[must_use = "a transaction that is dropped is aborted"]
pub struct Tx<'c, K, V, S: SnapshotStrategy, T: ThresholdStrategy> {
    transaction: Transaction<'c, S, T>,
    rows: &'c Rows<K, V>,
    /// Where the id that wrote last notes its keys.
    writes: Option<(Xid, WriteSet<K>)>,
}

impl<'c, K: Key, V: Value, S: SnapshotStrategy, T: ThresholdStrategy> Tx<'c, K, V, S, T> {
    pub(crate) fn new(transaction: Transaction<'c, S, T>, rows: &'c Rows<K, V>) -> Self {
        Tx { transaction, rows, writes: None }
    }

    /// The value of a key: as of the transaction's snapshot, or what it wrote itself since.
    ///
    /// # Errors
    ///
    /// [`Error::TooOld`].
    pub fn get(&mut self, key: &K) -> Result<Option<V>, Error<K>> {
        // Outside the lock.
        let view = self.transaction.view();
        let map = self.rows.shards.of(key).read();
        let visible = |writer| self.rows.rules.reads(view.sees(writer));
        let value = map.get(key).and_then(|chain| chain.find(visible)?.value.clone());
        drop(map);
        view.check()?;
        Ok(value)
    }

    /// The same, and nobody else may write the key beside this transaction: it writes the value back. What a transaction has
    /// only read may be changed beside it (*write skew*); what it has read like this may not.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`], [`Error::TooOld`], [`Error::NoId`].
    pub fn get_for_update(&mut self, key: &K) -> Result<Option<V>, Error<K>> {
        let value = self.get(key)?;
        self.write(key, value.clone())?;
        Ok(value)
    }

    /// All keys in `range` that have a value, in their order.
    ///
    /// # Errors
    ///
    /// [`Error::TooOld`].
    pub fn scan(&mut self, range: impl RangeBounds<K>) -> Result<Vec<(K, V)>, Error<K>> {
        let mut found = Vec::new();
        if is_empty(&range) {
            return Ok(found);
        }
        let (view, rows) = (self.transaction.view(), self.rows);
        for shard in rows.shards.iter() {
            let mut start = range.start_bound().cloned();
            loop {
                let map = shard.read();
                let (mut looked, mut last) = (0, None);
                for (key, chain) in map.range((start.as_ref(), range.end_bound())).take(PAGE) {
                    let visible = |writer| rows.rules.reads(view.sees(writer));
                    let value = chain.find(visible).and_then(|version| version.value.clone());
                    found.extend(value.map(|value| (key.clone(), value)));
                    (looked, last) = (looked + 1, Some(key));
                }
                let next = last.filter(|_| looked == PAGE).cloned();
                drop(map);
                view.check()?;
                match next {
                    Some(last) => start = Bound::Excluded(last),
                    None => break,
                }
            }
        }
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(found)
    }

    /// Gives a key a value.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`], [`Error::TooOld`], [`Error::NoId`].
    pub fn put(&mut self, key: &K, value: V) -> Result<(), Error<K>> {
        self.write(key, Some(value))
    }

    /// Deletes a key. Whether it had a value; where it had none nothing is written.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`], [`Error::TooOld`], [`Error::NoId`].
    pub fn delete(&mut self, key: &K) -> Result<bool, Error<K>> {
        let had = self.get(key)?.is_some();
        if had {
            self.write(key, None)?;
        }
        Ok(had)
    }

    fn write(&mut self, key: &K, value: Option<V>) -> Result<(), Error<K>> {
        let writer = self.transaction.id()?;
        let set = match &self.writes {
            Some((id, set)) if *id == writer => set,
            _ => &self.writes.insert((writer, self.rows.writes.open(writer))).1,
        };
        // Outside the lock.
        let view = self.transaction.view();
        let mut map = self.rows.shards.of(key).write();
        let newest = map.get(key).and_then(Chain::newest);
        if let Some(with) = newest
            && !self.rows.rules.overwrites(view.sees(with))
        {
            return Err(Error::Conflict { key: key.clone(), with });
        }
        view.check()?;
        if newest != Some(writer) {
            // Before the version stands: what is not noted cannot be undone.
            set.lock().push(key.clone());
        }
        map.entry(key.clone()).or_default().put(writer, value);
        Ok(())
    }

    /// Sets a savepoint.
    pub fn savepoint(&mut self) -> Savepoint {
        self.transaction.savepoint()
    }

    /// Undoes what was written since the savepoint. It can be rolled back to again.
    ///
    /// # Errors
    ///
    /// [`Error::Savepoint`].
    pub fn rollback_to(&mut self, savepoint: &Savepoint) -> Result<(), Error<K>> {
        Ok(self.transaction.rollback_to(savepoint)?)
    }

    /// Forgets a savepoint; what was written since stays.
    ///
    /// # Errors
    ///
    /// [`Error::Savepoint`].
    pub fn release(&mut self, savepoint: Savepoint) -> Result<(), Error<K>> {
        Ok(self.transaction.release(savepoint)?)
    }

    /// Reads by a new snapshot from here on: called before each statement it makes *read committed* of the transaction.
    pub fn refresh(&mut self) {
        self.transaction.new_snapshot();
    }

    /// The transaction's snapshot, for others to read by: see [`Connection::begin_with`](crate::Connection::begin_with). What it needs
    /// stays, as long as somebody has it.
    pub fn share(&mut self) -> SharedSnapshot<S, T> {
        self.transaction.share()
    }

    /// Commits: everybody who begins from now on sees all that it wrote. Returns its id, if it wrote.
    pub fn commit(self) -> Option<Xid> {
        self.transaction.commit()
    }

    /// Aborts. So does dropping it.
    pub fn abort(self) {}

    /// Leaves it to be committed or aborted by name, by the store's [`manager`](crate::Store::manager).
    ///
    /// # Errors
    ///
    /// The transaction comes back, open, with the reason.
    pub fn prepare(self, name: &str) -> Result<Xid, (Self, PrepareError)> {
        let Tx { transaction, rows, writes } = self;
        transaction
            .prepare(name)
            .map_err(|(transaction, why)| (Tx { transaction, rows, writes }, why))
    }
}

/// Whether no key can lie in it: a map of the standard library would panic at some of these.
fn is_empty<K: Ord>(range: &impl RangeBounds<K>) -> bool {
    use Bound::{Excluded, Included};
    match (range.start_bound(), range.end_bound()) {
        (Included(start), Included(end)) => start > end,
        (Included(start) | Excluded(start), Excluded(end)) | (Excluded(start), Included(end)) => {
            start >= end
        }
        _ => false,
    }
}

impl<K, V, S: SnapshotStrategy, T: ThresholdStrategy> fmt::Debug for Tx<'_, K, V, S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tx").field(&self.transaction).finish()
    }
}
