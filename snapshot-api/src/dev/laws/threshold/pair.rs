//! Law c: what `load` returns is the maximum of some advances that came first.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
};

use super::{super::puppet::Random, Law, at};
use crate::{
    Pairing, Threshold, ThresholdStrategy, Timestamp, Xid,
    dev::laws::{
        history::Clock,
        join_all,
        puppet::{Puppet, State, Stop, with_random_yields},
        scale,
    },
};

const LAW: Law = Law::new("threshold law c", "a prefix");

/// An operation with the stamps of its call and its return.
#[derive(Clone, Copy, Debug)]
struct Timed {
    pair: Threshold,
    call: u64,
    back: u64,
}

/// Law c: a whole-pair design returns the part-wise maximum of a prefix of one order of the advances; a split design may mix
/// two prefixes, the timestamp's never being the shorter one.
pub fn prefix<T: ThresholdStrategy>(new: impl Fn() -> T) {
    let pairs = [(at(10, 900), at(20, 500)), (at(20, 500), at(10, 900)), (at(7, 7), at(8, 8))];
    for (first, second) in pairs {
        for step in 0..2_000 {
            let record =
                Record { threshold: new(), clock: Clock::default(), history: Mutex::default() };
            let over = thread::scope(|scope| {
                let one = Puppet::start(scope, Stop::At(step), || {
                    record.advance(first);
                    record.load();
                });
                let over = one.state() == State::Done;
                let two = Puppet::start(scope, Stop::Never, || {
                    record.load();
                    record.advance(second);
                    record.load();
                });
                one.finish();
                two.finish();
                over
            });
            record.load();
            let history = record.history.into_inner().unwrap_or_else(PoisonError::into_inner);
            judge(&record.threshold, &history);
            if over {
                break;
            }
        }
    }
    for round in 0..scale(8) as u64 {
        judge_threads(&new(), round);
    }
}

/// Advances and loads.
type History = (Vec<Timed>, Vec<Timed>);

/// One threshold and everything that happens to it.
struct Record<T> {
    threshold: T,
    clock: Clock,
    history: Mutex<History>,
}

impl<T: ThresholdStrategy> Record<T> {
    fn advance(&self, to: Threshold) {
        let call = self.clock.stamp();
        self.threshold.advance(to);
        self.history().0.push(Timed { pair: to, call, back: self.clock.stamp() });
    }

    fn load(&self) {
        let call = self.clock.stamp();
        let pair = self.threshold.load();
        self.history().1.push(Timed { pair, call, back: self.clock.stamp() });
    }

    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn judge_threads<T: ThresholdStrategy>(threshold: &T, round: u64) {
    const TURNS: u64 = 150;
    let clock = Clock::default();
    let mut history: History = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|number| {
                let clock = &clock;
                scope.spawn(move || {
                    let mut random = Random::new(round * 4 + number + 1);
                    with_random_yields(round * 4 + number, || {
                        let mut own = Vec::new();
                        for turn in 1..TURNS {
                            let call = clock.stamp();
                            // Numbers differ, so that each half tells which advance it came from.
                            let unique = |near: u64| near * 4 + number;
                            let pair = if number < 2 {
                                let to = at(
                                    unique(turn + random.below(9)),
                                    unique(turn + random.below(9)),
                                );
                                threshold.advance(to);
                                to
                            } else {
                                threshold.load()
                            };
                            own.push(Timed { pair, call, back: clock.stamp() });
                        }
                        own
                    })
                })
            })
            .collect();
        for (number, own) in join_all(threads).into_iter().enumerate() {
            if number < 2 { history.0.extend(own) } else { history.1.extend(own) }
        }
    });
    judge(threshold, &history);
}

fn judge<T: ThresholdStrategy>(threshold: &T, (advances, loads): &History) {
    let whole = threshold.facts().pairing == Pairing::Whole;
    for load in loads {
        let Threshold { timestamp, xid } = load.pair;
        let before = advances.iter().filter(|advance| advance.back < load.call);
        let least = before.fold(Threshold::NONE, |most, advance| most.max(advance.pair));
        LAW.check(timestamp >= least.timestamp && xid >= least.xid, || {
            format!("{least:?} had been reached before the call, but load says {:?}", load.pair)
        });
        let begun: Vec<&Timed> =
            advances.iter().filter(|advance| advance.call < load.back).collect();
        let known = (timestamp == Timestamp::ZERO
            || begun.iter().any(|a| a.pair.timestamp == timestamp))
            && (xid == Xid::INVALID || begun.iter().any(|a| a.pair.xid == xid));
        LAW.check(known, || format!("load says {:?}, which nobody has asked for", load.pair));
        // The advances that brought this xid must be in, with their timestamps; one of equal numbers is enough.
        let sources = begun.iter().filter(|advance| advance.pair.xid == xid);
        let needs = sources.map(|advance| advance.pair.timestamp).min().unwrap_or(Timestamp::ZERO);
        LAW.check(needs <= timestamp, || {
            format!("load says {:?}, but {needs:?} came with that xid", load.pair)
        });
        if whole {
            let within =
                begun.iter().filter(|a| a.pair.timestamp <= timestamp && a.pair.xid <= xid);
            let reached = within.fold(Threshold::NONE, |most, advance| most.max(advance.pair));
            LAW.check(reached == load.pair, || {
                format!("load says {:?}, the maximum of no set of advances: the halves are of two moments", load.pair)
            });
        }
    }
    if whole {
        let mut order: Vec<Threshold> = loads.iter().map(|load| load.pair).collect();
        order.sort_by_key(|pair| (pair.timestamp, pair.xid));
        for two in order.windows(2) {
            LAW.check(two[0].xid <= two[1].xid, || {
                format!("no one order of the advances explains both {:?} and {:?}", two[0], two[1])
            });
        }
    }
}
