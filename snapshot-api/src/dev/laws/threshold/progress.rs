//! Progress of a threshold: nobody waits for a stalled thread unless facts say so.

use std::thread;

use super::{Law, at};
use crate::{
    Progress, Threshold, ThresholdStrategy,
    dev::laws::puppet::{Puppet, State, Stop},
    sync::steps,
};

const LAW: Law = Law::new("threshold law progress", "as promised");

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    Timestamp,
    Load,
    Advance(Threshold),
}

impl Act {
    fn run<T: ThresholdStrategy>(self, threshold: &T) {
        match self {
            Act::Timestamp => drop(threshold.timestamp()),
            Act::Load => drop(threshold.load()),
            Act::Advance(to) => threshold.advance(to),
        }
    }

    fn promise<T: ThresholdStrategy>(self, threshold: &T) -> Progress {
        match self {
            Act::Timestamp | Act::Load => threshold.facts().readers,
            Act::Advance(_) => threshold.facts().writers,
        }
    }
}

/// A thread stopped at any step of an operation makes others wait only where facts say *blocking*; what is promised wait-free
/// ends although others overtake it at each of its steps; a design in which a caller waits counts it; a panic stops nobody.
/// Decided in debug builds, where threads have steps.
pub fn progress<T: ThresholdStrategy>(new: impl Fn() -> T) {
    if !steps::ACTIVE {
        return;
    }
    let acts =
        |number: u64| [Act::Timestamp, Act::Load, Act::Advance(at(10 * number, 10 * number))];
    for stalled in acts(1) {
        for other in acts(2) {
            beside(&new, stalled, other);
        }
        panicked(&new, stalled);
        if stalled.promise(&new()) == Progress::WaitFree {
            overtaken(&new(), stalled);
        }
    }
}

fn beside<T: ThresholdStrategy>(new: &impl Fn() -> T, stalled: Act, other: Act) {
    for step in 0..2_000 {
        let threshold = new();
        let over = thread::scope(|scope| {
            let one = Puppet::start(scope, Stop::At(step), || stalled.run(&threshold));
            let over = one.state() == State::Done;
            let two = Puppet::start(scope, Stop::Never, || other.run(&threshold));
            let waits = two.was_blocked();
            LAW.check(!waits || other.promise(&threshold) == Progress::Blocking, || {
                format!(
                    "{other:?} is promised {}, but waits for a thread stalled at step {step} of {stalled:?}",
                    other.promise(&threshold)
                )
            });
            one.finish();
            two.finish();
            LAW.check(!waits || threshold.lock_waits() > 0, || {
                format!("{other:?} waited for a thread stalled at step {step} of {stalled:?}, but lock_waits() is 0")
            });
            over
        });
        if over {
            return;
        }
    }
    LAW.broken(format!("{stalled:?} has not ended after 2,000 steps"));
}

/// A panic where an operation asks for its lock.
fn panicked<T: ThresholdStrategy>(new: &impl Fn() -> T, act: Act) {
    for at_lock in 0..2_000 {
        let threshold = new();
        let panicked = thread::scope(|scope| {
            Puppet::start(scope, Stop::PanicAtLock(at_lock), || act.run(&threshold))
                .finish()
                .is_none()
        });
        let after = thread::scope(|scope| {
            let other = Puppet::start(scope, Stop::Never, || {
                threshold.advance(at(30, 30));
                (threshold.timestamp(), threshold.load())
            });
            LAW.check(!other.was_blocked(), || {
                format!("after a panic in {act:?} the others wait for ever")
            });
            other.finish()
        });
        LAW.check(after == Some((at(30, 30).timestamp, at(30, 30))), || {
            format!("after a panic in {act:?} and an advance to 30 it says {after:?}")
        });
        if !panicked {
            return;
        }
    }
}

fn overtaken<T: ThresholdStrategy>(threshold: &T, act: Act) {
    thread::scope(|scope| {
        let mut one = Puppet::start(scope, Stop::At(0), || act.run(threshold));
        for turn in 1..2_000 {
            let two = Puppet::start(scope, Stop::Never, move || {
                threshold.advance(at(100 + turn, 100 + turn));
            });
            if two.was_blocked() {
                one.release();
            }
            two.finish();
            if one.next_step() != Some(State::Stalled) {
                one.finish();
                return;
            }
        }
        LAW.broken(format!(
            "{act:?} is promised wait-free, but is not over after 2,000 advances overtook it"
        ));
    });
}
