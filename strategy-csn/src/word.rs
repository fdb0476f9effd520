//! [`Word`]: what readers load at any time and the holder of the writers' lock alone stores.

use snapshot_api::sync::{AtomicU64, Ordering};

/// A word that readers load at any time and only the holder of the writers' lock stores.
///
/// Every store is Release and every first look of a reader Acquire: whatever was written before a word was is seen by whoever
/// sees the word. On common processors neither costs anything.
///
/// For models the holder's own look goes to a second copy: loom decides by the *last* access to an atomic which orders to
/// explore, and a holder that looks before it stores would hide the reader that looked before.
#[derive(Debug)]
pub(crate) struct Word {
    shared: AtomicU64,
    #[cfg(snapshot_loom)]
    own: std::sync::atomic::AtomicU64,
}

impl Word {
    pub(crate) fn new(value: u64) -> Self {
        Word {
            shared: AtomicU64::new(value),
            #[cfg(snapshot_loom)]
            own: value.into(),
        }
    }

    /// A reader's look.
    #[inline(always)]
    pub(crate) fn load(&self) -> u64 {
        // Acquire: pairs with the Release store in `set`.
        self.shared.load(Ordering::Acquire)
    }

    /// A reader's look again, whether it is still what it was: it stays behind the loads since the first.
    #[inline(always)]
    pub(crate) fn again(&self) -> u64 {
        // Relaxed: the loads before it are Acquire. If one of them found what was written after this word had changed, the
        // change came along.
        self.shared.load(Ordering::Relaxed)
    }

    /// What it is, for the holder of the lock.
    #[inline(always)]
    pub(crate) fn get(&self) -> u64 {
        #[cfg(snapshot_loom)]
        return self.own.load(Ordering::Relaxed);
        // Relaxed: only holders of the lock store it.
        #[cfg(not(snapshot_loom))]
        self.shared.load(Ordering::Relaxed)
    }

    /// Changes it, for the holder of the lock.
    #[inline(always)]
    pub(crate) fn set(&self, value: u64) {
        #[cfg(snapshot_loom)]
        self.own.store(value, Ordering::Relaxed);
        // Release: pairs with the Acquire load in `load`.
        self.shared.store(value, Ordering::Release);
    }
}
