//! Laws a and b: neither half goes back, and the timestamp is never the older one.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use super::{super::puppet::Random, Law, at};
use crate::{
    Threshold, ThresholdStrategy, Timestamp,
    dev::laws::{
        join_all,
        puppet::{Puppet, State, Stop, with_random_yields},
        scale,
    },
};

const BACK: Law = Law::new("threshold law a", "never back");
const ORDER: Law = Law::new("threshold law b", "timestamp before xid");

/// An operation that has more steps than this does not end.
const DEEPEST: usize = 2_000;

/// Law a: neither half regresses, under any interleaving of advances.
///
/// Reported as: two setters, the later one with the older minute (PostgreSQL's own threshold).
pub fn never_back<T: ThresholdStrategy>(new: impl Fn() -> T) {
    let pairs = [
        (at(10, 100), at(20, 50)),
        (at(20, 50), at(10, 100)),
        (at(5, 5), at(9, 9)),
        (at(9, 9), at(5, 5)),
    ];
    for (first, second) in pairs {
        for step in 0..DEEPEST {
            let threshold = new();
            let over = thread::scope(|scope| {
                let one = Puppet::start(scope, Stop::At(step), || threshold.advance(first));
                let over = one.state() == State::Done;
                let two = Puppet::start(scope, Stop::Never, || {
                    threshold.advance(second);
                    watch(&threshold, second);
                });
                one.finish();
                two.finish();
                over
            });
            watch(&threshold, first.max(second));
            if over {
                break;
            }
        }
    }
    for round in 0..scale(8) as u64 {
        let threshold = new();
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let setters = (0..2).map(|setter| {
                let threshold = &threshold;
                scope.spawn(move || {
                    let mut random = Random::new(round * 4 + setter);
                    with_random_yields(round * 4 + setter, || {
                        for turn in 1..400 {
                            let to = at(turn + random.below(40), turn + random.below(40));
                            threshold.advance(to);
                            watch(threshold, to);
                        }
                    });
                })
            });
            let setters: Vec<_> = setters.collect();
            let readers = (2..4).map(|reader| {
                let (threshold, stop) = (&threshold, &stop);
                scope.spawn(move || {
                    with_random_yields(round * 4 + reader, || {
                        let mut seen = Threshold::NONE;
                        // Relaxed: one more turn does no harm.
                        while !stop.load(Ordering::Relaxed) {
                            seen = watch(threshold, seen);
                        }
                    });
                })
            });
            let readers: Vec<_> = readers.collect();
            let stopper = StopAtLast(&stop);
            join_all(setters);
            drop(stopper);
            join_all(readers);
        });
    }
}

/// Stops the readers, also when a setter has panicked.
struct StopAtLast<'a>(&'a AtomicBool);

