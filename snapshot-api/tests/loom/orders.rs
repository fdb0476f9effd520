//! The protocol between reader and collector in a few words: the right order, and each wrong one that looks right, which must
//! fail. The first of them is what four engines shipped.

use std::sync::Arc;

use loom::thread;
use snapshot_api::{
    dev::interleavings::every,
    sync::{AtomicU64, Ordering, fence},
};

const NOTHING: u64 = u64::MAX;

struct Words {
    /// What has ended: 2, then 3.
    published: AtomicU64,
    pin: AtomicU64,
    floor: AtomicU64,
    /// What a collector was allowed to remove, below this.
    removed: AtomicU64,
}

impl Words {
    fn new() -> Arc<Self> {
        Arc::new(Words {
            published: AtomicU64::new(2),
            pin: AtomicU64::new(NOTHING),
            floor: AtomicU64::new(3),
            removed: AtomicU64::new(3),
        })
    }

    fn xmin(&self) -> u64 {
        self.published.load(Ordering::Acquire) + 1
    }

    fn announce(&self) {
        self.pin.store(self.floor.load(Ordering::Acquire), Ordering::Relaxed);
    }

    /// The snapshot with this xmin needs what ids from xmin on have replaced.
    fn read(&self, xmin: u64) {
        let removed = self.removed.load(Ordering::Acquire);
        assert!(removed <= xmin, "needs what is from {xmin} on, removed below {removed}");
    }

    fn commit(&self) {
        self.published.store(3, Ordering::Release);
    }

    fn remove(&self, xmin: u64, pin: u64) {
        let horizon = xmin.min(pin);
        let horizon = self.floor.fetch_max(horizon, Ordering::AcqRel).max(horizon);
        self.removed.fetch_max(horizon, Ordering::AcqRel);
    }

    fn bound(&self) -> u64 {
        self.pin.load(Ordering::Acquire)
    }
}

fn model(reader: fn(&Words), collector: fn(&Words)) {
    every(move || {
        let words = Words::new();
        let reading = {
            let words = Arc::clone(&words);
            thread::spawn(move || reader(&words))
        };
        words.commit();
        collector(&words);
        reading.join().expect("no panic");
    });
}

fn right_reader(words: &Words) {
    words.announce();
    fence(Ordering::SeqCst);
    let xmin = words.xmin();
    words.pin.store(xmin, Ordering::Release);
    words.read(xmin);
}

fn right_collector(words: &Words) {
    let xmin = words.xmin();
    fence(Ordering::SeqCst);
    words.remove(xmin, words.bound());
}

#[test]
fn announced_first_nothing_is_missed() {
    model(right_reader, right_collector);
}

/// surrealmx 76, turso 8992, slatedb 1298.
#[test]
#[should_panic(expected = "removed below")]
fn chosen_before_it_is_registered_fails() {
    let reader = |words: &Words| {
        let xmin = words.xmin();
        words.pin.store(xmin, Ordering::Release);
        fence(Ordering::SeqCst);
        words.read(xmin);
    };
    model(reader, right_collector);
}

#[test]
#[should_panic(expected = "removed below")]
fn without_the_readers_fence_fails() {
    let reader = |words: &Words| {
        words.announce();
        let xmin = words.xmin();
        words.pin.store(xmin, Ordering::Release);
        words.read(xmin);
    };
    model(reader, right_collector);
}

#[test]
#[should_panic(expected = "removed below")]
fn without_the_collectors_fence_fails() {
    let collector = |words: &Words| {
        let xmin = words.xmin();
        words.remove(xmin, words.bound());
    };
    // Where the fence is all that orders the collector's look behind its take.
    model(right_reader, collector);
}

/// cubrid 98: the lowest active id is found by a look that is not one with taking a snapshot.
#[test]
#[should_panic(expected = "removed below")]
fn pins_read_before_the_take_fails() {
    let collector = |words: &Words| {
        let pin = words.bound();
        fence(Ordering::SeqCst);
        let xmin = words.xmin();
        words.remove(xmin, pin);
    };
    model(right_reader, collector);
}

/// A bound that is not below what the reader will choose: the last id that ended, read on its way.
#[test]
#[should_panic(expected = "removed below")]
fn floor_taken_from_what_is_published_later_fails() {
    let collector = |words: &Words| {
        let xmin = words.xmin();
        fence(Ordering::SeqCst);
        let pin = words.bound();
        // Raised to what is published now, not to the horizon.
        words.floor.fetch_max(words.xmin(), Ordering::AcqRel);
        words.remove(xmin, pin);
    };
    model(right_reader, collector);
}
