//! The pair behind the crate `seqlock`, or, in models, in one small atomic: the crate knows nothing of loom.
//!
//! What both give, and all that the protocol builds on: a read returns some pair written, whole, and that write happens
//! before it. It may be an old one unless a newer write happens before the read; a mutex in the models would hide that.
//! Models say nothing about the inside of the crate; tests with threads do.

#[cfg(not(snapshot_loom))]
use snapshot_api::{Threshold, sync::step};

/// A cell for one pair. Its writers must not come at the same time.
#[cfg(not(snapshot_loom))]
#[derive(Default)]
pub(super) struct PairCell(::seqlock::SeqLock<Threshold>);

#[cfg(not(snapshot_loom))]
impl PairCell {
    #[inline]
    pub(super) fn read(&self) -> Threshold {
        step();
        self.0.read()
    }

    pub(super) fn write(&self, pair: Threshold) {
        step();
        // No step until the guard is gone: a reader inside the crate waits for it unseen.
        *self.0.lock_write() = pair;
    }
}

#[cfg(snapshot_loom)]
pub(super) use model::PairCell;

#[cfg(snapshot_loom)]
mod model {
    use snapshot_api::{
        Threshold, Timestamp, Xid,
        sync::{AtomicU64, Ordering},
    };

    /// Both halves in one word: in models they have 32 bits.
    #[derive(Default)]
    pub(in super::super) struct PairCell(AtomicU64);

    impl PairCell {
        pub(in super::super) fn read(&self) -> Threshold {
            // Acquire: as the crate reads its number; partner of the Release in `write`.
            let word = self.0.load(Ordering::Acquire);
            let timestamp = Timestamp::from_micros(word >> 32);
            Threshold { timestamp, xid: Xid::new(word & u64::from(u32::MAX)) }
        }

        pub(in super::super) fn write(&self, pair: Threshold) {
            // Release: as the crate stores its number; partner of the Acquire in `read`.
            self.0.store(pair.timestamp.as_micros() << 32 | pair.xid.get(), Ordering::Release);
        }
    }
}
