//! Number, ends and xmax in a reduced protocol: the order in which they are written and read, and each wrong one.
//!
//! Id 3 runs, id 4 was never begun, and xmax is 4. Change 1 ends the tree of both.

use loom::thread;
use snapshot_api::dev::interleavings::every;
use snapshot_api::sync::{
    AtomicU64,
    Ordering::{self, Acquire, Relaxed, Release},
};

use loom::sync::Arc;

const RUNS: u64 = u64::MAX;

/// How a reader gets at its xmax.
#[derive(Clone, Copy, PartialEq)]
enum Xmax {
    BeforeTheNumber,
    LatestAfterTheNumber,
    OfTheNumber,
}

/// In which order a writer works.
#[derive(Clone, Copy, PartialEq)]
enum Publish {
    MarksThenNumber(Ordering),
    NumberThenMarks,
}

struct List {
    /// Of id 3.
    end: AtomicU64,
    number: AtomicU64,
    /// Of number 0 and of number 1.
    xmaxes: [AtomicU64; 2],
    latest: AtomicU64,
}

impl List {
    fn end_tree(&self, publish: Publish) {
        if publish == Publish::NumberThenMarks {
            self.number.store(1, Release);
        }
        self.end.store(1, Relaxed);
        self.xmaxes[1].store(5, Release);
        self.latest.store(5, Release);
        if let Publish::MarksThenNumber(order) = publish {
            self.number.store(1, order);
        }
    }

    /// Whether ids 3 and 4 run.
    fn take(&self, how: Xmax) -> [bool; 2] {
        let before = self.latest.load(Acquire);
        let number = self.number.load(Acquire);
        let xmax = match how {
            Xmax::BeforeTheNumber => before,
            Xmax::LatestAfterTheNumber => self.latest.load(Acquire),
            Xmax::OfTheNumber => self.xmaxes[number as usize].load(Acquire),
        };
        let listed = self.end.load(Relaxed) > number;
        [xmax <= 3 || listed, xmax <= 4]
    }
}

fn a_tree_ends_beside_a_take(how: Xmax, publish: Publish) {
    every(move || {
        let list = Arc::new(List {
            end: AtomicU64::new(RUNS),
            number: AtomicU64::new(0),
            xmaxes: [AtomicU64::new(4), AtomicU64::new(4)],
            latest: AtomicU64::new(4),
        });
        let ender = thread::spawn({
            let list = Arc::clone(&list);
            move || list.end_tree(publish)
        });
        let [three, four] = list.take(how);
        assert_eq!(three, four, "half of a tree has ended");
        let [again, _] = list.take(how);
        assert!(again <= three, "what had ended runs again");
        ender.join().expect("no panic");
    });
}

#[test]
fn the_xmax_of_the_number() {
    a_tree_ends_beside_a_take(Xmax::OfTheNumber, Publish::MarksThenNumber(Release));
}

#[test]
#[should_panic(expected = "half of a tree has ended")]
fn an_xmax_read_before_the_number() {
    a_tree_ends_beside_a_take(Xmax::BeforeTheNumber, Publish::MarksThenNumber(Release));
}

#[test]
#[should_panic(expected = "half of a tree has ended")]
fn the_latest_xmax_read_after_the_number() {
    a_tree_ends_beside_a_take(Xmax::LatestAfterTheNumber, Publish::MarksThenNumber(Release));
}

#[test]
#[should_panic(expected = "half of a tree has ended")]
fn a_number_published_before_what_it_stands_for() {
    a_tree_ends_beside_a_take(Xmax::OfTheNumber, Publish::NumberThenMarks);
}

#[test]
#[should_panic(expected = "half of a tree has ended")]
fn a_number_published_without_release() {
    a_tree_ends_beside_a_take(Xmax::OfTheNumber, Publish::MarksThenNumber(Relaxed));
}

/// A ring with two places, and three changes: number n has xmax 10 + n.
fn a_lap_beside_a_read(look_again: bool, place: Ordering) {
    every(move || {
        let ring = Arc::new((AtomicU64::new(0), [AtomicU64::new(10), AtomicU64::new(0)]));
        let writer = thread::spawn({
            let ring = Arc::clone(&ring);
            move || {
                for number in 1..=3 {
                    ring.1[number as usize % 2].store(10 + number, place);
                    ring.0.store(number, Release);
                }
            }
        });
        let mut number = ring.0.load(Acquire);
        let xmax = loop {
            let xmax = ring.1[number as usize % 2].load(Acquire);
            let now = ring.0.load(Acquire);
            if now == number || !look_again {
                break xmax;
            }
            number = now;
        };
        assert_eq!(xmax, 10 + number, "an xmax of another number");
        writer.join().expect("no panic");
    });
}

#[test]
fn a_lapped_reader_starts_over() {
    a_lap_beside_a_read(true, Release);
}

#[test]
#[should_panic(expected = "an xmax of another number")]
fn a_lapped_reader_that_does_not_look_again() {
    a_lap_beside_a_read(false, Release);
}

#[test]
#[should_panic(expected = "an xmax of another number")]
fn a_place_written_without_release() {
    a_lap_beside_a_read(true, Relaxed);
}
