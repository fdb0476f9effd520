//! [`Sessions`]: who is there, and which numbers are taken.
//!
//! A number names a place in strategies that have one for each session. It goes with the transaction: one that is prepared
//! keeps its number, and the session that prepared it gets another. The lowest free number is given out first, so that those
//! in use lie close together.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{
    CapacityExceeded, SessionId, Timestamp, Xid,
    sync::{AtomicU64, Mutex, Ordering},
};

/// Who somebody is, for people to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Owner {
    pub(super) session: SessionId,
    pub(super) label: Option<Arc<str>>,
}

/// What a session shows to others. On lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Record {
    /// The transaction's id, 0 where it has none.
    top: AtomicU64,
    /// When it got its id.
    since: AtomicU64,
    label: Mutex<Option<Arc<str>>>,
}

impl Record {
    pub(super) fn begins(&self, top: Xid, time: Timestamp) {
        // Relaxed, also below: for people to read.
        self.since.store(time.as_micros(), Ordering::Relaxed);
        self.top.store(top.get(), Ordering::Relaxed);
    }

    pub(super) fn ends(&self) {
        self.top.store(0, Ordering::Relaxed);
    }

    /// The transaction's id, and when it got it.
    pub(super) fn transaction(&self) -> Option<(Xid, Timestamp)> {
        let top = self.top.load(Ordering::Relaxed);
        let since = Timestamp::from_micros(self.since.load(Ordering::Relaxed));
        (top != 0).then_some((Xid::new(top), since))
    }

    pub(super) fn since(&self) -> Timestamp {
        Timestamp::from_micros(self.since.load(Ordering::Relaxed))
    }

    pub(super) fn label(&self) -> Option<Arc<str>> {
        self.label.lock().clone()
    }

    pub(super) fn set_label(&self, label: Option<Arc<str>>) {
        *self.label.lock() = label;
    }
}

#[derive(Debug)]
pub(super) struct Sessions {
    limit: u32,
    numbers: Mutex<Numbers>,
}

#[derive(Debug, Default)]
struct Numbers {
    free: BTreeSet<SessionId>,
    /// The first number that was never given out.
    next: u32,
    live: BTreeMap<SessionId, Arc<Record>>,
}

impl Numbers {
    fn draw(&mut self) -> SessionId {
        self.free.pop_first().unwrap_or_else(|| {
            self.next += 1;
            SessionId::new(self.next - 1)
        })
    }
}

impl Sessions {
    pub(super) fn new(limit: u32) -> Self {
        Sessions { limit, numbers: Mutex::default() }
    }

    /// A session comes.
    pub(super) fn enter(&self) -> Result<(SessionId, Arc<Record>), CapacityExceeded> {
        let mut numbers = self.numbers.lock();
        if numbers.live.len() >= self.limit as usize {
            return Err(CapacityExceeded { what: "sessions", limit: self.limit as usize });
        }
        let (number, record) = (numbers.draw(), Arc::new(Record::default()));
        numbers.live.insert(number, Arc::clone(&record));
        Ok((number, record))
    }

    /// A session goes.
    pub(super) fn leave(&self, number: SessionId) {
        let mut numbers = self.numbers.lock();
        numbers.live.remove(&number);
        numbers.free.insert(number);
    }

    /// A session leaves its number to a transaction and gets another one.
    pub(super) fn renumber(&self, number: SessionId) -> SessionId {
        let mut numbers = self.numbers.lock();
        let other = numbers.draw();
        if let Some(record) = numbers.live.remove(&number) {
            numbers.live.insert(other, record);
        }
        other
    }

    /// A number that belongs to no session.
    pub(super) fn draw(&self) -> SessionId {
        self.numbers.lock().draw()
    }

    /// Such a number is free again.
    pub(super) fn give_back(&self, number: SessionId) {
        self.numbers.lock().free.insert(number);
    }

    pub(super) fn live(&self) -> Vec<(SessionId, Arc<Record>)> {
        let numbers = self.numbers.lock();
        numbers.live.iter().map(|(&number, record)| (number, Arc::clone(record))).collect()
    }
}
