//! Hands out ids in order, each published before any higher one can complete.
//!
//! Two reports show what goes wrong otherwise. PostgreSQL (commit 74fc8386) read the next id as 101 before id 100 stood
//! in its table of running ones: the oldest running came out as 101. WiredTiger (WT-2241) raised its counter before the
//! id stood in the table: a dirty read. Both are one mistake, so here the counter is raised by whoever holds the lock,
//! *after* [`begin`](crate::SnapshotStrategy::begin) has returned:
//!
//! ```text
//!  lock ─► begin(100) returns ─► next := 101 (Release) ─► unlock
//!                                      │
//!  anyone                 next() = 101 (Acquire): 100 is in the table
//! ```

use std::{error::Error, fmt};

use crate::{
    BeginError, SessionId, SnapshotStrategy, Xid,
    sync::{AtomicU64, Mutex, Ordering},
};

/// Hands out ids in rising order and enters each in a strategy before the next one exists.
///
/// ```
/// use snapshot_api::{Assigner, SessionId, Xid};
/// # use snapshot_api::{dev::models::LockedSet as AnyStrategy, Restore};
/// # let strategy = AnyStrategy::restore(&(), Xid::FROZEN, &[])?;
/// let assigner = Assigner::new(Xid::FIRST_NORMAL);
/// assert_eq!(assigner.assign(&strategy, SessionId::new(0))?, Xid::new(3));
/// assert_eq!(assigner.next(), Xid::new(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Assigner {
    turn: Mutex<()>,
    /// The id to hand out next. Written by the holder of `turn` alone.
    next: AtomicU64,
}

impl Assigner {
    /// Starts at `next`, or at [`Xid::FIRST_NORMAL`] where `next` is reserved.
    pub fn new(next: Xid) -> Self {
        Assigner { turn: Mutex::new(()), next: AtomicU64::new(next.max(Xid::FIRST_NORMAL).get()) }
    }

    /// The id that is handed out next. Every id below it that was handed out has been entered.
    ///
    /// Ordering: Acquire; whoever reads n sees `begin` of every id below n.
    pub fn next(&self) -> Xid {
        // Acquire: pairs with the Release store in `assign`, so that `begin` of every lower id happens before.
        Xid::new(self.next.load(Ordering::Acquire))
    }

    /// Hands out the next id and enters it for `session`. One caller at a time.
    ///
    /// Should `begin` panic, its id is burnt: nobody else gets it.
    ///
    /// # Errors
    ///
    /// [`AssignError::Exhausted`] after [`Xid::LAST_NORMAL`]; [`AssignError::Refused`] when the strategy refuses, in which
    /// case the id is not used up.
    pub fn assign<S: SnapshotStrategy>(
        &self,
        strategy: &S,
        session: SessionId,
    ) -> Result<Xid, AssignError> {
        let _turn = self.turn.lock();
        // Relaxed: only holders of `turn` write, and its lock orders them.
        let xid = Xid::new(self.next.load(Ordering::Relaxed));
        if !xid.is_normal() {
            return Err(AssignError::Exhausted);
        }
        let raise = Raise { next: &self.next, to: xid.next() };
        match strategy.begin(session, xid) {
            Ok(()) => {
                drop(raise);
                Ok(xid)
            }
            Err(refused) => {
                std::mem::forget(raise);
                Err(AssignError::Refused(refused))
            }
        }
    }
}

/// Raises the counter when it goes, also when `begin` unwinds.
struct Raise<'a> {
    next: &'a AtomicU64,
    to: Xid,
}

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        // Release: pairs with the Acquire load in `next`; `begin` of the id just below has returned.
        self.next.store(self.to.get(), Ordering::Release);
    }
}

/// Why no id was handed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AssignError {
    /// All 2⁶⁴ ids are used up.
    Exhausted,
    /// The strategy did not enter the id.
    Refused(BeginError),
}

impl fmt::Display for AssignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AssignError::Exhausted => f.write_str("no transaction id is left"),
            AssignError::Refused(why) => write!(f, "no transaction id assigned: {why}"),
        }
    }
}

impl Error for AssignError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            AssignError::Exhausted => None,
            AssignError::Refused(why) => Some(why),
        }
    }
}
