//! What a client can tell of a transaction: what it asked for, what it got, when, and how it ended.

use std::sync::atomic::{AtomicU64, Ordering};

/// A list's name.
pub(crate) type Key = u64;

/// What is appended, once in a history.
pub(crate) type Element = u64;

/// Everything that happened.
pub(crate) type History = Vec<Transaction>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Append {
        key: Key,
        element: Element,
    },
    Read {
        key: Key,
        list: Vec<Element>,
    },
    /// What follows can be undone.
    Savepoint,
    /// What follows the last savepoint has been undone; the savepoint is gone.
    RollBack,
    /// The last savepoint is gone; what follows it stays.
    Release,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    Committed,
    Aborted,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Transaction {
    /// Before it was asked to do anything.
    pub(crate) began: u64,
    pub(crate) ops: Vec<Op>,
    pub(crate) fate: Fate,
    /// After the answer to its commit, or abort, was there.
    pub(crate) ended: u64,
}

/// Puts begins and ends of all clients into one order.
#[derive(Debug, Default)]
pub(crate) struct Stopwatch(AtomicU64);

impl Stopwatch {
    /// The next moment. If a commit returned before its moment, and another transaction's first call came after that one's,
    /// then the later moment tells a client that the commit came first.
    pub(crate) fn moment(&self) -> u64 {
        // AcqRel: what a client knows at one moment is known at the next: as if it had sent a message. Whoever begins then has
        // the right to see it.
        self.0.fetch_add(1, Ordering::AcqRel)
    }

    /// How many moments there were.
    pub(crate) fn last(&self) -> u64 {
        // Relaxed: a number to wait by.
        self.0.load(Ordering::Relaxed)
    }
}
