//! Atomics and locks for strategies: the one place that knows of loom and of the law book's stalled threads.
//!
//! A strategy takes its atomics, fences and locks from here and gets, without a line of its own:
//!
//! - in a release build, the standard library's types, unchanged;
//! - under `--cfg snapshot_loom`, loom's, so that its protocol can be model-checked;
//! - with the feature `dev` in a debug build, the standard library's with a [`step`] before each access. The law book
//!   stalls a thread at any step, lets it panic there, or runs others in between.
//!
//! [`Mutex`] and [`RwLock`] differ from the standard library's in two points: a panic does not poison them (law 10), and
//! they count how often somebody had to wait ([`Mutex::waits`], [`RwLock::waits`]).
//!
//! A cell from a foreign crate (an arc-swap, a sequence lock) has no steps of its own: call [`step`] before touching it.

mod atomic;
mod lock;
mod padded;
#[cfg(all(feature = "dev", not(snapshot_loom)))]
pub(crate) mod steps;

pub use atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
pub use lock::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use padded::Padded;

/// A point at which the law book may stall this thread or interleave another. Nothing at all in a release build.
///
/// The types of this module call it by themselves; a strategy calls it before it touches a foreign cell.
#[inline(always)]
pub fn step() {
    #[cfg(all(feature = "dev", debug_assertions, not(snapshot_loom)))]
    steps::step(steps::Step::Access);
}

/// What a loop that waits for another thread calls in each round.
#[inline(always)]
pub fn spin_loop() {
    #[cfg(all(feature = "dev", debug_assertions, not(snapshot_loom)))]
    steps::step(steps::Step::Blocked);
    #[cfg(snapshot_loom)]
    loom::thread::yield_now();
    #[cfg(not(snapshot_loom))]
    std::hint::spin_loop();
}
