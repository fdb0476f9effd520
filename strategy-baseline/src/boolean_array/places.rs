//! The two parallel arrays: ids in rising order, and for each whether it still runs.

use std::ops::Range;

use snapshot_api::{
    Xid,
    sync::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

/// Ids and valid flags, side by side.
///
/// Every access is Relaxed and compiles to a plain move: a place below the head is published by the Release store of
/// the head and changes under the exclusive lock alone, one at or above it is seen by the appender alone. The atomics
/// are there since appender and readers share the array without a common lock, not for their order.
#[derive(Debug)]
pub(super) struct Places {
    ids: Box<[AtomicU64]>,
    valid: Box<[AtomicBool]>,
}

impl Places {
    /// So many places, none in use.
    pub(super) fn new(len: usize) -> Self {
        Places {
            ids: (0..len).map(|_| AtomicU64::new(0)).collect(),
            valid: (0..len).map(|_| AtomicBool::new(false)).collect(),
        }
    }

    /// How many places there are.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// A larger array with the same content in the same places. Nobody may change flags meanwhile.
    pub(super) fn grown(&self, len: usize) -> Self {
        let larger = Places::new(len);
        for (from, to) in self.ids.iter().zip(&larger.ids) {
            to.store(from.load(Relaxed), Relaxed);
        }
        for (from, to) in self.valid.iter().zip(&larger.valid) {
            to.store(from.load(Relaxed), Relaxed);
        }
        larger
    }

    /// Enters a running id.
    pub(super) fn put(&self, place: usize, xid: Xid) {
        self.ids[place].store(xid.get(), Relaxed);
        self.valid[place].store(true, Relaxed);
    }

    /// Marks the id as ended. It stays where it is, so that the array stays sorted.
    pub(super) fn clear(&self, place: usize) {
        self.valid[place].store(false, Relaxed);
    }

    /// The first place in `live` that holds a running id, or its end.
    pub(super) fn first_valid(&self, live: Range<usize>) -> usize {
        let skip = self.valid[live.clone()].iter().position(|flag| flag.load(Relaxed));
        skip.map_or(live.end, |skip| live.start + skip)
    }

    /// The place of `xid`, if it runs. O(log of the range).
    pub(super) fn find(&self, live: Range<usize>, xid: Xid) -> Option<usize> {
        let place =
            self.ids[live.clone()].binary_search_by_key(&xid.get(), |id| id.load(Relaxed)).ok()?;
        Some(live.start + place).filter(|&place| self.valid[place].load(Relaxed))
    }

    /// Adds the running ids in `live` that lie below `xmax` to `running`, in rising order. One flag after the other, as
    /// PostgreSQL does: the cost that the reports are about.
    #[inline(never)]
    pub(super) fn scan(&self, live: Range<usize>, xmax: Xid, running: &mut Vec<Xid>) {
        for (flag, id) in self.valid[live.clone()].iter().zip(&self.ids[live]) {
            if flag.load(Relaxed) {
                let xid = Xid::new(id.load(Relaxed));
                if xid >= xmax {
                    break;
                }
                running.push(xid);
            }
        }
    }

    /// Marks the running ids below `below` as ended and says how many there were.
    pub(super) fn clear_below(&self, live: Range<usize>, below: Xid) -> usize {
        let mut cleared = 0;
        for place in live {
            if self.ids[place].load(Relaxed) >= below.get() {
                break;
            }
            if self.valid[place].load(Relaxed) {
                self.clear(place);
                cleared += 1;
            }
        }
        cleared
    }

    /// Moves the running ids in `live` to the front of the array and says how many there are.
    pub(super) fn compact(&self, live: Range<usize>) -> usize {
        let mut to = 0;
        for from in live {
            if self.valid[from].load(Relaxed) {
                // In place: `to` is never ahead of `from`, and all that lies at or behind it has been moved.
                self.put(to, Xid::new(self.ids[from].load(Relaxed)));
                to += 1;
            }
        }
        to
    }
}