impl Drop for StopAtLast<'_> {
    fn drop(&mut self) {
        // Relaxed: the readers are joined.
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Sees that both halves are at least what was seen before or has been asked for.
fn watch<T: ThresholdStrategy>(threshold: &T, seen: Threshold) -> Threshold {
    let (timestamp, pair) = (threshold.timestamp(), threshold.load());
    BACK.check(
        timestamp >= seen.timestamp && pair.timestamp >= timestamp && pair.xid >= seen.xid,
        || {
            format!(
                "{seen:?} was there before, then the timestamp {timestamp:?} and the pair {pair:?}"
            )
        },
    );
    pair
}

/// Law b: a pruner that got xid X, and any reader that tests after it has seen that pruner's work, reads at least the
/// timestamp that came with X.
pub fn timestamp_before_xid<T: ThresholdStrategy>(new: impl Fn() -> T) {
    stopped_setter(&new);
    stopped_pruner(&new);
    for round in 0..scale(8) {
        pages(&new(), round as u64);
    }
}

/// All advances of this law have a timestamp of a tenth of their xid, so that an xid tells which timestamp came with it.
fn came_with(pair: Threshold) -> Timestamp {
    Timestamp::from_micros(pair.xid.get() / 10)
}

fn stopped_setter<T: ThresholdStrategy>(new: &impl Fn() -> T) {
    for step in 0..DEEPEST {
        let threshold = new();
        threshold.advance(at(10, 100));
        let over = thread::scope(|scope| {
            let setter = Puppet::start(scope, Stop::At(step), || threshold.advance(at(20, 200)));
            let over = setter.state() == State::Done;
            let reader = Puppet::start(scope, Stop::Never, || prune_then_test(&threshold));
            setter.finish();
            reader.finish();
            over
        });
        prune_then_test(&threshold);
        if over {
            return;
        }
    }
}

/// A pruner and then a reader, one after the other.
fn prune_then_test<T: ThresholdStrategy>(threshold: &T) {
    let pair = threshold.load();
    let tested = threshold.timestamp();
    ORDER.check(pair.timestamp >= came_with(pair) && tested >= came_with(pair), || {
        format!(
            "a pruner got {pair:?}, a reader after it {tested:?}, but {:?} came with that xid",
            came_with(pair)
        )
    });
}

fn stopped_pruner<T: ThresholdStrategy>(new: &impl Fn() -> T) {
    for step in 0..DEEPEST {
        let threshold = new();
        threshold.advance(at(10, 100));
        let over = thread::scope(|scope| {
            let pruner = Puppet::start(scope, Stop::At(step), || prune_then_test(&threshold));
            let over = pruner.state() == State::Done;
            let setter = Puppet::start(scope, Stop::Never, || {
                threshold.advance(at(20, 200));
                threshold.advance(at(30, 300));
            });
            pruner.finish();
            setter.finish();
            over
        });
        if over {
            return;
        }
    }
}

/// Setters, a pruner that removes rows from a page, readers that test after they have read it: all at once.
fn pages<T: ThresholdStrategy>(threshold: &T, round: u64) {
    const LAST: u64 = 600;
    // The page says up to which xid its rows are gone.
    let page = AtomicU64::new(0);
    let page = &page;
    thread::scope(|scope| {
        let setters = (0..2_u64).map(|setter| {
            scope.spawn(move || {
                with_random_yields(round * 8 + setter, || {
                    for turn in (1 + setter..=LAST).step_by(2) {
                        threshold.advance(at(turn, turn * 10));
                    }
                    // Whoever comes last leaves the highest.
                    threshold.advance(at(LAST, LAST * 10));
                });
            })
        });
        let mut threads: Vec<_> = setters.collect();
        threads.push(scope.spawn(move || {
            // Bounded, so that a threshold that never gets there ends the test all the same.
            with_random_yields(round * 8 + 2, || {
                (0..1_000_000).any(|_| prune(threshold, page) == LAST * 10);
            });
        }));
        threads.extend((3..5).map(|reader| {
            scope.spawn(move || {
                with_random_yields(round * 8 + reader, || {
                    (0..100_000).any(|_| read_then_test(threshold, page) == LAST * 10);
                });
            })
        }));
        join_all(threads);
    });
}

/// Removes rows as far as the threshold allows; how far that was.
fn prune<T: ThresholdStrategy>(threshold: &T, page: &AtomicU64) -> u64 {
    let pair = threshold.load();
    ORDER.check(pair.timestamp >= came_with(pair), || {
        format!("a pruner got {pair:?}, but {:?} came with that xid", came_with(pair))
    });
    // Release: pairs with the readers' Acquire, as a page's lock would.
    page.store(pair.xid.get(), Ordering::Release);
    pair.xid.get()
}

/// Reads the page, then tests; up to where the page was pruned.
fn read_then_test<T: ThresholdStrategy>(threshold: &T, page: &AtomicU64) -> u64 {
    // Acquire: what the pruner did happens before.
    let pruned = page.load(Ordering::Acquire);
    let tested = threshold.timestamp();
    ORDER.check(tested.as_micros() >= pruned / 10, || {
        format!("rows up to {pruned} are gone, but a reader tests against {tested:?}")
    });
    pruned
}
