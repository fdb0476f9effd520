//! `mutex`: PostgreSQL's `mutex_threshold`, a spin lock around the pair.
//!
//! ```text
//!  one cache line                         another
//!  ┌───────┬───────────┬───────┐          ┌───────┬────────┐
//!  │ taken │ timestamp │  xid  │          │ calls │ sleeps │  written by callers that wait, so that they do not
//!  └───────┴───────────┴───────┘          └───────┴────────┘  disturb the holder
//!      ▲ every reader writes here, once to take the lock and once to free it
//! ```
//!
//! # Why it collapses
//!
//! A read of 8 bytes takes the line exclusively, so that N readers on N cores pass one line round: each page of each scan
//! costs a transfer between cores, and they queue for it. When the holder loses its core while it holds the lock, the
//! others spin, then sleep for at least a millisecond although the lock was held for a few nanoseconds.
//!
//! # The waiting
//!
//! As in PostgreSQL's `s_lock.c`. A caller that finds the lock taken spins; after *spins per delay* rounds it sleeps 1 ms,
//! after as many again 1 to 2 times as long, at random, and so on; beyond 1 s it starts again at 1 ms. Spins per delay is
//! the thread's own guess, 100 at first: a wait that needed no sleep raises it by 100, to 1,000 at most (more than one
//! core: spinning pays), one that slept lowers it by 1, to 10 at least.
//!
//! Two differences. PostgreSQL stops the server after 1,000 sleeps ("stuck spinlock"); here a caller waits on. And its
//! `SetOldSnapshotThresholdTimestamp` stores what it is given, so that a setter that comes late with an older minute takes
//! the threshold back; here both halves only rise (law a).
//!
//! # Proof
//!
//! At most one caller is between an exchange of `false` for `true` and the store of `false`. That store is a Release, the
//! next exchange an Acquire, so that all critical sections lie in one order and each sees the ones before it. Hence the
//! pair is whole (law c), the maximum is not lost (law a), and a reader whose call comes after a pruner's, in the order
//! that the page gives them, is also later in the lock's order (law b).
//!
//! # Costs
//!
//! Every call: two writes to one line. Readers and writers block.

#[cfg(not(snapshot_loom))]
mod spin_delay;

#[cfg(not(snapshot_loom))]
use std::thread;

use snapshot_api::{
    Pairing, Progress, Threshold, ThresholdFacts, ThresholdStrategy, Timestamp, Xid,
    sync::{AtomicBool, AtomicU64, Ordering, Padded, spin_loop},
};

#[cfg(not(snapshot_loom))]
use self::spin_delay::SpinDelay;

/// The pair under a test-and-set spin lock: PostgreSQL's `mutex_threshold`. See the [module](self).
#[derive(Debug, Default)]
pub struct MutexThreshold {
    guarded: Padded<Guarded>,
    waited: Padded<Waited>,
}

/// The halves are atomics only since the crate forbids unsafe code: all accesses are Relaxed, inside the lock.
#[derive(Debug, Default)]
struct Guarded {
    taken: AtomicBool,
    timestamp: AtomicU64,
    xid: AtomicU64,
}

/// Statistics; they order nothing.
#[derive(Debug, Default)]
struct Waited {
    calls: AtomicU64,
    sleeps: AtomicU64,
}

/// The lock is taken as long as this lives.
struct Held<'a>(&'a Guarded);

impl MutexThreshold {
    /// The threshold before its first advance.
    pub fn new() -> Self {
        Self::default()
    }

    /// How often a waiting caller gave up spinning and slept, since this instance was made. One wait may sleep many times.
    pub fn sleeps(&self) -> u64 {
        // Relaxed: a statistic.
        self.waited.sleeps.load(Ordering::Relaxed)
    }

