//! What the linked list rests on, in reduced protocols without the locks where these would hide it.

use loom::thread;
use snapshot_api::dev::interleavings::every;
use snapshot_api::sync::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
    RwLock,
};

use loom::sync::Arc;

const UNWRITTEN: u64 = 0;
const NONE: usize = usize::MAX;

/// Id 3 lies in the first of two places.
struct Append {
    ids: [AtomicU64; 2],
    next: AtomicUsize,
    head: AtomicUsize,
}

/// A reader that goes no further than the head that it has loaded, or one that follows every link.
fn append_beside_a_walk(bounded: bool) {
    every(move || {
        let list = Arc::new(Append {
            ids: [AtomicU64::new(3), AtomicU64::new(UNWRITTEN)],
            next: AtomicUsize::new(NONE),
            head: AtomicUsize::new(1),
        });
        let reader = thread::spawn({
            let list = Arc::clone(&list);
            move || {
                let head = list.head.load(Acquire);
                let bound = if bounded { head } else { NONE };
                let next = list.next.load(Relaxed);
                if next < bound { list.ids[next].load(Relaxed) } else { 3 }
            }
        });
        list.ids[1].store(7, Relaxed);
        list.next.store(1, Relaxed);
        list.head.store(2, Release);
        let seen = reader.join().expect("no panic");
        assert!(seen != UNWRITTEN, "a link leads to what is not written yet");
    });
}

#[test]
fn a_walk_ends_at_the_head() {
    append_beside_a_walk(true);
}

#[test]
#[should_panic(expected = "a link leads to what is not written yet")]
fn a_walk_that_follows_every_link() {
    append_beside_a_walk(false);
}

/// Four linked places.
struct Chain {
    next: [AtomicUsize; 4],
    prev: [AtomicUsize; 4],
    lock: RwLock<()>,
}

impl Chain {
    fn unlink(&self, place: usize) {
        let (prev, next) = (self.prev[place].load(Relaxed), self.next[place].load(Relaxed));
        self.next[prev].store(next, Relaxed);
        self.prev[next].store(prev, Relaxed);
    }
}

/// Two ends of neighbours, each under the exclusive lock or under the shared one.
fn neighbours_end(alone: bool) {
    every(move || {
        let chain = Arc::new(Chain {
            next: [1, 2, 3, NONE].map(AtomicUsize::new),
            prev: [NONE, 0, 1, 2].map(AtomicUsize::new),
            lock: RwLock::new(()),
        });
        let enders = [1, 2].map(|place| {
            let chain = Arc::clone(&chain);
            thread::spawn(move || {
                if alone {
                    let _alone = chain.lock.write();
                    chain.unlink(place);
                } else {
                    let _shared = chain.lock.read();
                    chain.unlink(place);
                }
            })
        });
        enders.into_iter().for_each(|ender| ender.join().expect("no panic"));
        assert_eq!(chain.next[0].load(Relaxed), 3, "an id that has ended is still linked");
    });
}

#[test]
fn neighbours_end_one_after_the_other() {
    neighbours_end(true);
}

#[test]
#[should_panic(expected = "an id that has ended is still linked")]
fn neighbours_end_at_once() {
    neighbours_end(false);
}
