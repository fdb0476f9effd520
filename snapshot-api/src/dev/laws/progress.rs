//! Law 10: nobody waits for a stalled thread unless facts say so, and a panic stops nobody.

use std::thread;

use super::{
    START, fresh,
    law::Law,
    puppet::{Puppet, State, Stop},
};
use crate::{Progress, Restore, SessionId, Snapshot, SnapshotStrategy, Xid, sync::steps};

const STALLED: Law = Law::new("law 10", "progress beside a stalled thread");
const PANICKED: Law = Law::new("law 10", "progress after a panic");

/// How many ids run at the start.
const RUNNING: u64 = 8;
/// An operation that has more steps than this does not end.
const DEEPEST: usize = 2_000;
/// An operation promised wait-free that is not over after so many others in between starts over for ever.
const OVERTAKEN: u64 = 2_000;

/// What a thread is in the middle of, and what the others do meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    Take,
    End,
    Tree,
    Begin,
}

const ACTS: [Act; 4] = [Act::Take, Act::End, Act::Tree, Act::Begin];

fn xid(place: u64) -> Xid {
    Xid::new(START.get() + place)
}

impl Act {
    /// The ids that it ends.
    fn tree(self) -> &'static [u64] {
        match self {
            Act::End => &[2],
            Act::Tree => &[1, 5, 7],
            Act::Take | Act::Begin => &[],
        }
    }

    fn run<S: SnapshotStrategy>(self, subject: &S, value: &mut S::Snapshot) {
        match self {
            Act::Take => subject.take(value),
            Act::End | Act::Tree => {
                let ids: Vec<Xid> = self.tree().iter().map(|&place| xid(place)).collect();
                subject.end(SessionId::new(self.tree()[0] as u32), &ids);
            }
            // Refused where a panic happened after it had begun.
            Act::Begin => drop(subject.begin(SessionId::new(RUNNING as u32), xid(RUNNING))),
        }
    }

    fn promise<S: SnapshotStrategy>(self, subject: &S) -> Progress {
        match self {
            Act::Take => subject.facts().readers,
            Act::End | Act::Tree | Act::Begin => subject.facts().writers,
        }
    }
}

fn busy<S: Restore>(config: &S::Config) -> S {
    let subject = fresh::<S>(config);
    for place in 0..RUNNING {
        let refused = subject.begin(SessionId::new(place as u32), xid(place)).err();
        assert_eq!(refused, None, "ids in order, each in a session of its own");
    }
    subject
}

/// Sees that just these ids run, out of the first ones, through a new value.
fn check_running<S: SnapshotStrategy>(law: Law, subject: &S, ended: &[u64], when: &str) {
    let mut value = subject.snapshot();
    subject.take(&mut value);
    for place in 0..RUNNING {
        let right = !ended.contains(&place);
        law.check(value.is_running(xid(place)) == right, || {
            format!(
                "{when} id {} {}",
                xid(place),
                if right { "no longer runs" } else { "still runs" }
            )
        });
    }
}

/// Law 10, stalled: a thread stopped at any step of an operation makes others wait only where facts say *blocking*; what
/// is promised wait-free ends although others overtake it at each of its steps; a design in which a caller waits counts
/// it. Decided in debug builds, where threads have steps.
pub fn progress_beside_a_stalled_thread<S: Restore>(config: &S::Config) {
    if !steps::ACTIVE {
        return;
    }
    for stalled in ACTS {
        for other in ACTS {
            // A higher id is not begun before a lower one, and one id ends once.
            if other != stalled || other == Act::Take {
                beside::<S>(config, stalled, other);
            }
        }
    }
    let subject = fresh::<S>(config);
    for act in ACTS {
        if act.promise(&subject) == Progress::WaitFree {
            overtaken::<S>(config, act);
        }
    }
}

fn beside<S: Restore>(config: &S::Config, stalled: Act, other: Act) {
    for step in 0..DEEPEST {
        let subject = busy::<S>(config);
        let mut values = [subject.snapshot(), subject.snapshot()];
        subject.take(&mut values[1]);
        let [own, others] = &mut values;
        let over = thread::scope(|scope| {
            let one = Puppet::start(scope, Stop::At(step), || stalled.run(&subject, own));
            let over = one.state() == State::Done;
            let two = Puppet::start(scope, Stop::Never, || other.run(&subject, others));
            let waits = two.was_blocked();
            STALLED.check(!waits || other.promise(&subject) == Progress::Blocking, || {
                format!(
                    "{other:?} is promised {}, but waits for a thread stalled at step {step} of {stalled:?}",
                    other.promise(&subject)
                )
            });
            one.finish();
            two.finish();
            STALLED.check(!waits || subject.lock_waits() > 0, || {
                format!("{other:?} waited for a thread stalled at step {step} of {stalled:?}, but lock_waits() is 0")
            });
            over
        });
        let ended: Vec<u64> = stalled.tree().iter().chain(other.tree()).copied().collect();
        check_running(STALLED, &subject, &ended, "when a stalled thread had gone on,");
        if over {
            return;
        }
    }
    STALLED.broken(format!("{stalled:?} has not ended after {DEEPEST} steps"));
}

