//! [`SkipOffsets`]: the thread's next-offset patch. Readers leave behind how far it was to the next running id.
//!
//! # Idea
//!
//! The [known-assigned array](strategy_baseline::known_array) with its flags stays as it is, and ends touch nothing more.
//! Beside each place stands a distance to the next one that is worth looking at, 1 at first. A reader that walks over ended
//! ids stores what it found at the running id that it came from:
//!
//! ```text
//!             0   1   2   3   4   5   6   7
//!   ids     │ 40│ 41│ 42│ 43│ 44│ 45│ 46│ 47│
//!   valid   │ T │ · │ · │ · │ T │ · │ · │ T │
//!   before  │ 1 │ 1 │ 1 │ 1 │ 1 │ 1 │ 1 │ 1 │      first scan: 8 places
//!   after   │ 4 │ 1 │ 1 │ 1 │ 3 │ 1 │ 1 │ 1 │      next scan: places 0, 4 and 7
//!
//!   end(44)   valid of place 4 goes; a scan goes 0 ─4─► 4 ─3─► 7 and leaves 7 at place 0
//! ```
//!
//! # The invariant, and why a stale distance is a safe one
//!
//! *A distance d at place p says: no id in the places p+1 … p+d−1 runs.* Once true it stays true:
//!
//! - In these places nothing begins to run: an ended id stays ended until its place is used anew.
//! - A place is used anew after the array was compacted or emptied, under the exclusive lock, or it is the head's: appended
//!   to. [`append`](Places::append) sets its distance to 1, also when compaction moves an id there, so no distance of a
//!   place's former use is ever read: whatever lies below the head has been appended since.
//! - A reader stores while it holds the shared lock, and looks no further than the head that it has loaded, so that the
//!   places in question are below the head and full of ids that had ended before its lock. Hence the store comes before
//!   any compaction, and an append never meets it: that is at or behind the head.
//!
//! So it may be too short, when more has ended since: a scan takes more steps, each of which leads to an ended id that knows
//! the way on. It is never too long. Two readers that store at one place at once both store what is true, and it does not
//! matter whose stays. So all of it can be Relaxed.
//!
//! A reader that stores after it has let go of the lock, and an append that leaves the old distance, skip a running id:
//! both are kept in `tests/loom.rs` as models that must fail.
//!
//! # Costs
//!
//! Take O(running + ended since the last take): the first scan after many ends pays once for all. Ends as with flags alone.
//! Readers write to shared lines, but only where they learn something. Memory 13 bytes a place.
//!
//! # Source
//!
//! Thread *Slow standby snapshot*, its benchmark mail (2022): 5,000 connections, a transaction of 5 s: −10% of the
//! standby's throughput before, nothing after.

use std::ops::Range;

use snapshot_api::{
    Costs, Xid,
    sync::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
};
use strategy_baseline::known_array::{KnownArray, Places};

use crate::ListConfig;

/// A standby's array over which readers leave each other the distances to what runs: the thread's next-offset patch.
///
/// ```
/// use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid};
/// use strategy_linkedlist::SkipOffsets;
///
/// let array = SkipOffsets::restore(&Default::default(), Xid::new(9), &[Xid::new(7)])?;
/// let session = SessionId::new(0);
/// for id in 10..10_000 {
///     array.begin(session, Xid::new(id))?;
/// }
/// for id in 10..9_999 {
///     array.end(session, &[Xid::new(id)]);
/// }
/// let mut snapshot = array.snapshot();
/// array.take(&mut snapshot);
/// array.end(session, &[Xid::new(9_999)]);
/// array.take(&mut snapshot);
/// assert!(snapshot.running().eq([Xid::new(7)]), "found by reading the first place and the last");
/// assert_eq!(array.occupancy().span, 9_991);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type SkipOffsets = KnownArray<Distances>;

/// Three parallel arrays: the ids, for each whether it runs, and how far it is to the next that may.
#[derive(Debug)]
pub struct Distances {
    ids: Box<[AtomicU64]>,
    valid: Box<[AtomicBool]>,
    /// Of each place: so many further on is the next one that may hold a running id; see the page of this module. Never 0
    /// in a place that is in use.
    skips: Box<[AtomicU32]>,
}

