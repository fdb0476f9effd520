//! [`Changes`]: how many operations have changed the set of running ids, and whether one is at it now.
//!
//! ```text
//!   63                          16 15             0
//!  ┌──────────────────────────────┬────────────────┐
//!  │ changes finished (version)   │ changes begun  │      one word, so that one load answers both
//!  │                              │ and not over   │
//!  └──────────────────────────────┴────────────────┘
//! ```
//!
//! A change adds one to the low part before it touches the set, and when it is over takes it back and adds one to the high
//! part. A word with a low part of zero is *quiet*: every change that it counts is over and no other has begun.
//!
//! # What two equal quiet words prove
//!
//! If a thread reads a quiet word, then looks at the set, then reads the same word again, it has seen the set as it stood
//! after exactly the changes that the word counts: each of them was over before (its second addition is Release, the first
//! load is Acquire), and none other can have been seen. Had one been seen, the set's own synchronisation would pass on that
//! change's first addition, which precedes its work, and the second load would differ. The same holds for a copy that
//! somebody else made between two equal quiet words.
//!
//! A word comes again only after 2⁴⁸ changes; at ten million a second that is most of a year during one take. More than
//! 65,535 changes at once would spill into the version; there are not that many sessions.

use snapshot_api::sync::{AtomicU64, Ordering};

const ONE_BEGUN: u64 = 1;
const ONE_OVER: u64 = 1 << 16;

/// Counts changes.
#[derive(Debug, Default)]
// On a line of its own: what else lies beside the cache is written at other times than the word.
#[repr(align(128))]
pub(crate) struct Changes(AtomicU64);

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
        self.0.fetch_add(ONE_BEGUN, Ordering::AcqRel);
        Change(self)
    }
}

/// Whether a word says that no change is at it.
#[inline]
pub(crate) fn is_quiet(word: u64) -> bool {
    word.is_multiple_of(ONE_OVER)
}

/// A change that is not over.
pub(crate) struct Change<'a>(&'a Changes);

impl Drop for Change<'_> {
    fn drop(&mut self) {
        // Release: pairs with the Acquire load in `word`; the change's work happens before.
        self.0.0.fetch_add(ONE_OVER - ONE_BEGUN, Ordering::Release);
    }
}
