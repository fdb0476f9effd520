//! A fixed number of places with atomics of [`snapshot_api::sync`]; readers take no lock.
//!
//! ```text
//!   reader:     low = last + 1   claim a place with low   FENCE   number = last   raise the place to number + 1
//!   collector:  bound = last + 1                          FENCE   bound = least of it and all places
//! ```
//!
//! A place holds the first number that its snapshot does not see, or less. Of two fences one comes first. If it is the
//! reader's, the collector's walk finds the claim, or what came after it in that place. If it is the collector's, the
//! reader's `last` is no older than the collector's, so that its snapshot sees everything below `bound`. Either way the
//! bound holds for that reader.
//!
//! A claim may lie below a horizon that was returned before, although its reader will choose a later number. So the highest
//! horizon returned is kept: it was a right promise, and it stays one.

use std::{array::from_fn, fmt};

use snapshot_api::{
    dev::tracker::{Refused, SnapshotTracker},
    sync::{AtomicU64, Mutex, Ordering, fence},
};

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bug {
    None,
    /// Chooses the number first and claims a place with it.
    NoLowerBound,
    /// The collector walks the places, and reads the last number where it found none.
    WalksFirst,
    /// A place is looked at and then written, so that two readers can have the same.
    ClaimsInTwoSteps,
    /// The horizon is what the walk says, also where that lies below what was said before.
    ClaimsShow,
    /// Where all places are taken it panics.
    PanicsWhenFull,
    /// Where all places are taken it takes the first.
    SharesWhenFull,
    /// Where all places are taken it says so and no more.
    HidesTheLimit,
}

const PLACES: usize = 8;
/// Nobody's place.
const FREE: u64 = 0;

pub(crate) struct Tracker {
    bug: Bug,
    last: AtomicU64,
    committing: Mutex<()>,
    places: [AtomicU64; PLACES],
    /// The highest horizon that was returned.
    said: AtomicU64,
}

/// A plain token: the adapter's `close` gives the place back.
pub(crate) struct Token {
    place: usize,
    number: u64,
}

#[derive(Debug)]
struct Full(bool);

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 { write!(f, "all {PLACES} places are taken") } else { write!(f, "full") }
    }
}

impl std::error::Error for Full {}

impl Tracker {
    pub(crate) fn new(bug: Bug) -> Self {
        Tracker {
            bug,
            last: AtomicU64::new(0),
            committing: Mutex::new(()),
            places: from_fn(|_| AtomicU64::new(FREE)),
            said: AtomicU64::new(0),
        }
    }

    fn claim(&self, low: u64) -> Option<usize> {
        (0..PLACES).find(|&place| {
            if self.bug == Bug::ClaimsInTwoSteps {
                let free = self.places[place].load(Ordering::Acquire) == FREE;
                if free {
                    self.places[place].store(low, Ordering::Relaxed);
                }
                return free;
            }
            // Relaxed: the fence that follows publishes the claim; nothing is read through a place.
            self.places[place]
                .compare_exchange(FREE, low, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        })
    }
}

impl SnapshotTracker for Tracker {
    type Snapshot<'a> = Token;

    fn commit(&self, stamp: impl FnOnce(u64)) -> u64 {
        let _one_at_a_time = self.committing.lock();
        // Relaxed: only committers write it, and they hold the lock.
        let number = self.last.load(Ordering::Relaxed) + 1;
        stamp(number);
        // Release: pairs with the Acquire load of a choice, which sees the rows stamped.
        self.last.store(number, Ordering::Release);
        number
    }

    fn open(&self) -> Result<Token, Refused> {
        // Acquire, here and below: pairs with the commit's Release store.
        let low = self.last.load(Ordering::Acquire);
        let place = match (self.claim(low + 1), self.bug) {
            (Some(place), _) => place,
            (None, Bug::PanicsWhenFull) => panic!("no place"),
            (None, Bug::SharesWhenFull) => 0,
            (None, bug) => return Err(Full(bug != Bug::HidesTheLimit).into()),
        };
        if self.bug == Bug::NoLowerBound {
            return Ok(Token { place, number: low });
        }
        // SeqCst: partner of the collector's fence; the two cases are argued in the header.
        fence(Ordering::SeqCst);
        let number = self.last.load(Ordering::Acquire);
        // Relaxed: a collector that still finds the claim keeps more.
        self.places[place].store(number + 1, Ordering::Relaxed);
        Ok(Token { place, number })
    }

    fn sees(&self, snapshot: &Token, number: u64) -> bool {
        number <= snapshot.number
    }

    fn horizon(&self) -> u64 {
        let last = || self.last.load(Ordering::Acquire) + 1;
        let walk = || {
            // Acquire: pairs with a close; what that reader read was read before what it frees is removed.
            let places = self.places.iter().map(|place| place.load(Ordering::Acquire));
            places.filter(|&bound| bound != FREE).min()
        };
        let bound = if self.bug == Bug::WalksFirst {
            walk().unwrap_or_else(last)
        } else {
            let bound = last();
            // SeqCst: partner of the reader's fence.
            fence(Ordering::SeqCst);
            walk().map_or(bound, |oldest| oldest.min(bound))
        };
        if self.bug == Bug::ClaimsShow {
            return bound;
        }
        // AcqRel: who returns another's promise has all that it rests on.
        self.said.fetch_max(bound, Ordering::AcqRel).max(bound)
    }

    fn close(&self, snapshot: Token) {
        // Release: pairs with the walk.
        self.places[snapshot.place].store(FREE, Ordering::Release);
    }

    fn limit(&self) -> Option<usize> {
        Some(PLACES)
    }
}
