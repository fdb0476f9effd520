//! The word behind the crate `portable-atomic`, or, in models, a 64-bit one with halves of 32 bits: loom has no wider one.

#[cfg(snapshot_loom)]
use snapshot_api::sync::AtomicU64;
use snapshot_api::sync::Ordering;
#[cfg(not(snapshot_loom))]
use snapshot_api::sync::step;

/// A 128-bit word.
#[derive(Debug, Default)]
pub(super) struct WordCell {
    #[cfg(not(snapshot_loom))]
    word: portable_atomic::AtomicU128,
    #[cfg(snapshot_loom)]
    word: AtomicU64,
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

/// The orderings are those above.
#[cfg(snapshot_loom)]
impl WordCell {
    pub(super) fn is_lock_free() -> bool {
        true
    }

    pub(super) fn load(&self) -> u128 {
        widen(self.word.load(Ordering::Acquire))
    }

    pub(super) fn compare_exchange(&self, known: u128, new: u128) -> Result<(), u128> {
        self.word
            .compare_exchange(narrow(known), narrow(new), Ordering::AcqRel, Ordering::Acquire)
            .map(drop)
            .map_err(widen)
    }
}

#[cfg(snapshot_loom)]
fn widen(word: u64) -> u128 {
    u128::from(word >> 32) << 64 | u128::from(word & u64::from(u32::MAX))
}

#[cfg(snapshot_loom)]
fn narrow(word: u128) -> u64 {
    ((word >> 64) as u64) << 32 | word as u64
}