impl Distances {
    fn runs(&self, place: usize) -> bool {
        self.valid[place].load(Relaxed)
    }

    fn xid(&self, place: usize) -> Xid {
        Xid::new(self.ids[place].load(Relaxed))
    }

    fn skip(&self, place: usize) -> usize {
        self.skips[place].load(Relaxed) as usize
    }

    /// The next place below `end` that holds a running id, or one at or behind `end`. Leaves at `place` what it has learnt.
    fn next(&self, place: usize, end: usize) -> usize {
        let known = self.skip(place);
        let mut to = place + known;
        while to < end && !self.runs(to) {
            to += self.skip(to);
        }
        if to - place != known {
            // Relaxed: true whoever reads it and whenever, as the page shows. Where it is too far for 32 bits a shorter one
            // is as true.
            self.skips[place].store(u32::try_from(to - place).unwrap_or(u32::MAX), Relaxed);
        }
        to
    }
}

impl Places for Distances {
    type Config = ListConfig;

    const SOURCE: &'static str =
        "thread \"Slow standby snapshot\", benchmark mail, 2022: offset of the next valid element";
    const COSTS: Costs = Costs {
        take: "O(running + ended since the last take)",
        begin: "O(1) amortised",
        end: "O(log span); O(running) where gaps are closed",
        is_running: "O(log running)",
    };

    fn name(config: &ListConfig) -> String {
        format!("skip-offsets{config}")
    }

    fn new(len: usize) -> Self {
        Distances {
            ids: (0..len).map(|_| AtomicU64::new(0)).collect(),
            valid: (0..len).map(|_| AtomicBool::new(false)).collect(),
            skips: (0..len).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    fn size(&self) -> usize {
        self.ids.len()
    }

    fn grown(&self, len: usize) -> Self {
        let larger = Distances::new(len);
        for place in 0..self.size() {
            larger.append(place, self.xid(place));
            larger.valid[place].store(self.runs(place), Relaxed);
            // Readers may be about to store a longer one here, which is then lost: a shorter one is as true.
            larger.skips[place].store(self.skips[place].load(Relaxed), Relaxed);
        }
        larger
    }

    fn append(&self, place: usize, xid: Xid) {
        self.ids[place].store(xid.get(), Relaxed);
        self.valid[place].store(true, Relaxed);
        self.skips[place].store(1, Relaxed);
    }

    fn remove(&self, live: Range<usize>, xid: Xid) -> Option<usize> {
        let ids = &self.ids[live.clone()];
        let found = ids.binary_search_by_key(&xid.get(), |id| id.load(Relaxed)).ok()?;
        let place = Some(live.start + found).filter(|&place| self.runs(place))?;
        self.valid[place].store(false, Relaxed);
        Some(place)
    }

    fn remove_below(&self, live: Range<usize>, below: Xid) -> usize {
        let (mut place, mut gone) = (live.start, 0);
        while place < live.end && self.xid(place) < below {
            self.valid[place].store(false, Relaxed);
            gone += 1;
            place = self.next(place, live.end);
        }
        gone
    }

    fn first_valid(&self, live: Range<usize>) -> usize {
        if live.is_empty() || self.runs(live.start) {
            return live.start;
        }
        self.next(live.start, live.end).min(live.end)
    }

    #[inline(never)]
    fn scan(&self, live: Range<usize>, xmax: Xid, running: &mut Vec<Xid>) {
        let mut place = live.start;
        while place < live.end {
            let xid = self.xid(place);
            if xid >= xmax {
                break;
            }
            running.push(xid);
            place = self.next(place, live.end);
        }
    }

    fn compact(&self, live: Range<usize>) -> usize {
        let (mut from, mut to) = (live.start, 0);
        while from < live.end {
            let (xid, next) = (self.xid(from), self.next(from, live.end));
            // In place: `to` is never ahead of `from`, and all running ids at or before `from` have been read.
            self.append(to, xid);
            (from, to) = (next, to + 1);
        }
        to
    }
}

#[cfg(all(test, not(snapshot_loom)))]
mod tests;
