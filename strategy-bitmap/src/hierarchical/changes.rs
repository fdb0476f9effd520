//! [`Changes`]: what single ids did lately, so that an older edition can be brought up to date.

use std::collections::VecDeque;

use snapshot_api::Xid;

use super::edition::Edition;

/// What happens to the set of running ids below xmax.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// An id above all that entered before.
    Enter(Xid),
    /// An id that need not be there.
    Leave(Xid),
    /// Every id below.
    LeaveBelow(Xid),
}

/// The last changes, in their order.
#[derive(Debug, Default)]
pub(super) struct Changes {
    log: VecDeque<Change>,
    /// How many were dropped from the front.
    dropped: u64,
}

/// Editions are small: so many changes are remembered however few words an edition has.
const FEW: usize = if cfg!(snapshot_loom) { 2 } else { 64 };

impl Changes {
    pub(super) fn push(&mut self, change: Change) {
        self.log.push_back(change);
    }

    /// Whether all changes that an edition has not seen are remembered.
    pub(super) fn reach(&self, edition: &Edition) -> bool {
        edition.seen >= self.dropped
    }

    /// Makes the changes that an edition has not seen. They [reach](Self::reach) it.
    pub(super) fn replay(&self, edition: &mut Edition) {
        let first = (edition.seen - self.dropped) as usize;
        self.log.range(first..).for_each(|&change| edition.see(change));
    }

    /// Drops the changes that were seen by all editions from `oldest` on; and more, where to copy an edition of so many words
    /// costs less than to make them.
    pub(super) fn trim(&mut self, oldest: u64, words: usize) {
        let keep = words + FEW;
        let seen = oldest.saturating_sub(self.dropped) as usize;
        let surplus = seen.max(self.log.len().saturating_sub(keep)).min(self.log.len());
        self.log.drain(..surplus);
        self.dropped += surplus as u64;
        if self.log.capacity() > 8 * keep {
            self.log.shrink_to(2 * keep);
        }
    }
}
