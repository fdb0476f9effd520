//! Pages of row versions, a writer that makes new ones, a pruner that removes old ones: what a scan reads.
//!
//! Two thirds of a page's places hold rows. Each row has one version for every snapshot, so a reader that accepts a page must have
//! seen exactly so many; any other number is a wrong answer of the snapshot or of the threshold.
//!
//! One thread writes and prunes. A page is read without a lock: its version is odd while it is being written, and a reader
//! starts over when it has changed meanwhile.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use snapshot_api::{Snapshot, Xid};

/// A row version.
#[derive(Debug, Default)]
struct Tuple {
    /// The transaction that made it; 0 where the place is free.
    inserted: AtomicU64,
    /// The transaction that replaced it; 0 where none has.
    deleted: AtomicU64,
}

/// A page of row versions.
#[derive(Debug)]
pub(super) struct Page {
    /// Odd while the page is written.
    version: AtomicU64,
    /// Room for rows and for new versions of them.
    tuples: Box<[Tuple]>,
    rows: usize,
}

impl Page {
    /// A page of so many places, two at least, with rows made by `by`, which has ended.
    pub(super) fn new(places: usize, by: Xid) -> Self {
        let tuples = (0..places).map(|_| Tuple::default()).collect();
        let rows = (places * 2 / 3).max(1);
        let page = Page { version: AtomicU64::new(0), tuples, rows };
        for tuple in &page.tuples[..rows] {
            tuple.inserted.store(by.get(), Ordering::Relaxed);
        }
        page
    }

    /// How many rows it has: what every snapshot sees.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// How many versions it has room for.
    pub(super) fn places(&self) -> usize {
        self.tuples.len()
    }

    /// How many versions `snapshot` sees: a visibility test for each.
    #[inline]
    pub(super) fn visible(&self, snapshot: &impl Snapshot) -> usize {
        loop {
            // Acquire: pairs with the Release store in `write`, so that what that writer (or pruner) did before is seen.
            let before = self.version.load(Ordering::Acquire);
            let seen = self.tuples.iter().filter(|tuple| tuple.is_visible(snapshot)).count();
            // Acquire fence: the loads above come before the load below. Pairs with the Release fence in `write`: had one
            // of them seen a new tuple, this load would see the odd version that came first.
            fence(Ordering::Acquire);
            if before.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == before {
                return seen;
            }
            std::hint::spin_loop();
        }
    }

    /// Replaces a row whose version is not of a transaction for which `is_open`; false where no row or no place is free.
    pub(super) fn update(&self, xid: Xid, start: usize, is_open: impl Fn(u64) -> bool) -> bool {
        let settled = |tuple: &&Tuple| {
            let inserted = tuple.inserted.load(Ordering::Relaxed);
            inserted != 0 && tuple.deleted.load(Ordering::Relaxed) == 0 && !is_open(inserted)
        };
        let (front, back) = self.tuples.split_at(start % self.places());
        let old = back.iter().chain(front).find(settled);
        let new = self.tuples.iter().find(|tuple| tuple.inserted.load(Ordering::Relaxed) == 0);
        let (Some(old), Some(new)) = (old, new) else { return false };
        self.write(|| {
            old.deleted.store(xid.get(), Ordering::Relaxed);
            new.inserted.store(xid.get(), Ordering::Relaxed);
        });
        true
    }

    /// Removes versions that were replaced by transactions below `bound`, all of which have ended.
    pub(super) fn prune(&self, bound: Xid) {
        let dead = |tuple: &&Tuple| {
            let deleted = tuple.deleted.load(Ordering::Relaxed);
            deleted != 0 && deleted < bound.get()
        };
        if !self.tuples.iter().any(|tuple| dead(&tuple)) {
            return;
        }
        self.write(|| {
            for tuple in self.tuples.iter().filter(dead) {
                tuple.inserted.store(0, Ordering::Relaxed);
                tuple.deleted.store(0, Ordering::Relaxed);
            }
        });
    }

    /// Only one thread writes.
    fn write(&self, change: impl FnOnce()) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        // Release fence: the odd version comes before the change. Pairs with the Acquire fence in `visible`.
        fence(Ordering::Release);
        change();
        // Release: pairs with the Acquire load in `visible`; the change, and the pruner's load of the threshold, happen
        // before.
        self.version.store(version + 2, Ordering::Release);
    }
}

impl Tuple {
    #[inline]
    fn is_visible(&self, snapshot: &impl Snapshot) -> bool {
        let inserted = self.inserted.load(Ordering::Relaxed);
        if inserted == 0 || snapshot.is_running(Xid::new(inserted)) {
            return false;
        }
        let deleted = self.deleted.load(Ordering::Relaxed);
        deleted == 0 || snapshot.is_running(Xid::new(deleted))
    }
}
