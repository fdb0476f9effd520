//! The protocols reduced to a word or two, each with the order that is right and those that are not.

use snapshot_api::dev::interleavings::every;
use std::sync::Arc;

use loom::thread;
use snapshot_api::sync::{
    AtomicU64, Mutex,
    Ordering::{Acquire, Relaxed, Release},
    RwLock,
};

/// What a reader gets: the ids that run as bits, below xmax.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Edition {
    number: u64,
    xmax: u64,
    bits: u64,
}

/// Id 3 runs; id 4 has begun above xmax.
const BEFORE: Edition = Edition { number: 1, xmax: 4, bits: 0b0_1000 };
/// Ids 3 and 5 have ended in one tree, 4 runs.
const AFTER: Edition = Edition { number: 2, xmax: 6, bits: 0b1_0000 };

/// How the number is raised, relative to the root.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Raise {
    BeforeRoot,
    AfterRoot,
}

/// Where a value's number comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stamp {
    OfEdition,
    OfCounter,
}

/// The root pointer of the hierarchical bitmap, and its number beside.
struct Root {
    root: Mutex<Arc<Edition>>,
    number: AtomicU64,
    xmax: AtomicU64,
}

impl Root {
    fn new() -> Arc<Self> {
        Arc::new(Root {
            root: Mutex::new(Arc::new(BEFORE)),
            number: AtomicU64::new(BEFORE.number),
            xmax: AtomicU64::new(BEFORE.xmax),
        })
    }

    fn end(&self, raise: Raise) {
        if raise == Raise::BeforeRoot {
            self.number.store(AFTER.number, Release);
        }
        *self.root.lock() = Arc::new(AFTER);
        if raise == Raise::AfterRoot {
            self.number.store(AFTER.number, Release);
        }
    }

    fn take(&self, value: &mut Edition, stamp: Stamp) {
        let number = self.number.load(Acquire);
        if value.number != number {
            *value = **self.root.lock();
            if stamp == Stamp::OfCounter {
                value.number = number;
            }
        }
    }
}

/// Two values beside an end: neither goes back, and both see what has returned.
fn number_and_root(raise: Raise, stamp: Stamp) {
    every(move || {
        let root = Root::new();
        let nothing = Edition { number: 0, ..BEFORE };
        let (mut kept, mut fresh) = (nothing, nothing);
        root.take(&mut kept, stamp);
        let ender = thread::spawn({
            let root = Arc::clone(&root);
            move || root.end(raise)
        });
        root.take(&mut fresh, stamp);
        let seen = fresh.bits == AFTER.bits;
        root.take(&mut kept, stamp);
        assert!(!seen || kept.bits == AFTER.bits, "an ended id runs again");
        ender.join().expect("no panic");
        for value in [&mut kept, &mut fresh] {
            root.take(value, stamp);
            assert_eq!(value.bits, AFTER.bits, "an end that has returned is missed");
        }
    });
}

#[test]
fn number_before_root_and_stamp_of_the_edition() {
    number_and_root(Raise::BeforeRoot, Stamp::OfEdition);
}

#[test]
#[should_panic(expected = "an ended id runs again")]
fn number_after_root() {
    number_and_root(Raise::AfterRoot, Stamp::OfEdition);
}

#[test]
#[should_panic(expected = "an end that has returned is missed")]
fn number_before_root_and_stamp_of_the_counter() {
    number_and_root(Raise::BeforeRoot, Stamp::OfCounter);
}

/// xmax in a word of its own, read before or after the root, written before or after it.
fn xmax_apart(written_first: bool, read_first: bool) {
    every(move || {
        let root = Root::new();
        let ender = thread::spawn({
            let root = Arc::clone(&root);
            move || {
                if written_first {
                    root.xmax.store(AFTER.xmax, Release);
                }
                *root.root.lock() = Arc::new(AFTER);
                if !written_first {
                    root.xmax.store(AFTER.xmax, Release);
                }
            }
        });
        let early = root.xmax.load(Acquire);
        let bits = root.root.lock().bits;
        let xmax = if read_first { early } else { root.xmax.load(Acquire) };
        let runs = [3, 4, 5].map(|id| id >= xmax || bits >> id & 1 == 1);
        let states = [[true, true, true], [false, true, false]];
        assert!(states.contains(&runs), "neither before the end nor after");
        ender.join().expect("no panic");
    });
}

