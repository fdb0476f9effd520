//! Publication at end: when the ends are over the copy is there, and it is one of after them.

use snapshot_api::dev::interleavings::every;
use std::sync::Arc;

use loom::thread;
use snapshot_api::{
    Restore, SessionId, Snapshot, SnapshotStrategy, Xid,
    dev::models::LockedSet,
    sync::{AtomicU64, Mutex, Ordering},
};
use strategy_shared_cache::Publish;

use super::{ONE, OTHER, policies::observe, tally::Tally};

/// Two ends at once: afterwards no reader builds.
#[test]
fn the_copy_is_there_when_the_ends_are_over() {
    every(|| {
        let cache = Tally::cached::<Publish>();
        let ender = {
            let cache = cache.clone();
            thread::spawn(move || cache.end(SessionId::new(0), &[ONE]))
        };
        cache.end(SessionId::new(1), &[OTHER]);
        ender.join().expect("no panic");
        let built = cache.below().takes();
        assert!((1..=2).contains(&built), "an end builds once at most");
        assert_eq!(observe(&*cache, 1), (false, false), "both ends have returned");
        assert_eq!(cache.below().takes(), built, "the last one has published");
    });
}

/// What runs of the two ids.
type Running = [bool; 2];

/// A cache whose enders build before their second addition and publish under the word that it makes.
struct BuiltTooEarly {
    below: LockedSet,
    /// Changes over in the upper half, begun in the lower.
    word: AtomicU64,
    copy: Mutex<(u64, Running)>,
}

impl BuiltTooEarly {
    fn below(&self) -> Running {
        let mut value = self.below.snapshot();
        self.below.take(&mut value);
        [ONE, OTHER].map(|xid| value.is_running(xid))
    }

    fn end(&self, xid: Xid) {
        self.word.fetch_add(1, Ordering::AcqRel);
        self.below.end(SessionId::new(0), &[xid]);
        let running = self.below();
        let over = (1 << 32) - 1;
        let word = self.word.fetch_add(over, Ordering::AcqRel) + over;
        if word as u32 == 0 {
            *self.copy.lock() = (word, running);
        }
    }

    fn take(&self) -> Running {
        let word = self.word.load(Ordering::Acquire);
        let (of, running) = *self.copy.lock();
        if of == word { running } else { self.below() }
    }
}

/// Between the copy and the addition another change begins and ends: the word counts it, the copy lacks it.
#[test]
#[should_panic(expected = "both ends have returned")]
fn building_before_the_second_addition_fails() {
    every(|| {
        let below = LockedSet::restore(&(), OTHER, &[ONE, OTHER]).expect("two ids run");
        let copy = Mutex::new((u64::MAX, [true; 2]));
        let cache = Arc::new(BuiltTooEarly { below, word: AtomicU64::new(0), copy });
        let ender = {
            let cache = Arc::clone(&cache);
            thread::spawn(move || cache.end(ONE))
        };
        cache.end(OTHER);
        ender.join().expect("no panic");
        assert_eq!(cache.take(), [false; 2], "both ends have returned");
    });
}
