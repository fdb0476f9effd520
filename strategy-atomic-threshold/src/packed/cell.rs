//! The word behind the crate `portable-atomic`, or, in models, behind a mutex: loom has no 128-bit atomic.

#[cfg(snapshot_loom)]
use snapshot_api::sync::Mutex;
#[cfg(not(snapshot_loom))]
use snapshot_api::sync::{Ordering, step};

/// A 128-bit word.
#[derive(Debug, Default)]
pub(super) struct WordCell {
    #[cfg(not(snapshot_loom))]
    word: portable_atomic::AtomicU128,
    #[cfg(snapshot_loom)]
    word: Mutex<u128>,
}

#[cfg(not(snapshot_loom))]
impl WordCell {
    pub(super) fn is_lock_free() -> bool {
        portable_atomic::AtomicU128::is_lock_free()
    }

    #[inline]
    pub(super) fn load(&self) -> u128 {
        step();
        // Acquire: partner of the Release below.
        self.word.load(Ordering::Acquire)
    }

    /// Stores `new` if the word is `known`, else says what it is.
    #[inline]
    pub(super) fn compare_exchange(&self, known: u128, new: u128) -> Result<(), u128> {
        step();
        // Release: partner of the Acquire in `load`. Acquire: who raises a pair has seen what came before it.
        self.word.compare_exchange(known, new, Ordering::AcqRel, Ordering::Acquire).map(drop)
    }
}

#[cfg(snapshot_loom)]
impl WordCell {
    pub(super) fn is_lock_free() -> bool {
        true
    }

    pub(super) fn load(&self) -> u128 {
        *self.word.lock()
    }

    pub(super) fn compare_exchange(&self, known: u128, new: u128) -> Result<(), u128> {
        let mut word = self.word.lock();
        if *word == known {
            *word = new;
            Ok(())
        } else {
            Err(*word)
        }
    }
}
