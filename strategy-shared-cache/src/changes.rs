//! [`Changes`]: how many operations have changed the set of running ids, and whether one is at it now.
//!
//! ```text
//!   63              40 39           16 15            0
//!  ┌──────────────────┬───────────────┬───────────────┐
//!  │ range, no other  │ changes over  │ changes begun │      one word, so that one load answers all
//!  │ instance has it  │ in this range │ and not over  │
//!  └──────────────────┴───────────────┴───────────────┘
//!  └──────────── version ─────────────┘
//! ```
//!
//! A change adds one to the low part before it touches the set, and when it is over takes it back and adds one to the
//! version. A word with a low part of zero is *quiet*: every change that it counts is over and no other has begun.
//!
//! # No two instances have a quiet word in common
//!
//! So a value that remembers a word needs to remember no instance, and a take compares once. Ranges are numbered through the
//! process. A change that finds its range nearly used up when it begins moves the word to a new one before it goes on. The
//! word is not quiet meanwhile, and keeps its low part. Only those that had begun before can be over within the last
//! places of a range, and there are more places than changes at once: nothing spills into the next range.
//!
//! # What two equal quiet words prove
//!
//! If a thread reads a quiet word, then looks at the set, then reads the same word again, it has seen the set as it stood
//! after exactly the changes that the word counts: each of them was over before (its second addition is Release, the first
//! load is Acquire), and none other can have been seen. Had one been seen, the set's own synchronisation would pass on that
//! change's first addition, which precedes its work, and the second load would differ. The same holds for a copy that
//! somebody else made between two equal quiet words.
//!
//! A word comes again only after 2²⁴ ranges: 2⁴⁸ changes, most of a year at ten million a second, or as many instances; and
//! then it misleads a value only that was kept all that time. More than 65,535 changes at once would spill into the
//! version; there are not that many sessions.

use std::sync::atomic::{AtomicU64 as Count, Ordering::Relaxed};

use snapshot_api::sync::{AtomicU64, Ordering};

const ONE_BEGUN: u64 = 1;
const ONE_OVER: u64 = 1 << 16;
/// Where the range's number begins.
const RANGE: u32 = 40;
/// How many places a range has; few in models, so that they see ranges end.
const PLACES: u64 = if cfg!(snapshot_loom) { 5 } else { 1 << (RANGE - 16) };
/// How many of its last places are left for changes that have begun already.
const LEFT: u64 = if cfg!(snapshot_loom) { 4 } else { 1 << 16 };

/// Counts changes.
#[derive(Debug)]
// On a line of its own: what else lies beside the cache is written at other times than the word.
#[repr(align(128))]
pub(crate) struct Changes(AtomicU64);

impl Default for Changes {
    fn default() -> Self {
        Changes(AtomicU64::new(new_range()))
    }
}

/// The first word of a range that nobody has had.
fn new_range() -> u64 {
    // The standard library's atomic even in models: the number must differ and orders nothing.
    static NEXT: Count = Count::new(0);
    // Relaxed: a read-modify-write gives each caller its own number in any order.
    NEXT.fetch_add(1, Relaxed) << RANGE
}

impl Changes {
    /// The word now.
    #[inline]
    pub(crate) fn word(&self) -> u64 {
        // Acquire: pairs with the Release half of the addition in `Change::drop`, so that what the finished changes did
        // happens before whatever the caller looks at next.
        self.0.load(Ordering::Acquire)
    }

    /// A change begins; it is over when the guard goes, also by a panic.
    pub(crate) fn begin(&self) -> Change<'_> {
        // AcqRel: the Release half keeps the chain of additions unbroken for readers that acquire a later one; the Acquire
        // half keeps the change's work behind this addition, so that whoever sees the work sees the addition.
        let before = self.0.fetch_add(ONE_BEGUN, Ordering::AcqRel);
        let change = Change(self);
        if is_nearly_over(before) {
            self.move_on(before >> RANGE);
        }
        change
    }

    /// Moves the word out of this range, unless another change has done so.
    #[cold]
    fn move_on(&self, range: u64) {
        let new = new_range();
        // Relaxed: only a first guess; the exchange decides.
        let mut word = self.0.load(Ordering::Relaxed);
        while word >> RANGE == range {
            // AcqRel, as the additions: it is one link of their chain. Relaxed on failure: tried again.
            let moved = new | (word % ONE_OVER);
            match self.0.compare_exchange(word, moved, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }
}

/// Whether a word says that no change is at it.
#[inline]
pub(crate) fn is_quiet(word: u64) -> bool {
    word.is_multiple_of(ONE_OVER)
}

/// Whether only the last places of its range are left.
fn is_nearly_over(word: u64) -> bool {
    (word >> 16) % (1 << (RANGE - 16)) >= PLACES - LEFT
}

/// Whether `word` is a later one of the same instance. Right across the wrap of the ranges' numbers.
pub(crate) fn is_later(word: u64, than: u64) -> bool {
    word.wrapping_sub(than).cast_signed() > 0
}

/// A change that is not over.
pub(crate) struct Change<'a>(&'a Changes);

impl Drop for Change<'_> {
    fn drop(&mut self) {
        // Release: pairs with the Acquire load in `word`; the change's work happens before.
        self.0.0.fetch_add(ONE_OVER - ONE_BEGUN, Ordering::Release);
    }
}

#[cfg(all(test, not(snapshot_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_range_that_ends_is_left_by_the_next_change() {
        let changes = Changes::default();
        let range = changes.word() >> RANGE;
        let over = PLACES - LEFT - 1;
        changes.0.store(changes.word() + over * ONE_OVER, Ordering::Relaxed);
        let last = changes.begin();
        assert_eq!(changes.word() >> RANGE, range, "one place before the last ones");
        let still_open = changes.begin();
        drop(last);
        let word = changes.word();
        assert!(word >> RANGE == range && !is_quiet(word));
        let first = changes.begin();
        let moved = changes.word();
        assert!(moved >> RANGE > range && is_later(moved, word));
        assert_eq!(moved % ONE_OVER, 2, "two have begun");
        drop((first, still_open));
        assert_eq!(changes.word(), (moved >> RANGE << RANGE) + 2 * ONE_OVER);
        assert_eq!(changes.begin().0.word() >> RANGE, moved >> RANGE, "many places are left");
    }

    #[test]
    fn no_two_have_a_word_in_common() {
        let words = [(); 3].map(|()| Changes::default().word());
        assert!(words[0] != words[1] && words[1] != words[2] && words[0] != words[2]);
        assert!(is_later(words[2], words[0]) && !is_later(words[0], words[0]));
        assert!(is_later(1 << 16, u64::MAX << RANGE), "the numbers wrap");
    }
}