#[test]
#[should_panic(expected = "neither before the end nor after")]
fn xmax_written_and_read_before_the_root() {
    xmax_apart(true, true);
}

#[test]
#[should_panic(expected = "neither before the end nor after")]
fn xmax_written_before_and_read_after_the_root() {
    xmax_apart(true, false);
}

#[test]
#[should_panic(expected = "neither before the end nor after")]
fn xmax_written_after_and_read_before_the_root() {
    xmax_apart(false, true);
}

#[test]
#[should_panic(expected = "neither before the end nor after")]
fn xmax_written_and_read_after_the_root() {
    xmax_apart(false, false);
}

/// An edition that is used again, with or without asking whether a reader has it.
fn used_again(ask: bool) {
    every(move || {
        let root = Arc::new(Mutex::new(Arc::new(AtomicU64::new(BEFORE.bits))));
        let reader = thread::spawn({
            let root = Arc::clone(&root);
            move || {
                let value = Arc::clone(&root.lock());
                (value.load(Relaxed), value.load(Relaxed))
            }
        });
        let old = std::mem::replace(&mut *root.lock(), Arc::new(AtomicU64::new(AFTER.bits)));
        if !ask || Arc::strong_count(&old) == 1 {
            old.store(0, Relaxed);
        }
        let (then, now) = reader.join().expect("no panic");
        assert_eq!(then, now, "a kept snapshot has changed");
    });
}

#[test]
fn an_edition_that_nobody_has_is_used_again() {
    used_again(true);
}

#[test]
#[should_panic(expected = "a kept snapshot has changed")]
fn an_edition_that_a_reader_has_is_used_again() {
    used_again(false);
}

/// Two words changed in place, one after the other, and walked word by word; under the bitmap's lock or without.
fn words_in_place(locked: bool) {
    every(move || {
        let words = Arc::new((RwLock::new(()), [AtomicU64::new(1), AtomicU64::new(1)]));
        let ender = thread::spawn({
            let words = Arc::clone(&words);
            move || {
                for word in &words.1 {
                    let _alone = locked.then(|| words.0.write());
                    word.store(0, Release);
                }
            }
        });
        let shared = locked.then(|| words.0.read());
        let [first, second] = [&words.1[0], &words.1[1]].map(|word| word.load(Acquire));
        drop(shared);
        assert!(first <= second, "a later end is seen without the earlier one");
        ender.join().expect("no panic");
    });
}

#[test]
fn words_in_place_under_the_lock() {
    words_in_place(true);
}

#[test]
#[should_panic(expected = "a later end is seen without the earlier one")]
fn words_in_place_without_a_lock() {
    words_in_place(false);
}

/// When the bitmap's version is raised.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Inside,
    BeforeLock,
    AfterLock,
}

struct Locked {
    runs: RwLock<bool>,
    version: AtomicU64,
}

impl Locked {
    fn end(&self, when: Version) {
        if when == Version::BeforeLock {
            self.version.store(2, Release);
        }
        let mut runs = self.runs.write();
        *runs = false;
        if when == Version::Inside {
            self.version.store(2, Release);
        }
        drop(runs);
        if when == Version::AfterLock {
            self.version.store(2, Release);
        }
    }

    fn take(&self, value: &mut (u64, bool)) -> bool {
        if self.version.load(Acquire) != value.0 {
            let runs = self.runs.read();
            *value = (self.version.load(Relaxed), *runs);
        }
        value.1
    }
}

fn version_and_lock(when: Version) {
    every(move || {
        let locked = Arc::new(Locked { runs: RwLock::new(true), version: AtomicU64::new(1) });
        let (mut kept, mut fresh) = ((0, true), (0, true));
        locked.take(&mut kept);
        let ender = thread::spawn({
            let locked = Arc::clone(&locked);
            move || locked.end(when)
        });
        let first = locked.take(&mut fresh);
        assert!(first || !locked.take(&mut kept), "an ended id runs again");
        ender.join().expect("no panic");
        assert!(!locked.take(&mut fresh), "an end that has returned is missed");
    });
}

#[test]
fn version_raised_inside_the_lock() {
    version_and_lock(Version::Inside);
}

#[test]
#[should_panic(expected = "an end that has returned is missed")]
fn version_raised_before_the_lock() {
    version_and_lock(Version::BeforeLock);
}

#[test]
#[should_panic(expected = "an ended id runs again")]
fn version_raised_after_the_lock() {
    version_and_lock(Version::AfterLock);
}
