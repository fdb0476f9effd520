//! What is done to the array by whoever holds both locks: removal, and closing the gaps that it leaves.

use std::{ops::Range, sync::Arc};

use snapshot_api::{
    Xid,
    sync::{AtomicUsize, Ordering::Release},
};

use super::{CompactionRule, KnownArrayConfig, Places};

/// How many ends that leave gaps the rule of 15.2 lets pass before it looks again (`KAX_COMPRESS_FREQUENCY`).
const ENDS_BETWEEN_LOOKS: u64 = 128;

/// The appender's part of the state, under the append mutex.
#[derive(Debug)]
pub(super) struct Appends<P> {
    /// The same array as in [`Live`].
    pub(super) places: Arc<P>,
    /// How many places may be used before the array is out of space; the array itself grows up to it.
    pub(super) bound: usize,
    /// Where the next id goes: what the atomic head holds.
    pub(super) head: usize,
    /// How many ids in the live range run.
    pub(super) valid: usize,
    /// The highest id begun or completed.
    pub(super) last: Xid,
    /// Ends that left gaps, counted for the rule of 15.2.
    pub(super) gap_ends: u64,
    /// How often gaps were closed.
    pub(super) compactions: u64,
}

/// The readers' part of the state, under the shared/exclusive lock.
#[derive(Debug)]
pub(super) struct Live<P> {
    pub(super) places: Arc<P>,
    /// The place of the lowest running id; equal to the head, both 0, where none runs.
    pub(super) tail: usize,
    pub(super) latest_completed: Xid,
    /// How many changes there were that a snapshot can see: what the atomic version holds.
    pub(super) version: u64,
}

/// Why gaps may be closed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    End,
    Prune,
}

/// The whole array, with appends and readers locked out: both locks are held. Nothing in here takes another lock, so
/// that what is begun is finished.
pub(super) struct Alone<'a, P> {
    pub(super) config: &'a KnownArrayConfig,
    pub(super) appends: &'a mut Appends<P>,
    pub(super) live: &'a mut Live<P>,
    /// The head that readers see.
    pub(super) head: &'a AtomicUsize,
}

impl<P: Places> Alone<'_, P> {
    fn range(&self) -> Range<usize> {
        self.live.tail..self.appends.head
    }

    /// Ends one id; nothing happens where it does not run.
    pub(super) fn remove(&mut self, xid: Xid) {
        let range = self.range();
        if let Some(place) = self.live.places.remove(range.clone(), xid) {
            self.appends.valid -= 1;
            if place == range.start {
                self.move_tail();
            }
        }
    }

    /// Ends every id below `below`.
    pub(super) fn remove_below(&mut self, below: Xid) {
        self.appends.valid -= self.live.places.remove_below(self.range(), below);
        self.move_tail();
    }

    /// Raises latest completed; it never falls.
    pub(super) fn complete(&mut self, latest: Xid) {
        self.live.latest_completed = self.live.latest_completed.max(latest);
        self.appends.last = self.appends.last.max(latest);
    }

    /// Moves the tail over what has ended; starts again at place 0 where nothing is left.
    fn move_tail(&mut self) {
        let range = self.range();
        let first = self.live.places.first_valid(range.clone());
        if first == range.end {
            self.reset(0);
        } else {
            self.live.tail = first;
        }
    }

    /// Closes gaps if the rule says so.
    pub(super) fn consider_compaction(&mut self, occasion: Occasion) {
        let span = self.range().len();
        let (gaps, half_empty) =
            (span > self.appends.valid, span >= self.appends.valid.saturating_mul(2));
        let compact = match (self.config.rule, occasion) {
            (CompactionRule::Original, _) => span >= self.config.original_span() && half_empty,
            (CompactionRule::Since15_2, Occasion::Prune) => gaps,
            (CompactionRule::Since15_2, Occasion::End) => {
                let turn = gaps && self.appends.gap_ends.is_multiple_of(ENDS_BETWEEN_LOOKS);
                self.appends.gap_ends += u64::from(gaps);
                turn && half_empty
            }
        };
        if compact {
            self.compact();
        }
    }

    /// Closes all gaps: the running ids move to the front of the array.
    pub(super) fn compact(&mut self) {
        let kept = self.live.places.compact(self.range());
        debug_assert_eq!(kept, self.appends.valid);
        self.reset(kept);
        self.appends.compactions += 1;
    }

    /// The live range starts at place 0 again.
    fn reset(&mut self, head: usize) {
        self.live.tail = 0;
        self.appends.head = head;
        // Release, as every store to the head: the exclusive lock alone already orders it for readers.
        self.head.store(head, Release);
    }
}
