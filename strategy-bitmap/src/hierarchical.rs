//! [`HierarchicalBitmap`]: bits with summary levels and nothing that is zero, shared by readers without a lock.
//!
//! # Idea
//!
//! A bitmap over the window grows with one old transaction, and every reader walks over it. Here a block of 64 words says
//! which of them are stored, and neither a word nor a block is stored in which nothing runs: the size is by the number
//! running. All of it, with xmin and xmax, is one immutable object, an *edition*. A change makes the next edition and swaps
//! the root pointer; a reader takes the pointer, and that is its snapshot.
//!
//! ```text
//!    writers, one at a time                                                     readers, any number
//!
//!    above xmax   900 903 904         ┌────────────► root ◄───────────────── take: load, count one more
//!    log of changes  … −871 +899 −872 │               │
//!                                     │               ▼
//!    spare  ┌───────────┐  replay  ┌──┴────────┐   ┌───────────┐             ┌───────────┐
//!    what it│edition 41 │ ───────► │edition 43 │   │edition 42 │             │edition 17 │ ◄─ a snapshot that is kept
//!    missed └───────────┘          └───────────┘   └───────────┘             └───────────┘
//!
//!    an edition:  xmin 131 · xmax 899 · blocks │0 ··1···· │ … │9 1····│ · words │0…1000│ … │1101…│
//! ```
//!
//! Nobody copies an edition where it can be helped. One that was swapped out and that no reader has is brought up to date by the few
//! changes that it missed, and published again: two editions take turns. Where readers have all of the last ones a copy is
//! made. An id that begins lies above xmax, where everything counts as running, so that it waits in a queue of the writers
//! until something above it completes: `begin` publishes nothing.
//!
//! # Invariants
//!
//! - An edition holds just the running ids below its xmax. It is written only while one thread alone has it.
//! - The counter is not below the number of any edition that was ever the root.
//! - The log holds every change that a spare edition has not seen; a spare that is too old for it is given up.
//!
//! # Why it is right
//!
//! An edition is made and swapped in under the writers' lock, so editions form one sequence, each with all that was changed
//! before it: laws 1 to 3 and whole trees hold for whoever reads one of them, as there is nothing else to read. A take that
//! loads the root gets the edition that is the newest at that moment of the call.
//!
//! **Used again.** The swap hands the old edition back with a count for every reader that had loaded it by then, and no
//! reader can load it later. If the count shows that the writer alone has it, so it stays: only who has one can pass it on.
//! That question is `Arc::get_mut`, whose Acquire pairs with the Release of each reader's letting go.
//!
//! **Nothing has changed.** A value carries the number of the edition that it points to. A take loads the counter first; if it equals
//! that number, the edition was the root before, and its successor was not yet swapped in when the counter was
//! loaded, since the successor's number is stored *before* its swap. So it is the newest at that moment: law 1. Whoever has
//! seen an edition finds a counter no lower than its number, so an older value of the same thread is not taken for
//! current: law 5. Raised after the swap, the counter would allow just that; and a value stamped with the counter in place of the
//! edition's own number would miss an end. Both are among the models that must fail.
//!
//! # Progress
//!
//! A take is a load, or a load and arc-swap's: lock-free. Writers take turns at a lock; none of them waits for a reader. A
//! reader that stops anywhere keeps one edition alive.
//!
//! # Costs
//!
//! Take O(1). `begin` O(1) amortised; `end` O(log running) an id, amortised, twice for the editions that take turns, and a
//! copy of O(running) where readers have the last four. `is_running` O(log running): a search among blocks, at once for
//! the newest block. A running id costs from an eighth of a byte, where ids are dense, to 32 bytes, in a block of its own;
//! up to twice that before a compaction; and that for each edition that somebody has. One above xmax costs eight.
//!
//! # What else was tried
//!
//! A list of the reader's own, copied out of the edition. It would pin no edition, but a fresh take costs ten to thirty times as
//! much, and a list is faster to search only where each id lies in a block of its own: the crate's page has the figures.
//!
//! # Source
//!
//! Ours, from the thread's bitmap. Editions that take turns and a log that is replayed on the one that is out of date are
//! left-right's (Ramalhete and Correia, 2015, and the crate of that name), but for the waiting: where its writer waits for a
//! reader, this one copies.

mod cell;
mod changes;
mod edition;
mod levels;
mod writer;

use std::sync::Arc;

