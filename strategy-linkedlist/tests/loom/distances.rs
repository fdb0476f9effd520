//! What makes a stale distance a safe one, in a reduced protocol: three places, the first and the last run.

use loom::thread;
use snapshot_api::dev::interleavings::every;
use snapshot_api::sync::{AtomicBool, AtomicUsize, Ordering::Relaxed, RwLock};

use loom::sync::Arc;

/// What is done as it should be.
#[derive(Clone, Copy)]
struct Rules {
    /// A reader stores while it holds the shared lock.
    store_inside: bool,
    /// A place that is used anew knows nothing.
    reset: bool,
}

struct Array {
    valid: [AtomicBool; 3],
    skips: [AtomicUsize; 3],
    /// Holds the head.
    lock: RwLock<usize>,
    rules: Rules,
}

impl Array {
    fn new(rules: Rules) -> Arc<Self> {
        Arc::new(Array {
            valid: [true, false, true].map(AtomicBool::new),
            skips: [1; 3].map(AtomicUsize::new),
            lock: RwLock::new(3),
            rules,
        })
    }

    /// How many run.
    fn scan(&self) -> usize {
        let head = self.lock.read();
        let (mut place, mut running) = (0, 0);
        let mut late = None;
        while place < *head {
            running += 1;
            let mut to = place + self.skips[place].load(Relaxed);
            while to < *head && !self.valid[to].load(Relaxed) {
                to += self.skips[to].load(Relaxed);
            }
            if self.rules.store_inside {
                self.skips[place].store(to - place, Relaxed);
            } else if place == 0 {
                late = Some(to - place);
            }
            place = to;
        }
        drop(head);
        if let Some(distance) = late {
            self.skips[0].store(distance, Relaxed);
        }
        running
    }

    fn append(&self, place: usize) {
        self.valid[place].store(true, Relaxed);
        if self.rules.reset {
            self.skips[place].store(1, Relaxed);
        }
    }

    fn compact(&self) {
        let mut head = self.lock.write();
        self.append(0);
        self.append(1);
        *head = 2;
    }
}

fn a_reader_beside_compaction(rules: Rules) {
    every(move || {
        let array = Array::new(rules);
        let reader = thread::spawn({
            let array = Arc::clone(&array);
            move || assert_eq!(array.scan(), 2, "a running id is skipped")
        });
        array.compact();
        reader.join().expect("no panic");
        assert_eq!(array.scan(), 2, "a running id is skipped");
    });
}

#[test]
fn learnt_under_the_lock_and_forgotten_on_reuse() {
    a_reader_beside_compaction(Rules { store_inside: true, reset: true });
}

#[test]
#[should_panic(expected = "a running id is skipped")]
fn learnt_after_the_lock() {
    a_reader_beside_compaction(Rules { store_inside: false, reset: true });
}

#[test]
#[should_panic(expected = "a running id is skipped")]
fn kept_when_a_place_is_used_anew() {
    a_reader_beside_compaction(Rules { store_inside: true, reset: false });
}
