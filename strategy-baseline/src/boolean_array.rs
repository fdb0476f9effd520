//! [`BooleanArray`]: PostgreSQL's KnownAssignedXids, by which a standby knows what runs on its primary.
//!
//! # Idea
//!
//! The [known-assigned array](crate::known_array) with a flag beside each id that says whether it still runs. A snapshot
//! walks over the flags, one after the other.
//!
//! ```text
//!             0   1   2   3   4   5   6   7   8   9
//!   ids     │   │   │ 40│ 41│ 42│ 43│ 44│ 45│   │   │
//!   valid   │   │   │ T │ · │ · │ T │ · │ T │   │   │
//!                     ▲                       ▲
//!                    tail     span = 6       head          valid = 3
//! ```
//!
//! One old transaction holds the tail while the head runs on, and every reader walks over all that ended between them:
//! the report *Slow standby snapshot*. How far the span may grow is the [`CompactionRule`](crate::CompactionRule)'s decision.
//!
//! # Costs
//!
//! Take O(span), begin O(1) amortised, end O(log span) an id. Memory 9 bytes a place (5 in PostgreSQL, whose ids have 32
//! bits).
//!
//! # Source
//!
//! PostgreSQL, `src/backend/storage/ipc/procarray.c`; the threads *Slow standby snapshot* (2021) and what became of it in
//! release 15.2.

use std::ops::Range;

use snapshot_api::{
    Costs, Xid,
    sync::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

use crate::known_array::{KnownArray, KnownArrayConfig, Places};

/// A sorted array of ids with a flag beside each that says whether it runs: PostgreSQL's KnownAssignedXids.
///
/// ```
/// use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid};
/// use strategy_baseline::{BooleanArray, BooleanArrayConfig};
///
/// let config = BooleanArrayConfig::default();
/// let array = BooleanArray::restore(&config, Xid::new(9), &[Xid::new(7)])?;
/// let session = SessionId::new(0);
/// for id in 10..60 {
///     array.begin(session, Xid::new(id))?;
/// }
/// for id in 10..60 {
///     array.end(session, &[Xid::new(id)]);
/// }
/// let mut snapshot = array.snapshot();
/// array.take(&mut snapshot);
/// assert_eq!((snapshot.xmin(), snapshot.xmax()), (Xid::new(7), Xid::new(60)));
///
/// let occupancy = array.occupancy();
/// assert_eq!((occupancy.valid, occupancy.span), (1, 51), "a reader walks over 51 places to find one id");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type BooleanArray = KnownArray<Flags>;

/// How a [`BooleanArray`] is set up.
pub type BooleanArrayConfig = KnownArrayConfig;

/// Two parallel arrays: the ids, and for each a flag that says whether it runs.
#[derive(Debug)]
pub struct Flags {
    ids: Box<[AtomicU64]>,
    valid: Box<[AtomicBool]>,
}

impl Flags {
    /// Marks the id as ended. It stays where it is, so that the array stays sorted.
    fn clear(&self, place: usize) {
        self.valid[place].store(false, Relaxed);
    }
}

impl Places for Flags {
    type Config = KnownArrayConfig;

    const SOURCE: &'static str =
        "PostgreSQL's KnownAssignedXids; thread \"Slow standby snapshot\", 2021";
    const COSTS: Costs = Costs {
        take: "O(span): the window, until gaps are closed",
        begin: "O(1) amortised",
        end: "O(log span); O(span) where gaps are closed",
        is_running: "O(log running)",
    };

    fn name(config: &KnownArrayConfig) -> String {
        format!("boolean-array({config})")
    }

    fn new(len: usize) -> Self {
        Flags {
            ids: (0..len).map(|_| AtomicU64::new(0)).collect(),
            valid: (0..len).map(|_| AtomicBool::new(false)).collect(),
        }
    }

    fn size(&self) -> usize {
        self.ids.len()
    }

    fn grown(&self, len: usize) -> Self {
        let larger = Flags::new(len);
        for (from, to) in self.ids.iter().zip(&larger.ids) {
            to.store(from.load(Relaxed), Relaxed);
        }
        for (from, to) in self.valid.iter().zip(&larger.valid) {
            to.store(from.load(Relaxed), Relaxed);
        }
        larger
    }

    fn append(&self, place: usize, xid: Xid) {
        self.ids[place].store(xid.get(), Relaxed);
        self.valid[place].store(true, Relaxed);
    }

    fn remove(&self, live: Range<usize>, xid: Xid) -> Option<usize> {
        let place =
            self.ids[live.clone()].binary_search_by_key(&xid.get(), |id| id.load(Relaxed)).ok()?;
        let place = Some(live.start + place).filter(|&place| self.valid[place].load(Relaxed))?;
        self.clear(place);
        Some(place)
    }

    fn first_valid(&self, live: Range<usize>) -> usize {
        let skip = self.valid[live.clone()].iter().position(|flag| flag.load(Relaxed));
        skip.map_or(live.end, |skip| live.start + skip)
    }

    /// One flag after the other, as PostgreSQL does: the cost that the reports are about.
    #[inline(never)]
    fn scan(&self, live: Range<usize>, xmax: Xid, running: &mut Vec<Xid>) {
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

    fn remove_below(&self, live: Range<usize>, below: Xid) -> usize {
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

    fn compact(&self, live: Range<usize>) -> usize {
        let mut to = 0;
        for from in live {
            if self.valid[from].load(Relaxed) {
                // In place: `to` is never ahead of `from`, and all that lies at or behind it has been moved.
                self.append(to, Xid::new(self.ids[from].load(Relaxed)));
                to += 1;
            }
        }
        to
    }
}