use snapshot_api::{
    BeginError, Costs, Facts, InstanceId, Memory, Progress, Restore, RestoreError, SessionId,
    SnapshotStrategy, Standby, Xid, highest_normal, restore_list,
    sync::{
        AtomicU64, Mutex,
        Ordering::{Acquire, Release},
        Padded,
    },
};

pub use self::edition::HierarchicalSnapshot;
use self::{cell::Cell, edition::Edition, writer::Writer};

/// A sparse bitmap with summary levels: snapshots point to an edition of it.
///
/// ```
/// use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid};
/// use strategy_bitmap::HierarchicalBitmap;
///
/// let bitmap = HierarchicalBitmap::restore(&(), Xid::new(9), &[Xid::new(7)])?;
/// let session = SessionId::new(0);
/// for id in 10..1_000_000 {
///     bitmap.begin(session, Xid::new(id))?;
///     bitmap.end(session, &[Xid::new(id)]);
/// }
/// let mut snapshot = bitmap.snapshot();
/// bitmap.take(&mut snapshot);
/// assert_eq!((snapshot.xmin(), snapshot.xmax()), (Xid::new(7), Xid::new(1_000_000)));
/// assert!(snapshot.running().eq([Xid::new(7)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct HierarchicalBitmap {
    instance: InstanceId,
    writer: Padded<Mutex<Writer>>,
    /// The newest edition.
    root: Padded<Cell<Edition>>,
    /// Its number, or that of the next one. Written under the writers' lock, before the root.
    number: Padded<AtomicU64>,
    /// What an empty value points to.
    empty: Arc<Edition>,
}

impl HierarchicalBitmap {
    /// Makes a change and publishes it as the next edition.
    fn change(&self, change: impl FnOnce(&mut Writer)) {
        let mut writer = self.writer.lock();
        change(&mut writer);
        let next = writer.next(|| self.root.load());
        // Release: pairs with the Acquire load in `take`. Before the root: whoever has an edition finds a number that is
        // no lower than the edition's own.
        self.number.store(writer.number(), Release);
        let old = self.root.swap(next);
        writer.retire(old);
    }

    /// Apart from `take`, so that an unchanged snapshot costs a load and not a call.
    #[inline(never)]
    fn point(&self, snapshot: &mut HierarchicalSnapshot) {
        *snapshot = HierarchicalSnapshot::new(self.instance, self.root.load());
    }
}

impl SnapshotStrategy for HierarchicalBitmap {
    type Snapshot = HierarchicalSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "hierarchical-bitmap".into(),
            source: "ours: the thread's bitmap with summary levels, immutable under one root pointer",
            costs: Costs {
                take: "O(1)",
                begin: "O(1) amortised",
                end: "O(log running) amortised; O(running) where readers keep the last editions",
                is_running: "O(log running)",
            },
            readers: Progress::LockFree,
            writers: Progress::Blocking,
            unordered_begin: false,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> HierarchicalSnapshot {
        HierarchicalSnapshot::new(InstanceId::NONE, Arc::clone(&self.empty))
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        // Nothing to publish: the id lies at or above the xmax of every snapshot there is.
        self.writer.lock().begin(xid)
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        if let Some(highest) = highest_normal(tree) {
            self.change(|writer| writer.complete(highest, tree));
        }
    }

    #[inline]
    fn take(&self, snapshot: &mut HierarchicalSnapshot) {
        // Acquire: pairs with the Release store in `change`.
        let number = self.number.load(Acquire);
        // Both comparisons in one branch: neither is worth its own.
        if (snapshot.number != number) | (snapshot.instance != self.instance) {
            self.point(snapshot);
        }
    }

    fn lock_waits(&self) -> u64 {
        self.writer.waits()
    }
}

impl Restore for HierarchicalBitmap {
    type Config = ();

    fn restore(_config: &(), latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let (writer, first) = Writer::new(latest_completed, running);
        Ok(HierarchicalBitmap {
            instance: InstanceId::unique(),
            number: Padded(AtomicU64::new(writer.number())),
            writer: Padded(Mutex::new(writer)),
            root: Padded(Cell::new(first)),
            empty: Arc::new(Edition::empty()),
        })
    }
}

impl Standby for HierarchicalBitmap {
    fn forget(&self, xids: &[Xid]) {
        self.change(|writer| writer.forget(xids));
    }

    fn complete(&self, latest: Xid) {
        if latest.is_normal() {
            self.change(|writer| writer.complete(latest, &[]));
        }
    }

    fn prune(&self, below: Xid) {
        self.change(|writer| writer.prune(below));
    }
}

#[cfg(test)]
mod tests;
