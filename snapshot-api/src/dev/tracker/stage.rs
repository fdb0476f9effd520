//! [`Stage`]: a tracker, and the store that a law keeps beside it.
//!
//! The store is as small as it can be. Each writer has a few rows, all of which each of its commits writes anew. A row
//! remembers the last stamps in a ring:
//!
//! ```text
//!            oldest ◄──────────────────── newest
//!   row 0:    85   86   88   90   91   93            a reader goes from the newest back to the first that it sees
//!   row 1:    85   86   88   90   91                 93 is being written
//! ```
//!
//! What obsolete versions the collector has removed is one number a writer: those made obsolete by its commits up to
//! `removed`. A reader that does not see that commit has lost the version that it needs. So a look costs two loads and two
//! visibility tests, and a law's readers spend their time where the races are, inside `open`.
//!
//! *Lapped rings.* A writer may lap a reader that looks. Places are overwritten oldest first; a reader that finds the place
//! that it needs overwritten finds all older ones overwritten too, by stamps that it does not see: it finds nothing, and
//! the reading does not count.
//!
//! Nothing here is of [`crate::sync`], so that a thread's steps are the tracker's alone, but for those between the rows.

use std::{
    array::from_fn,
    collections::BTreeMap,
    mem::replace,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use super::{SnapshotTracker, held::Held};

/// How many may commit at the same time, each to rows of its own.
pub(super) const WRITERS: usize = 2;
/// How many rows a commit writes.
const ROWS: usize = 4;
/// How many stamps a row remembers.
const REMEMBERED: usize = 64;

/// What a reader finds in the rows of a writer: the newest stamp that it sees in each.
pub(super) type Reading = [Option<u64>; ROWS];

/// A tracker and its store.
pub(super) struct Stage<T> {
    pub(super) tracker: T,
    rows: [[Row; ROWS]; WRITERS],
    /// Commits that made versions obsolete which have not been removed, each with its writer.
    obsolete_by: Mutex<BTreeMap<u64, usize>>,
    /// Of each writer the highest commit of which what it made obsolete has been removed; 0 before the first.
    removed: [AtomicU64; WRITERS],
    /// The highest horizon that has been returned.
    horizon: AtomicU64,
}

/// The last stamps of one row.
struct Row {
    ring: [AtomicU64; REMEMBERED],
    count: AtomicUsize,
}

impl Row {
    fn new() -> Self {
        Row { ring: [const { AtomicU64::new(0) }; REMEMBERED], count: AtomicUsize::new(0) }
    }

    /// By the row's only writer.
    fn stamp(&self, number: u64) {
        // Relaxed: the writer's own.
        let count = self.count.load(Ordering::Relaxed);
        // Release, twice: who loads the stamp or the count with Acquire sees all older places as they are now.
        self.ring[count % REMEMBERED].store(number, Ordering::Release);
        self.count.store(count + 1, Ordering::Release);
    }

    fn newest_seen(&self, sees: impl Fn(u64) -> bool) -> Option<u64> {
        // Acquire, here and below: pairs with the stores above.
        let count = self.count.load(Ordering::Acquire);
        let places = (count.saturating_sub(REMEMBERED)..count).rev();
        places
            .map(|place| self.ring[place % REMEMBERED].load(Ordering::Acquire))
            .find(|&number| sees(number))
    }
}

impl<T: SnapshotTracker> Stage<T> {
    /// A new tracker, with one commit of each writer behind it.
    pub(super) fn new(tracker: T) -> Self {
        let stage = Stage {
            tracker,
            rows: from_fn(|_| from_fn(|_| Row::new())),
            obsolete_by: Mutex::default(),
            removed: [const { AtomicU64::new(0) }; WRITERS],
            horizon: AtomicU64::new(0),
        };
        for writer in 0..WRITERS {
            stage.commit(writer, || {});
        }
        stage
    }

    /// A commit of `writer`, which runs `between` before it stamps each row.
    pub(super) fn commit(&self, writer: usize, mut between: impl FnMut()) -> u64 {
        self.tracker.commit(|number| {
            self.obsolete_by().insert(number, writer);
            for row in &self.rows[writer] {
                crate::sync::step();
                between();
                row.stamp(number);
            }
        })
    }

    /// The collector: removes what commits below the horizon made obsolete.
    pub(super) fn collect(&self) {
        let horizon = self.tracker.horizon();
        let mut obsolete_by = self.obsolete_by();
        let kept = obsolete_by.split_off(&horizon);
        // Release: pairs with the Acquire load of whoever watches the horizon.
        self.horizon.fetch_max(horizon, Ordering::Release);
        for (last, writer) in replace(&mut *obsolete_by, kept) {
            // Release: pairs with the Acquire load of a look.
            self.removed[writer].fetch_max(last, Ordering::Release);
        }
    }

    /// Asks for the horizon, which lies nowhere below one returned before.
    pub(super) fn watch(&self) -> Result<(), String> {
        // Acquire and Release: what was returned before this call is seen by it.
        let before = self.horizon.load(Ordering::Acquire);
        let now = self.tracker.horizon();
        self.horizon.fetch_max(now, Ordering::Release);
        if now < before {
            return Err(format!("horizon() had said {before}, then it said {now}"));
        }
        Ok(())
    }

    /// Whether the version that the snapshot needs has been removed.
    pub(super) fn lost(&self, held: &Held<'_, T>) -> Result<(), String> {
        // Acquire: pairs with the collector's Release.
        let removed = self.removed.each_ref().map(|removed| removed.load(Ordering::Acquire));
        let unseen = removed.into_iter().find(|&removed| removed != 0 && !held.sees(removed));
        let Some(removed) = unseen else { return Ok(()) };
        let near = (removed.saturating_sub(1 << 20)..removed).rev();
        let newest = near.into_iter().find(|&number| held.sees(number));
        // Relaxed: for the message.
        let horizon = self.horizon.load(Ordering::Relaxed);
        let sees = newest.map_or("nothing".into(), |newest| format!("commits up to {newest}"));
        Err(format!(
            "a snapshot sees {sees}, and not commit {removed}; while it was being opened, horizon() said {horizon}. So the \
             collector removed what commits up to {removed} had made obsolete, and with it the version of {} that the \
             snapshot needs",
            newest.map_or("before the first".into(), |newest| format!("commit {newest}"))
        ))
    }

    /// What a snapshot finds in the rows of `writer`.
    pub(super) fn read(&self, writer: usize, held: &Held<'_, T>) -> Reading {
        from_fn(|row| self.rows[writer][row].newest_seen(|number| number != 0 && held.sees(number)))
    }

    fn obsolete_by(&self) -> MutexGuard<'_, BTreeMap<u64, usize>> {
        // A panic of the tracker may have passed through a commit.
        self.obsolete_by.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
