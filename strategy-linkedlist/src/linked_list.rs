//! [`LinkedList`]: the thread's patch. The places that hold running ids form a doubly linked list.
//!
//! # Idea
//!
//! The [known-assigned array](strategy_baseline::known_array) stays: sorted ids, binary search, compaction. But where
//! PostgreSQL keeps a flag beside each id, there are two links, and a snapshot goes from one running id to the next:
//!
//! ```text
//!             0   1   2   3   4   5   6   7
//!   ids     │ 40│ 41│ 42│ 43│ 44│ 45│ 46│   │
//!   next    │ 3─┼───┼──►│ 5─┼──►│ 6─┼►· │   │      running: 40 43 45 46, found by reading 4 places of 7
//!   prev    │ · │ x │ x │ 0 │ x │ 3 │ 5 │   │      x: ended
//!             ▲                           ▲
//!            tail                        head
//! ```
//!
//! # Invariants
//!
//! - The list holds just the places in the live range whose ids run, in rising order; its first one is the tail.
//! - A place that ended keeps its own `next`, so that whoever has just ended the first ones still finds what follows.
//! - `last` is the list's last place: the next id is linked behind it.
//!
//! # Why it is right
//!
//! An end unlinks under the exclusive lock, so no reader stands on the place or meets half of the change. An append alone
//! works beside readers: it writes the new place, makes the last one point to it, and then the head is stored with
//! Release. A reader goes no further than the head that it has loaded with Acquire: a link to a place at or behind that
//! one ends its walk, whether it was written before or after, so it never reads a place that is not whole. What it misses
//! began after that head was stored, and the array's page shows that such an id is not below xmax.
//!
//! Without the bound a reader could follow the new link to a place that it does not see written yet; and two ends that
//! unlink neighbours beside each other lose one of the two. `tests/loom.rs` keeps both as models that must fail.
//!
//! # Costs
//!
//! Take O(running): one place, 16 bytes, for each id. End O(log span), like begin a few links more to write than a flag.
//! Memory 16 bytes a place (9 with flags). A walk waits for one place before it knows the next, so that where most ids of
//! a short span run, flags are faster.
//!
//! # Source
//!
//! Thread *Slow standby snapshot* (2021): snapshots from O(head − tail) to O(running), 74% to 48% of processor time.

use std::ops::Range;

use snapshot_api::{
    Costs, Xid,
    sync::{AtomicU32, AtomicU64, Ordering::Relaxed},
};
use strategy_baseline::known_array::{KnownArray, Places};

use crate::ListConfig;

/// A standby's array whose running ids are linked: the thread's patch against slow standby snapshots.
///
/// ```
/// use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid};
/// use strategy_linkedlist::LinkedList;
///
/// let list = LinkedList::restore(&Default::default(), Xid::new(9), &[Xid::new(7)])?;
/// let session = SessionId::new(0);
/// for id in 10..10_000 {
///     list.begin(session, Xid::new(id))?;
///     list.end(session, &[Xid::new(id)]);
/// }
/// let mut snapshot = list.snapshot();
/// list.take(&mut snapshot);
/// assert!(snapshot.running().eq([Xid::new(7)]), "one place read, whatever lies between tail and head");
/// assert_eq!((list.occupancy().valid, list.occupancy().span), (1, 9_991));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type LinkedList = KnownArray<Links>;

/// No place: behind the last one, before the first.
const NONE: u32 = u32::MAX;
/// Instead of the place before: this one's id has ended.
const ENDED: u32 = u32::MAX - 1;

/// An array of ids, those that run linked both ways.
#[derive(Debug)]
pub struct Links {
    places: Box<[Place]>,
    last: Last,
}

/// The last place that holds a running id, or [`NONE`]. Written by the holder of the append mutex and never read by
/// readers, hence on a line of its own.
#[derive(Debug)]
#[repr(align(128))]
struct Last(AtomicU32);

/// One id and its neighbours. Every access is Relaxed: the array's locks and its head order them.
#[derive(Debug)]
#[repr(align(16))]
struct Place {
    id: AtomicU64,
    /// The next place that holds a running id, or [`NONE`].
    next: AtomicU32,
    /// The one before, or [`NONE`]; [`ENDED`] where the id here does not run.
    prev: AtomicU32,
}

impl Place {
    fn xid(&self) -> Xid {
        Xid::new(self.id.load(Relaxed))
    }

    fn next(&self) -> usize {
        self.next.load(Relaxed) as usize
    }

