//! [`Slots`]: which numbers snapshots hold, so that nothing is folded that one of them can tell apart.
//!
//! A snapshot value takes a slot at its first take and gives it back when it is dropped. The slot holds the value's number,
//! or an older one: a lower bound. What follows is the protocol between a reader and the folder, the one writer that looks
//! for numbers that can go.
//!
//! # Registration
//!
//! ```text
//!   reader                                   folder (holds the writers' lock)
//!   slot := a bound, not above published     p := published
//!   fence                                    fence
//!   n := published, then xmax                reads all slots
//!                                            folds what ended at or before p and no slot needs
//! ```
//!
//! One of the two fences comes first. If the reader's does, the folder finds the slot. If the folder's does, the reader finds
//! a number n ≥ p, and in its snapshot everything that the folder folds has ended.
//!
//! # Taking again
//!
//! A later take loads n while the slot still holds the old, lower bound, and raises it by a plain Release store: no fence. The
//! bound keeps what ended after it, so n, which lies at or above it, is covered at every moment.
//!
//! # Falling behind
//!
//! A bound alone would keep everything that ends after it, for a value that is kept but not taken into again: without limit.
//! What such a value needs is less, since ids from its xmax on count as running without a look at the log. So the folder
//! marks each slot that lags with the first id that the slot cannot need, latest completed + 1:
//!
//! ```text
//!   reader, taking again                     folder
//!   n := published, then xmax                if the slot's number < p and it has no mark:
//!   mark set? register anew                       mark := latest completed + 1
//!   slot := n                                keeps for the slot: numbers above its bound, of ids below its mark
//! ```
//!
//! A reader that found no mark has n ≤ p, and so xmax ≤ mark: a number published after the mark was set would have brought
//! the mark along (set before, in the folder's program order, published with Release, read with Acquire). So the
//! mark covers it however late its slot's store arrives. A reader that finds the mark first raises its bound to what is
//! published by now, since what the value held counts no more; then it clears the mark, before the fence of its new
//! registration, and looks once more after it has read n and xmax: another folder may have set it again.

use std::sync::{Arc, OnceLock};

use snapshot_api::sync::{AtomicU64, AtomicUsize, Ordering};

/// Slots in the first segment; every other segment is as long as all before.
const FIRST: usize = if cfg!(snapshot_loom) { 2 } else { 16 };

const SEGMENTS: usize = 28;

/// The number of a slot that nobody has.
const FREE: u64 = u64::MAX;

/// A slot without a mark: no id is 0.
const UNMARKED: u64 = 0;

/// What one snapshot value shows to the folder. On lines of its own: each slot is written by one reader.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Slot {
    number: AtomicU64,
    mark: AtomicU64,
    place: usize,
}

impl Slot {
    fn new(place: usize) -> Self {
        Slot { number: AtomicU64::new(FREE), mark: AtomicU64::new(UNMARKED), place }
    }

