//! Spin: one builds and the others take it, a panic frees them, and they take no copy that is older than their call.

use snapshot_api::dev::interleavings::every;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use loom::thread;
use snapshot_api::{
    Restore, SessionId, Snapshot, SnapshotStrategy,
    dev::models::LockedSet,
    sync::{AtomicU64, Mutex, Ordering, spin_loop},
};
use strategy_shared_cache::Spin;

use super::{ONE, OTHER, policies::observe, tally::Tally};

/// Two readers after a change: one builds. (Of three, two would yield to each other for ever.)
#[test]
fn one_copy_for_all() {
    every(|| {
        let cache = Tally::cached::<Spin>();
        let other = {
            let cache = cache.clone();
            thread::spawn(move || observe(&*cache, 1))
        };
        observe(&*cache, 1);
        other.join().expect("no panic");
        assert_eq!(cache.below().takes(), 1, "the other takes the finished copy");
    });
}

/// A builder panics: who waits for it goes on, and builds.
#[test]
fn a_panicking_builder_stops_nobody() {
    every(|| {
        let cache = Tally::cached::<Spin>();
        cache.below().panic_once();
        let take = |cache: &Arc<_>| {
            let outcome = catch_unwind(AssertUnwindSafe(|| observe(&**cache, 1)));
            outcome.is_err()
        };
        let other = {
            let cache = cache.clone();
            thread::spawn(move || take(&cache))
        };
        let here = take(&cache);
        let there = other.join().expect("caught");
        assert!(here != there, "one of them panicked");
        assert_eq!(cache.below().takes(), 2, "the other has built");
    });
}

/// Spinning without a word: who has waited takes what the builder left.
struct AnyCopy {
    below: LockedSet,
    building: AtomicU64,
    copy: Mutex<bool>,
}

impl AnyCopy {
    /// Whether [`ONE`] runs.
    fn take(&self) -> bool {
        let claim = self.building.compare_exchange(0, 1, Ordering::Acquire, Ordering::Acquire);
        if claim.is_ok() {
            let mut value = self.below.snapshot();
            self.below.take(&mut value);
            *self.copy.lock() = value.is_running(ONE);
            self.building.store(0, Ordering::Release);
        } else {
            while self.building.load(Ordering::Acquire) != 0 {
                spin_loop();
            }
        }
        *self.copy.lock()
    }
}

/// The builder has looked before an end that had returned before the waiter was called.
#[test]
#[should_panic(expected = "the end has returned")]
fn taking_what_the_builder_left_fails() {
    every(|| {
        let below = LockedSet::restore(&(), OTHER, &[ONE]).expect("one id runs");
        let cache =
            Arc::new(AnyCopy { below, building: AtomicU64::new(0), copy: Mutex::new(true) });
        let builder = {
            let cache = Arc::clone(&cache);
            thread::spawn(move || cache.take())
        };
        cache.below.end(SessionId::new(0), &[ONE]);
        assert!(!cache.take(), "the end has returned");
        builder.join().expect("no panic");
    });
}