    fn runs(&self) -> bool {
        self.prev.load(Relaxed) != ENDED
    }

    fn write(&self, xid: Xid, prev: u32, next: u32) {
        self.id.store(xid.get(), Relaxed);
        self.prev.store(prev, Relaxed);
        self.next.store(next, Relaxed);
    }
}

impl Links {
    /// Takes a place out of the list. Nobody reads it meanwhile.
    fn unlink(&self, place: usize) {
        let place = &self.places[place];
        let (prev, next) = (place.prev.load(Relaxed), place.next.load(Relaxed));
        if let Some(before) = self.places.get(prev as usize) {
            before.next.store(next, Relaxed);
        }
        match self.places.get(next as usize) {
            Some(behind) => behind.prev.store(prev, Relaxed),
            None => self.last.0.store(prev, Relaxed),
        }
        place.prev.store(ENDED, Relaxed);
    }
}

impl Places for Links {
    type Config = ListConfig;

    const SOURCE: &'static str =
        "thread \"Slow standby snapshot\", 2021: doubly linked list of valid elements";
    const COSTS: Costs = Costs {
        take: "O(running)",
        begin: "O(1) amortised",
        end: "O(log span); O(running) where gaps are closed",
        is_running: "O(log running)",
    };
    /// Links are 32 bits wide.
    const MOST: usize = ENDED as usize;

    fn name(config: &ListConfig) -> String {
        format!("linked-list{config}")
    }

    fn new(len: usize) -> Self {
        let unused = |_| Place {
            id: AtomicU64::new(0),
            next: AtomicU32::new(NONE),
            prev: AtomicU32::new(ENDED),
        };
        Links { places: (0..len).map(unused).collect(), last: Last(AtomicU32::new(NONE)) }
    }

    fn size(&self) -> usize {
        self.places.len()
    }

    fn grown(&self, len: usize) -> Self {
        let larger = Links::new(len);
        for (from, to) in self.places.iter().zip(&larger.places) {
            to.write(from.xid(), from.prev.load(Relaxed), from.next.load(Relaxed));
        }
        larger.last.0.store(self.last.0.load(Relaxed), Relaxed);
        larger
    }

    fn append(&self, place: usize, xid: Xid) {
        let last = self.last.0.load(Relaxed);
        self.places[place].write(xid, last, NONE);
        if let Some(before) = self.places.get(last as usize) {
            before.next.store(place as u32, Relaxed);
        }
        self.last.0.store(place as u32, Relaxed);
    }

    fn remove(&self, live: Range<usize>, xid: Xid) -> Option<usize> {
        let found = self.places[live.clone()].binary_search_by_key(&xid, Place::xid).ok()?;
        let place = Some(live.start + found).filter(|&place| self.places[place].runs())?;
        self.unlink(place);
        Some(place)
    }

    fn remove_below(&self, live: Range<usize>, below: Xid) -> usize {
        let (mut place, mut gone) = (live.start, 0);
        while let Some(at) = self.places[..live.end].get(place).filter(|at| at.xid() < below) {
            self.unlink(place);
            gone += 1;
            place = at.next();
        }
        gone
    }

    fn first_valid(&self, live: Range<usize>) -> usize {
        let mut place = live.start;
        // What has just ended at the front still leads to what was behind it then.
        while let Some(at) = self.places[..live.end].get(place).filter(|at| !at.runs()) {
            place = at.next();
        }
        place.min(live.end)
    }

    #[inline(never)]
    fn scan(&self, live: Range<usize>, xmax: Xid, running: &mut Vec<Xid>) {
        // No further than the head that was loaded: a link to it or beyond may lead to what is not written yet.
        let places = &self.places[..live.end];
        let mut place = live.start;
        while let Some(at) = places.get(place) {
            let xid = at.xid();
            if xid >= xmax {
                break;
            }
            running.push(xid);
            place = at.next();
        }
    }

    fn compact(&self, live: Range<usize>) -> usize {
        let (mut from, mut to) = (live.start, 0);
        self.last.0.store(NONE, Relaxed);
        while let Some(at) = self.places[..live.end].get(from) {
            let (xid, next) = (at.xid(), at.next());
            // In place: `to` is never ahead of `from`, and all running ids at or before `from` have been read.
            self.append(to, xid);
            (from, to) = (next, to + 1);
        }
        to
    }
}

#[cfg(all(test, not(snapshot_loom)))]
mod tests;