    fn claim(&self, bound: u64) -> bool {
        // AcqRel: follows the Release store of the value that had it before. The fence of the registration orders it before
        // what the reader loads.
        self.number.compare_exchange(FREE, bound, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Whether the folder found that the slot lags.
    #[inline]
    pub(crate) fn is_marked(&self) -> bool {
        // Relaxed: the load of the number before it is Acquire, and brings along a mark that was set before that number was
        // published.
        self.mark.load(Ordering::Relaxed) != UNMARKED
    }

    /// Takes the mark away. The caller's fence follows.
    pub(crate) fn unmark(&self) {
        // Relaxed: the fence orders it before what the reader loads next.
        self.mark.store(UNMARKED, Ordering::Relaxed);
    }

    /// Raises the bound.
    #[inline]
    pub(crate) fn raise(&self, number: u64) {
        // Release: what the reader looked up under the old number comes before; pairs with the Acquire load in `needs`.
        self.number.store(number, Ordering::Release);
    }

    /// The bound and the first id that the slot does not need, for the folder at the published number `number`, which marks
    /// a slot that lags. `None` where the slot needs nothing.
    fn needs(&self, number: u64, mark: u64) -> Option<(u64, u64)> {
        // Acquire: pairs with the Release stores of the reader, whose look-ups under an older number are over.
        let bound = self.number.load(Ordering::Acquire);
        if bound >= number {
            return None;
        }
        // Relaxed: whatever the folder publishes next, with Release, brings it along.
        let marked =
            self.mark.compare_exchange(UNMARKED, mark, Ordering::Relaxed, Ordering::Relaxed);
        Some((bound, marked.err().unwrap_or(mark)))
    }
}

/// All slots of a log. Grows, and never shrinks: it is as long as there were snapshot values at once.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    segments: [OnceLock<Box<[Arc<Slot>]>>; SEGMENTS],
    /// How many there are.
    used: AtomicUsize,
    /// Where one was given back last.
    hint: AtomicUsize,
}

impl Slots {
    /// A slot with this bound. The caller's fence follows.
    ///
    /// # Panics
    ///
    /// There are more than four billion snapshot values.
    pub(crate) fn claim(&self, bound: u64) -> Arc<Slot> {
        // Relaxed: a hint. Acquire below: the segment of each slot that counts has been made.
        let hint = self.hint.load(Ordering::Relaxed);
        let used = self.used.load(Ordering::Acquire);
        for place in (hint..used).chain(0..hint.min(used)) {
            let slot = self.at(place);
            if slot.claim(bound) {
                return Arc::clone(slot);
            }
        }
        loop {
            // AcqRel: counts the new slot before the caller's fence, for the folder.
            let slot = self.at(self.used.fetch_add(1, Ordering::AcqRel));
            // Somebody else may have found it first.
            if slot.claim(bound) {
                return Arc::clone(slot);
            }
        }
    }

    /// Gives a slot back.
    pub(crate) fn release(&self, slot: &Slot) {
        slot.raise(FREE);
        // Relaxed: a hint.
        self.hint.store(slot.place, Ordering::Relaxed);
    }

    /// How many there are, in use or free.
    pub(crate) fn count(&self) -> u64 {
        // Relaxed: a number to plan by.
        self.used.load(Ordering::Relaxed) as u64
    }

    /// What the slots need, for the folder; see [`Slot::needs`]. The caller's fence comes before.
    pub(crate) fn needs(&self, number: u64, mark: u64) -> impl Iterator<Item = (u64, u64)> {
        // Acquire: as in `claim`.
        let used = self.used.load(Ordering::Acquire);
        (0..used).filter_map(move |place| self.at(place).needs(number, mark))
    }

    fn at(&self, place: usize) -> &Arc<Slot> {
        let at = place + FIRST;
        let segment = at.ilog2() - FIRST.ilog2();
        let first = FIRST << segment;
        let slots = self.segments[segment as usize]
            .get_or_init(|| (0..first).map(|at| Arc::new(Slot::new(first - FIRST + at))).collect());
        &slots[at - first]
    }
}

#[cfg(all(test, not(snapshot_loom)))]
mod tests {
    use super::*;

    #[test]
    fn slots_are_used_again() {
        let slots = Slots::default();
        let taken: Vec<_> = (0..100).map(|bound| slots.claim(bound)).collect();
        for (place, slot) in taken.iter().enumerate() {
            assert_eq!(slot.place, place);
        }
        slots.release(&taken[70]);
        slots.release(&taken[3]);
        let again: Vec<usize> = (0..3).map(|bound| slots.claim(bound).place).collect();
        assert_eq!(again, [3, 70, 100]);
    }

    #[test]
    fn what_slots_need() {
        let slots = Slots::default();
        let held = [5, 9, 7].map(|bound| slots.claim(bound));
        assert!(slots.needs(5, 40).next().is_none(), "nothing ended after any of them");
        assert!(slots.needs(9, 50).eq([(5, 50), (7, 50)]));
        assert!(held[0].is_marked() && !held[1].is_marked());
        held[2].unmark();
        held[2].raise(10);
        assert!(
            slots.needs(12, 60).eq([(5, 50), (9, 60), (10, 60)]),
            "a mark stays where it was set"
        );
        slots.release(&held[0]);
        assert!(slots.needs(12, 60).eq([(9, 60), (10, 60)]));
    }
}
