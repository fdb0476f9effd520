//! When a node may be unlinked, and when it may be used anew, in a reduced list: first → node 0 → node 1.

use loom::{sync::Mutex, thread};
use snapshot_api::dev::interleavings::every;
use snapshot_api::sync::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use loom::sync::Arc;

const RUNS: u64 = u64::MAX;
const NONE: usize = usize::MAX;

struct List {
    number: AtomicU64,
    first: AtomicUsize,
    next: [AtomicUsize; 2],
    ends: [AtomicU64; 2],
    /// How many readers are inside.
    inside: Mutex<usize>,
}

impl List {
    /// Node 1 runs.
    fn new(end: u64) -> Arc<Self> {
        Arc::new(List {
            number: AtomicU64::new(0),
            first: AtomicUsize::new(0),
            next: [AtomicUsize::new(1), AtomicUsize::new(NONE)],
            ends: [AtomicU64::new(end), AtomicU64::new(RUNS)],
            inside: Mutex::new(0),
        })
    }

    /// The nodes that ran at the number that was read, and the number.
    fn walk(&self) -> (u64, Vec<usize>) {
        *self.inside.lock().expect("no panic") += 1;
        let number = self.number.load(Acquire);
        let mut running = Vec::new();
        let mut at = self.first.load(Acquire);
        while at != NONE {
            if self.ends[at].load(Relaxed) > number {
                running.push(at);
            }
            at = self.next[at].load(Acquire);
        }
        *self.inside.lock().expect("no panic") -= 1;
        (number, running)
    }

    /// Whether nobody is inside. Who enters from now on sees what was done before.
    fn nobody_is_inside(&self) -> bool {
        *self.inside.lock().expect("no panic") == 0
    }
}

/// Node 0 ends with number 1 and is unlinked, at once or when nobody is inside.
fn unlinked_beside_a_walk(wait: bool) {
    every(move || {
        let list = List::new(RUNS);
        let reader = thread::spawn({
            let list = Arc::clone(&list);
            move || list.walk()
        });
        list.ends[0].store(1, Relaxed);
        list.number.store(1, Release);
        if !wait || list.nobody_is_inside() {
            list.first.store(1, Release);
        }
        let (number, running) = reader.join().expect("no panic");
        let right: &[usize] = if number == 0 { &[0, 1] } else { &[1] };
        assert_eq!(running, right, "a running id is not found");
    });
}

#[test]
fn unlinked_when_older_readers_have_left() {
    unlinked_beside_a_walk(true);
}

#[test]
#[should_panic(expected = "a running id is not found")]
fn unlinked_as_soon_as_it_ended() {
    unlinked_beside_a_walk(false);
}

/// Node 0 has ended for everybody. It is unlinked and appended again for a new id, at once or when nobody is inside.
fn used_anew_beside_a_walk(wait: bool) {
    every(move || {
        let list = List::new(0);
        let reader = thread::spawn({
            let list = Arc::clone(&list);
            move || list.walk()
        });
        list.first.store(1, Release);
        if !wait || list.nobody_is_inside() {
            list.ends[0].store(RUNS, Relaxed);
            list.next[0].store(NONE, Relaxed);
            list.next[1].store(0, Release);
        }
        let (_, running) = reader.join().expect("no panic");
        // The new id is beyond xmax, whether it is met or not.
        assert!(running.contains(&1), "a running id is not found");
    });
}

#[test]
fn used_anew_when_nobody_stands_on_it() {
    used_anew_beside_a_walk(true);
}

#[test]
#[should_panic(expected = "a running id is not found")]
fn used_anew_as_soon_as_it_is_unlinked() {
    used_anew_beside_a_walk(false);
}
