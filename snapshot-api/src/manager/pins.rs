//! [`Pins`]: one word for each registered snapshot, which the collector reads.
//!
//! ```text
//!   segments   │ 16 pins │ 32 pins │ 64 pins │ 128 pins │ …        grows, never shrinks; pins are used again
//!                 │
//!                 └─ bound: nothing at or above it may be removed; FREE while nobody holds it
//! ```
//!
//! A pin is written by the one snapshot that has it, so it has cache lines of its own. The protocol that makes a pin worth
//! something is in [`horizon`](super::horizon).

use std::{
    ops::Deref,
    sync::{Arc, OnceLock},
};

use crate::{
    Timestamp, Xid,
    manager::sessions::Owner,
    sync::{AtomicU64, AtomicUsize, Mutex, Ordering},
};

/// Pins in the first segment; each segment is twice as long as the one before.
const FIRST: usize = if cfg!(snapshot_loom) { 2 } else { 16 };

const SEGMENTS: usize = 32;

/// The bound of a pin that holds nothing back.
const NOTHING: u64 = u64::MAX;

/// What one registered snapshot shows to the collector.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Pin {
    /// Nothing that ended at or above this id may be removed.
    bound: AtomicU64,
    /// When the snapshot was taken.
    taken: AtomicU64,
    /// Whose it is; none where it may be claimed.
    owner: Mutex<Option<Owner>>,
}

impl Default for Pin {
    fn default() -> Self {
        Pin { bound: AtomicU64::new(NOTHING), taken: AtomicU64::new(0), owner: Mutex::new(None) }
    }
}

impl Pin {
    /// Holds back everything from `bound` on. The caller's fence follows.
    #[inline]
    pub(super) fn publish(&self, bound: Xid) {
        // Relaxed: the fence of the registration orders it before what the reader loads.
        self.bound.store(bound.get(), Ordering::Relaxed);
    }

    /// Raises the bound to the snapshot's xmin.
    #[inline]
    pub(super) fn raise(&self, xmin: Xid, taken: Timestamp) {
        // Relaxed: for people to read.
        self.taken.store(taken.as_micros(), Ordering::Relaxed);
        // Release: what was read under the older snapshot comes before; pairs with the Acquire load in `look`.
        self.bound.store(xmin.get(), Ordering::Release);
    }

    /// Holds nothing back any more.
    #[inline]
    pub(super) fn clear(&self) {
        // Release: what was read under the snapshot comes before; pairs with the Acquire load in `look`.
        self.bound.store(NOTHING, Ordering::Release);
    }

    /// What it holds back, if anything.
    pub(super) fn bound(&self) -> Option<Xid> {
        let bound = self.look();
        (bound != NOTHING).then_some(Xid::new(bound))
    }

    #[inline]
    fn look(&self) -> u64 {
        // Acquire: pairs with the Release stores in `raise` and `clear`: the collector's removals come after the reads.
        self.bound.load(Ordering::Acquire)
    }

    pub(super) fn taken(&self) -> Timestamp {
        // Relaxed: for people to read; may belong to the snapshot before.
        Timestamp::from_micros(self.taken.load(Ordering::Relaxed))
    }

    pub(super) fn owner(&self) -> Option<Owner> {
        self.owner.lock().clone()
    }

    pub(super) fn belongs_to(&self, owner: Owner) {
        *self.owner.lock() = Some(owner);
    }

    fn claim(&self, owner: &Owner) -> bool {
        let mut place = self.owner.lock();
        let free = place.is_none();
        if free {
            *place = Some(owner.clone());
        }
        free
    }
}

/// A pin that somebody has: its segment and its place in it.
#[derive(Debug)]
pub(super) struct Claimed {
    segment: Arc<[Pin]>,
    place: usize,
}

impl Deref for Claimed {
    type Target = Pin;

    #[inline]
    fn deref(&self) -> &Pin {
        &self.segment[self.place]
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        self.clear();
        *self.owner.lock() = None;
    }
}

/// All pins of a manager: as many as there were registered snapshots at once.
#[derive(Debug, Default)]
pub(super) struct Pins {
    segments: [OnceLock<Arc<[Pin]>>; SEGMENTS],
    used: AtomicUsize,
}

impl Pins {
    /// A pin that holds nothing back yet. Looks through those that were given back, so it is for snapshot values that are
    /// made, not for each time that one is taken.
    pub(super) fn claim(&self, owner: &Owner) -> Claimed {
        // Acquire: the segment of each pin that counts has been made, or is made here.
        let used = self.used.load(Ordering::Acquire);
        let mut places = 0..used;
        loop {
            // AcqRel: counts a new pin before the fence of its first registration, for the collector.
            let next = places.next().unwrap_or_else(|| self.used.fetch_add(1, Ordering::AcqRel));
            let (segment, place) = self.at(next);
            // Also a new one: somebody else may have found it first.
            if segment[place].claim(owner) {
                return Claimed { segment: Arc::clone(segment), place };
            }
        }
    }

    /// The lower one of `bound` and what is held back. The caller's fence comes before: a pin that is not counted yet, or lies
    /// in a segment that is not seen yet, belongs to a reader whose fence comes after it.
    pub(super) fn lowest(&self, bound: Xid) -> Xid {
        let mut lowest = bound.get();
        for pins in self.segments() {
            // One that holds nothing back has the highest bound.
            lowest = pins.iter().map(Pin::look).fold(lowest, u64::min);
        }
        Xid::new(lowest)
    }

    /// All of them, also those that hold nothing back.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Pin> {
        self.segments().flatten()
    }

    fn segments(&self) -> impl Iterator<Item = &[Pin]> {
        // Acquire: as in `claim`.
        let used = self.used.load(Ordering::Acquire);
        let segments = self.segments.iter().enumerate();
        segments.map_while(move |(segment, pins)| {
            let (before, length) = extent(segment);
            let counted = used.checked_sub(before).filter(|&left| left > 0)?.min(length);
            Some(pins.get().map_or(&[][..], |pins| &pins[..counted]))
        })
    }

    fn at(&self, place: usize) -> (&Arc<[Pin]>, usize) {
        let segment = (place + FIRST).ilog2() - FIRST.ilog2();
        let (before, length) = extent(segment as usize);
        let pins = self.segments[segment as usize]
            .get_or_init(|| (0..length).map(|_| Pin::default()).collect());
        (pins, place - before)
    }
}

/// How many pins lie before a segment, and how many in it.
fn extent(segment: usize) -> (usize, usize) {
    let length = FIRST << segment;
    (length - FIRST, length)
}
