//! The pair behind the crate `seqlock`, or, in models, behind a mutex: the crate knows nothing of loom.
//!
//! What both give, and all that the protocol builds on: a read returns some pair written, whole, and that write happens
//! before it. Models that pass with the mutex say nothing about the inside of the crate; tests with threads do.

use snapshot_api::Threshold;

#[cfg(snapshot_loom)]
use snapshot_api::sync::Mutex;
#[cfg(not(snapshot_loom))]
use snapshot_api::sync::step;

/// A cell for one pair. Its writers must not come at the same time.
#[derive(Default)]
pub(super) struct PairCell {
    #[cfg(not(snapshot_loom))]
    cell: ::seqlock::SeqLock<Threshold>,
    #[cfg(snapshot_loom)]
    cell: Mutex<Threshold>,
}

#[cfg(not(snapshot_loom))]
impl PairCell {
    #[inline]
    pub(super) fn read(&self) -> Threshold {
        step();
        self.cell.read()
    }

    pub(super) fn write(&self, pair: Threshold) {
        step();
        // No step until the guard is gone: a reader inside the crate waits for it unseen.
        *self.cell.lock_write() = pair;
    }
}

#[cfg(snapshot_loom)]
impl PairCell {
    pub(super) fn read(&self) -> Threshold {
        *self.cell.lock()
    }

    pub(super) fn write(&self, pair: Threshold) {
        *self.cell.lock() = pair;
    }
}
