//! Locks that a panic does not poison and that count who had to wait.

#[cfg(snapshot_tsan)]
mod instrumented;

#[cfg(snapshot_tsan)]
use instrumented as backend;
#[cfg(snapshot_loom)]
use loom::sync as backend;
#[cfg(not(any(snapshot_loom, snapshot_tsan)))]
use std::sync as backend;
// The count is the standard library's atomic in every build: it orders nothing, and models need not explore it.
use std::{
    fmt,
    sync::{
        PoisonError, TryLockError,
        atomic::{AtomicU64, Ordering},
    },
};

/// What [`Mutex::lock`] returns.
pub use backend::MutexGuard;
/// What [`RwLock::read`] and [`RwLock::write`] return.
pub use backend::{RwLockReadGuard, RwLockWriteGuard};

/// A mutual-exclusion lock: the standard library's, never poisoned, waits counted.
#[derive(Default)]
pub struct Mutex<T> {
    inner: backend::Mutex<T>,
    waits: Waits,
}

/// A lock for many readers or one writer: the standard library's, never poisoned, waits counted.
#[derive(Default)]
pub struct RwLock<T> {
    inner: backend::RwLock<T>,
    waits: Waits,
}

/// How often a caller found the lock taken. On a line of its own only as far as the lock is.
#[derive(Default)]
struct Waits(AtomicU64);

impl Waits {
    fn get(&self) -> u64 {
        // Relaxed: a statistic.
        self.0.load(Ordering::Relaxed)
    }

    /// Tries, and only where that fails counts a wait and waits.
    #[inline]
    fn acquire<G>(
        &self,
        attempt: impl Fn() -> Result<G, TryLockError<G>>,
        wait: impl FnOnce() -> Result<G, PoisonError<G>>,
    ) -> G {
        before();
        // loom explores who comes first by itself; an attempt beforehand would only multiply its work.
        let guard =
            match if cfg!(snapshot_loom) { Err(TryLockError::WouldBlock) } else { attempt() } {
                Ok(guard) => guard,
                Err(TryLockError::Poisoned(poison)) => poison.into_inner(),
                Err(TryLockError::WouldBlock) => self.queue(wait),
            };
        held();
        guard
    }

    #[cold]
    fn queue<G>(&self, wait: impl FnOnce() -> Result<G, PoisonError<G>>) -> G {
        // Relaxed: a statistic.
        self.0.fetch_add(1, Ordering::Relaxed);
        blocked();
        wait().unwrap_or_else(PoisonError::into_inner)
    }
}

macro_rules! announce {
    ($($name:ident $step:ident;)*) => {$(
        #[inline(always)]
        fn $name() {
            #[cfg(all(feature = "dev", debug_assertions, not(snapshot_loom)))]
            super::steps::step(super::steps::Step::$step);
        }
    )*};
}
announce! { before Lock; blocked Blocked; held Held; }

impl<T> Mutex<T> {
    /// An open lock.
    pub fn new(value: T) -> Self {
        Mutex { inner: backend::Mutex::new(value), waits: Waits::default() }
    }

    /// Waits for the lock and takes it. A panic of an earlier holder is no reason to refuse.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.waits.acquire(|| self.inner.try_lock(), || self.inner.lock())
    }

    /// Takes the lock if it is free.
    #[inline]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        before();
        let guard = match self.inner.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poison)) => poison.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        held();
        Some(guard)
    }

    /// How often a caller of [`lock`](Self::lock) found it taken.
    pub fn waits(&self) -> u64 {
        self.waits.get()
    }
}

impl<T> RwLock<T> {
    /// An open lock.
    pub fn new(value: T) -> Self {
        RwLock { inner: backend::RwLock::new(value), waits: Waits::default() }
    }

    /// Waits until no writer holds the lock and takes it beside other readers.
    #[inline]
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.waits.acquire(|| self.inner.try_read(), || self.inner.read())
    }

    /// Waits until nobody holds the lock and takes it alone.
    #[inline]
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.waits.acquire(|| self.inner.try_write(), || self.inner.write())
    }

    /// How often a caller found the lock taken.
    pub fn waits(&self) -> u64 {
        self.waits.get()
    }
}

impl<T> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").field("waits", &self.waits()).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLock").field("waits", &self.waits()).finish_non_exhaustive()
    }
}
