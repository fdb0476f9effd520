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

/// Editions are small: so many changes are remembered however few ids run.
const FEW: usize = 64;

impl Changes {
    pub(super) fn push(&mut self, change: Change) {
        self.log.push_back(change);
    }

    /// Brings an edition up to date. One that is too old for it becomes a copy of `newest` first, which is not.
    pub(super) fn replay(
        &self,
        edition: &mut Edition,
        newest: impl FnOnce() -> std::sync::Arc<Edition>,
    ) {
        if edition.seen < self.dropped {
            edition.copy_from(&newest());
        }
        let first = (edition.seen - self.dropped) as usize;
        self.log.range(first..).for_each(|&change| edition.see(change));
    }

    /// Drops what all editions from `oldest` on have seen; and more, where to copy `words` words costs less than to make so many
    /// changes.
    pub(super) fn trim(&mut self, oldest: u64, words: usize) {
        let keep = words + FEW;
        let seen = oldest.saturating_sub(self.dropped) as usize;
        let surplus = seen.max(self.log.len().saturating_sub(keep)).min(self.log.len());
        self.log.drain(..surplus);
        self.dropped += surplus as u64;
        if self.log.capacity() > 8 * keep {
            self.log.shrink_to(keep);
        }
    }
}