fn overtaken<S: Restore>(config: &S::Config, act: Act) {
    let subject = &busy::<S>(config);
    let mut value = subject.snapshot();
    thread::scope(|scope| {
        let mut one = Puppet::start(scope, Stop::At(0), || act.run(subject, &mut value));
        for turn in 1..OVERTAKEN {
            let next = xid(RUNNING + turn);
            let two = Puppet::start(scope, Stop::Never, move || {
                let session = SessionId::new(RUNNING as u32 + 1);
                // A higher id is not begun before a lower one; and a bounded design may be full.
                if act != Act::Begin && subject.begin(session, next).is_ok() {
                    subject.end(session, &[next]);
                }
                subject.take(&mut subject.snapshot());
            });
            if two.was_blocked() {
                // The others wait for this one: it cannot be overtaken any more.
                one.release();
            }
            two.finish();
            if one.next_step() != Some(State::Stalled) {
                one.finish();
                return;
            }
        }
        STALLED.broken(format!(
            "{act:?} is promised wait-free, but is not over after {OVERTAKEN} others overtook it"
        ));
    });
}

/// Law 10, panicking: whoever panics inside an operation (in a take anywhere; in a begin or an end where it asks for a
/// lock, before anything has changed) stops nobody, leaves no tree half ended, and leaves its value fit for use.
pub fn progress_after_a_panic<S: Restore>(config: &S::Config) {
    if !steps::ACTIVE {
        return;
    }
    for act in ACTS {
        for at in 0..DEEPEST {
            let subject = busy::<S>(config);
            let mut value = subject.snapshot();
            subject.take(&mut value);
            subject.end(SessionId::new(4), &[xid(4)]);
            let stop = if act == Act::Take { Stop::PanicAt(at) } else { Stop::PanicAtLock(at) };
            let panicked = thread::scope(|scope| {
                Puppet::start(scope, stop, || act.run(&subject, &mut value)).finish().is_none()
            });
            others_go_on(&subject, act, at, &mut value);
            if !panicked {
                break;
            }
        }
    }
}

fn others_go_on<S: SnapshotStrategy>(subject: &S, act: Act, at: usize, value: &mut S::Snapshot) {
    let when = format!("after a panic at step {at} of {act:?}");
    let alone = |what: &str, operation: &mut (dyn FnMut() + Send)| {
        thread::scope(|scope| {
            let puppet = Puppet::start(scope, Stop::Never, operation);
            PANICKED.check(!puppet.was_blocked(), || format!("{when} {what} waits for ever"));
            puppet.finish();
        });
    };
    alone("take", &mut || subject.take(value));
    let ended = act.tree().iter().filter(|&&place| !value.is_running(xid(place))).count();
    PANICKED.check(ended == 0 || ended == act.tree().len(), || {
        format!("{when} half of the tree has ended")
    });
    if act == Act::Take {
        // The value that the panic found half filled must not be taken for current.
        check_values_agree(subject, value, &when);
    }
    alone("end", &mut || act.run(subject, &mut subject.snapshot()));
    alone("end", &mut || subject.end(SessionId::new(RUNNING as u32), &[xid(RUNNING)]));
    alone("begin", &mut || {
        let refused = subject.begin(SessionId::new(RUNNING as u32), xid(RUNNING + 1)).err();
        PANICKED.check(refused.is_none(), || format!("{when} begin is refused: {refused:?}"));
    });
    let gone: Vec<u64> = act.tree().iter().copied().chain([4]).collect();
    check_running(PANICKED, subject, &gone, &when);
}

fn check_values_agree<S: SnapshotStrategy>(subject: &S, used: &S::Snapshot, when: &str) {
    let mut fresh = subject.snapshot();
    subject.take(&mut fresh);
    let agree = used.running().eq(fresh.running()) && used.xmax() == fresh.xmax();
    PANICKED.check(agree, || format!("{when} its value is not filled anew by the next take"));
}