    #[inline]
    fn lock(&self) -> Held<'_> {
        if !self.guarded.try_take() {
            self.wait();
        }
        Held(&self.guarded)
    }

    /// Returns with the lock taken.
    #[cold]
    fn wait(&self) {
        // Relaxed: a statistic.
        self.waited.calls.fetch_add(1, Ordering::Relaxed);
        #[cfg(not(snapshot_loom))]
        let mut delay = SpinDelay::of_this_thread();
        // Relaxed: only a hint when an attempt, which takes the line away from the holder, may succeed.
        while self.guarded.taken.load(Ordering::Relaxed) || !self.guarded.try_take() {
            spin_loop();
            #[cfg(not(snapshot_loom))]
            if let Some(time) = delay.next_sleep() {
                // Relaxed: a statistic.
                self.waited.sleeps.fetch_add(1, Ordering::Relaxed);
                spin_loop();
                thread::sleep(time);
            }
        }
        #[cfg(not(snapshot_loom))]
        delay.learn();
    }
}

impl Guarded {
    /// Test and set. PostgreSQL exchanges unconditionally, which costs the same: either takes the line exclusively.
    #[inline]
    fn try_take(&self) -> bool {
        // Acquire: partner of the Release in `Held::drop`, whose critical section this one sees. Relaxed: nothing was taken.
        self.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}

impl Held<'_> {
    fn load(&self) -> Threshold {
        // Relaxed, both: the lock orders them.
        Threshold {
            timestamp: Timestamp::from_micros(self.0.timestamp.load(Ordering::Relaxed)),
            xid: Xid::new(self.0.xid.load(Ordering::Relaxed)),
        }
    }

    fn store(&self, threshold: Threshold) {
        // Relaxed, both: the lock orders them. The timestamp first all the same: should anything stop the holder in between,
        // the pair left behind only prunes less.
        self.0.timestamp.store(threshold.timestamp.as_micros(), Ordering::Relaxed);
        self.0.xid.store(threshold.xid.get(), Ordering::Relaxed);
    }
}

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        // Release: partner of the Acquire of whoever takes the lock next.
        self.0.taken.store(false, Ordering::Release);
    }
}

impl ThresholdStrategy for MutexThreshold {
    fn facts(&self) -> ThresholdFacts {
        ThresholdFacts {
            name: "mutex".into(),
            source: "PostgreSQL 9.6 to 16, mutex_threshold; threads \"Performance degradation with old_snapshot_threshold\" and \"old_snapshot_threshold bottleneck on replica\"",
            readers: Progress::Blocking,
            writers: Progress::Blocking,
            pairing: Pairing::Whole,
        }
    }

    #[inline]
    fn timestamp(&self) -> Timestamp {
        // Relaxed: the lock orders it.
        Timestamp::from_micros(self.lock().0.timestamp.load(Ordering::Relaxed))
    }

    #[inline]
    fn load(&self) -> Threshold {
        self.lock().load()
    }

    fn advance(&self, to: Threshold) {
        let held = self.lock();
        held.store(held.load().max(to));
    }

    fn lock_waits(&self) -> u64 {
        // Relaxed: a statistic.
        self.waited.calls.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, not(snapshot_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_caller_that_finds_the_lock_taken_is_counted_and_sleeps() {
        let threshold = MutexThreshold::new();
        thread::scope(|scope| {
            let held = threshold.lock();
            let reader = scope.spawn(|| threshold.timestamp());
            while threshold.sleeps() == 0 && !reader.is_finished() {
                thread::yield_now();
            }
            assert_eq!(threshold.lock_waits(), 1, "one call waits, however often it sleeps");
            assert!(threshold.sleeps() > 0);
            held.store(Threshold { timestamp: Timestamp::from_micros(20), xid: Xid::new(700) });
            drop(held);
            assert_eq!(reader.join().unwrap(), Timestamp::from_micros(20));
        });
    }

    #[test]
    fn nobody_waits_alone() {
        let threshold = MutexThreshold::new();
        threshold.advance(Threshold { timestamp: Timestamp::from_micros(20), xid: Xid::new(700) });
        threshold.load();
        threshold.timestamp();
        assert_eq!((threshold.lock_waits(), threshold.sleeps()), (0, 0));
    }
}
