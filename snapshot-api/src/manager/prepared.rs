//! Prepared transactions: they outlive their session, and end by name.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use crate::{
    CapacityExceeded, NotPrepared, PrepareError, SessionId, Timestamp, Xid,
    sync::{Mutex, MutexGuard},
};

/// A prepared transaction, as [`prepared`](crate::TransactionManager::prepared) lists it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreparedTransaction {
    /// Its name.
    pub name: String,
    /// Its id and those of its subtransactions, in rising order.
    pub ids: Vec<Xid>,
    /// How long ago it got its id, give or take one interval of ticks.
    pub age: Duration,
    /// Its session did not prepare it: what the engine does at the end of a transaction panicked when it was aborted.
    pub stranded: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The number that it took from its session.
    pub(super) session: SessionId,
    pub(super) label: Option<Arc<str>>,
    pub(super) ids: Arc<[Xid]>,
    pub(super) since: Timestamp,
    pub(super) stranded: bool,
    /// Somebody is about to end it.
    settling: bool,
}

impl Entry {
    pub(super) fn new(session: SessionId, ids: &[Xid], since: Timestamp) -> Self {
        let ids = Arc::from(ids);
        Entry { session, label: None, ids, since, stranded: false, settling: false }
    }
}

type Entries = BTreeMap<String, Entry>;

#[derive(Debug)]
pub(super) struct Prepared {
    limit: usize,
    entries: Mutex<Entries>,
}

impl Prepared {
    pub(super) fn new(limit: u32) -> Self {
        Prepared { limit: limit as usize, entries: Mutex::default() }
    }

    /// A place under this name. The lock is held until something is put there.
    pub(super) fn vacancy<'a>(&'a self, name: &'a str) -> Result<Vacancy<'a>, PrepareError> {
        let entries = self.entries.lock();
        if entries.contains_key(name) {
            return Err(PrepareError::NameInUse(name.into()));
        }
        if entries.values().filter(|entry| !entry.stranded).count() >= self.limit {
            let full = CapacityExceeded { what: "prepared transactions", limit: self.limit };
            return Err(PrepareError::Full(full));
        }
        Ok(Vacancy { name, entries })
    }

    /// One that nobody prepared. Its name holds its id, so that it is nobody else's.
    pub(super) fn strand(&self, top: Xid, entry: Entry) {
        let mut entries = self.entries.lock();
        let mut name = format!("stranded {top}");
        while entries.contains_key(&name) {
            name.push('\'');
        }
        entries.insert(name, Entry { stranded: true, ..entry });
    }

    /// Takes the right to end it. It stays where it is until it has ended.
    pub(super) fn settle<'a>(&'a self, name: &'a str) -> Result<Settling<'a>, NotPrepared> {
        let mut entries = self.entries.lock();
        match entries.get_mut(name) {
            Some(entry) if !entry.settling => {
                entry.settling = true;
                Ok(Settling { all: self, name, entry: entry.clone(), settled: false })
            }
            _ => Err(NotPrepared { name: name.into() }),
        }
    }

    pub(super) fn list(&self) -> Vec<(String, Entry)> {
        self.entries.lock().iter().map(|(name, entry)| (name.clone(), entry.clone())).collect()
    }
}

pub(super) struct Vacancy<'a> {
    name: &'a str,
    entries: MutexGuard<'a, Entries>,
}

impl Vacancy<'_> {
    pub(super) fn fill(mut self, entry: Entry) {
        self.entries.insert(self.name.into(), entry);
    }
}

/// The right to end a prepared transaction. Gives it back when it is dropped before that.
pub(super) struct Settling<'a> {
    all: &'a Prepared,
    name: &'a str,
    pub(super) entry: Entry,
    settled: bool,
}

impl Settling<'_> {
    pub(super) fn done(mut self) {
        self.settled = true;
    }
}

impl Drop for Settling<'_> {
    fn drop(&mut self) {
        let mut entries = self.all.entries.lock();
        if self.settled {
            entries.remove(self.name);
        } else if let Some(entry) = entries.get_mut(self.name) {
            entry.settling = false;
        }
    }
}
