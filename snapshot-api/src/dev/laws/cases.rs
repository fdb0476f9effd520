//! Bugs that other engines shipped, each as a test of its own name. Those that a law's histories already contain by their
//! nature are named on the law's page.

use std::thread;

use super::{
    SESSIONS, START, fresh, join_all,
    law::Law,
    mirror::same,
    puppet::{Puppet, State, Stop},
};
use crate::{
    Assigner, Restore, SessionId, Snapshot, SnapshotStrategy, Xid, dev::models::LockedSet,
};

pub use super::memory::finished_list_is_bounded;

fn xid(place: u64) -> Xid {
    Xid::new(START.get() + place)
}

fn taken<S: SnapshotStrategy>(subject: &S) -> S::Snapshot {
    let mut value = subject.snapshot();
    subject.take(&mut value);
    value
}

/// An instance in which the first `count` ids run, each in a session of its own.
fn running<S: Restore>(config: &S::Config, count: u64) -> S {
    let subject = fresh::<S>(config);
    for place in 0..count {
        let refused = subject.begin(SessionId::new(place as u32), xid(place)).err();
        assert_eq!(refused, None, "ids in order, each in a session of its own");
    }
    subject
}

/// Case 11: my commit returned, my next snapshot lacks it (typedb 7254). Many threads commit and look.
pub fn own_end_is_seen<S: Restore>(config: &S::Config) {
    const LAW: Law = Law::new("case 11", "own end is seen");
    let subject = fresh::<S>(config);
    let assigner = Assigner::new(START);
    thread::scope(|scope| {
        let committers = (0..4).map(|session| {
            let (subject, assigner) = (&subject, &assigner);
            let session = SessionId::new(session);
            scope.spawn(move || {
                let mut value = subject.snapshot();
                for _ in 0..300 {
                    let own = match assigner.assign(subject, session) {
                        Ok(own) => own,
                        Err(refused) => LAW.broken(refused),
                    };
                    subject.take(&mut value);
                    LAW.check(value.is_running(own), || {
                        format!("{own} has not ended, but does not run")
                    });
                    subject.end(session, &[own]);
                    subject.take(&mut value);
                    LAW.check(!value.is_running(own), || {
                        format!("{own} has ended, but still runs for its own thread")
                    });
                }
            })
        });
        join_all(committers.collect());
    });
}

/// Case 10: a number is published before the state that it stands for, so that one snapshot first holds an id as running
/// and later as ended (orioledb 1061). Also number and root captured separately (redb 1432): a value never changes.
pub fn number_not_before_state<S: Restore>(config: &S::Config) {
    const LAW: Law = Law::new("case 10", "number not before state");
    for tree in [&[3][..], &[1, 4, 6]] {
        let tree: Vec<Xid> = tree.iter().map(|&place| xid(place)).collect();
        for step in 0..2_000 {
            let subject = running::<S>(config, 8);
            // What ends next lies below xmax, so that no bound decides.
            subject.end(SessionId::new(7), &[xid(7)]);
            let answers = |value: &S::Snapshot| {
                (0..8).map(|place| value.is_running(xid(place))).collect::<Vec<_>>()
            };
            let over = thread::scope(|scope| {
                let ending =
                    Puppet::start(scope, Stop::At(step), || subject.end(SessionId::new(3), &tree));
                let over = ending.state() == State::Done;
                let reader = Puppet::start(scope, Stop::Never, || {
                    let value = taken(&subject);
                    let then = answers(&value);
                    (value, then)
                });
                ending.finish();
                if let Some((value, then)) = reader.finish() {
                    let now = answers(&value);
                    LAW.check(then == now, || {
                        format!("a snapshot taken at step {step} of an end said {then:?}, and after the end {now:?}")
                    });
                }
                over
            });
            if over {
                break;
            }
        }
    }
}

/// Cases 8 and 5: a transaction that has just started is left out of a snapshot and later seen as committed (gpdb 4643),
/// or the list is read before xmax (memflux 10). It runs, whatever the step at which it was met.
pub fn just_started_is_running<S: Restore>(config: &S::Config) {
    const LAW: Law = Law::new("case 8", "just started is running");
    for step in 0..2_000 {
        let subject = running::<S>(config, 4);
        let (session, own) = (SessionId::new(9), xid(4));
        let over = thread::scope(|scope| {
            let mut value = subject.snapshot();
            let reader = Puppet::start(scope, Stop::At(step), || {
                subject.take(&mut value);
                value
            });
            let over = reader.state() == State::Done;
            // Begins beside the reader, and a later one ends at once, so that xmax passes it.
            let beside = Puppet::start(scope, Stop::Never, || {
                let refused = subject.begin(session, own).err();
                LAW.check(refused.is_none(), || format!("begin in order is refused: {refused:?}"));
                let refused = subject.begin(SessionId::new(10), xid(5)).err();
                LAW.check(refused.is_none(), || format!("begin in order is refused: {refused:?}"));
                subject.end(SessionId::new(10), &[xid(5)]);
            });
            let met = reader.finish();
            beside.finish();
            // And one that meets it while it runs.
            subject.end(SessionId::new(3), &[xid(3)]);
            let during = taken(&subject);
            subject.end(session, &[own]);
            for value in met.iter().chain([&during]) {
                LAW.check(value.is_running(own), || {
                    format!("{own} began beside a take stopped at step {step} and ended after it, but counts as ended")
                });
            }
            over
        });
        if over {
            break;
        }
    }
}

/// Case 13: visible at `<` in one place and `<=` in another (matrixone 11677). One rule at both bounds.
pub fn boundary_is_one_rule<S: Restore>(config: &S::Config) {
    const LAW: Law = Law::new("case 13", "boundary is one rule");
    let subject = running::<S>(config, 4);
    // 0 ended, 1 runs, 2 ended, 3 runs above everything that has completed.
    subject.end(SessionId::new(0), &[xid(0)]);
    subject.end(SessionId::new(2), &[xid(2)]);
    let value = taken(&subject);
    LAW.check((value.xmin(), value.xmax()) == (xid(1), xid(3)), || {
        format!(
            "xmin, xmax are {}, {}, should be {}, {}",
            value.xmin(),
            value.xmax(),
            xid(1),
            xid(3)
        )
    });
    let answers = [0, 1, 2, 3, 4].map(|place| value.is_running(xid(place)));
    LAW.check(answers == [false, true, false, true, true], || {
        format!(
            "from {} on: is_running is {answers:?}, should be [false, true, false, true, true]",
            xid(0)
        )
    });
    LAW.check(value.running().eq([xid(1)]), || {
        "only the id at xmin is listed: not the one at xmax".into()
    });
}

/// Case 25: a burst of subtransactions overruns the array (neon 7855). All of one session's run, and end in one step.
pub fn burst_of_subtransactions<S: Restore>(config: &S::Config) {
    const LAW: Law = Law::new("case 25", "burst of subtransactions");
    let subject = fresh::<S>(config);
    let burst = subject.facts().capacity.unwrap_or(usize::MAX).min(3_000) as u64;
    let session = SessionId::new(0);
    for place in 0..burst {
        if let Err(refused) = subject.begin(session, xid(place)) {
            LAW.broken(format!("{place} ids of one session run, one more is refused: {refused}"));
        }
    }
    // Something above them completes, so that all are listed.
    subject.end(SessionId::new(1), &[xid(burst)]);
    let value = taken(&subject);
    LAW.check(value.running().count() as u64 == burst, || {
        format!("{burst} ids of one session run, {} are listed", value.running().count())
    });
    let tree: Vec<Xid> = (0..burst).map(xid).collect();
    subject.end(session, &tree);
    let value = taken(&subject);
    LAW.check(value.running().count() == 0 && value.xmin() == xid(burst + 1), || {
        format!("a tree of {burst} ids ended, {} still run", value.running().count())
    });
}

/// Case 33: a ring of status words without tags, so that a lapped place reads as running (tidesdb 651). One id stays open
/// while many come and go; of all of them only it runs, in new snapshots and in old ones.
pub fn lapped_place_is_told_apart<S: Restore>(config: &S::Config) {
    const LAW: Law = Law::new("case 33", "lapped place is told apart");
    /// Past the length of a ring with 16-bit places.
    const LAP: u64 = 70_000;
    let subject = running::<S>(config, 2);
    subject.end(SessionId::new(1), &[xid(1)]);
    let old = taken(&subject);
    for place in 2..LAP {
        if let Err(refused) = subject.begin(SessionId::new(1), xid(place)) {
            LAW.broken(format!("two ids run, one more is refused: {refused}"));
        }
        subject.end(SessionId::new(1), &[xid(place)]);
    }
    let new = taken(&subject);
    for place in 0..LAP + 8 {
        let id = xid(place);
        LAW.check(new.is_running(id) == (place == 0 || place >= LAP), || {
            format!("{id} is taken for another: only {} runs below xmax {}", xid(0), xid(LAP))
        });
        LAW.check(old.is_running(id) != (place == 1), || {
            format!("an old snapshot with xmax {} changed its answer for {id}", xid(2))
        });
    }
}

/// Cases 22 and 23: a list of running ids names one twice (PostgreSQL 1df21ddb) or is unsorted (fb2f8e53): it is inserted
/// once, in order.
pub fn restore_lists_once_and_in_order<S: Restore>(config: &S::Config) {
    const LAW: Law = Law::new("case 22", "restore lists once and in order");
    let list: Vec<Xid> = [7, 2, 9, 2, 7, 4, 9].map(xid).to_vec();
    let restored = (S::restore(config, xid(8), &list), LockedSet::restore(&(), xid(8), &list));
    let (subject, oracle) = match restored {
        (Ok(subject), Ok(oracle)) => (subject, oracle),
        (subject, _) => LAW.broken(format!("restoring says {:?}", subject.map(|_| ()).err())),
    };
    let agree = |when: &str| {
        if let Err(what) = same(&taken(&subject), &taken(&oracle), xid(20)) {
            LAW.broken(format!("{when} {what}"));
        }
    };
    agree("restored:");
    // Once means: one end is enough, and any session may do it.
    for (session, place) in [(3, 2), (0, 9), (SESSIONS - 1, 4)] {
        subject.end(SessionId::new(session), &[xid(place)]);
        oracle.end(SessionId::new(session), &[xid(place)]);
        agree("after an end:");
    }
    LAW.check(subject.begin(SessionId::new(0), xid(10)).is_ok(), || {
        "the next id after those restored is refused".into()
    });
    for wrong in [0, 2, u64::MAX].map(Xid::new) {
        LAW.check(S::restore(config, xid(8), &[xid(4), wrong]).is_err(), || {
            format!("{wrong} is no transaction's, but was restored as running")
        });
    }
    LAW.check(S::restore(config, Xid::new(u64::MAX), &[]).is_err(), || {
        "no transaction can have completed beyond the last id".into()
    });
}

/// Case 26: a replica's start takes unknown ids as aborted (neon 7288). From xmax on everything runs, also after a start
/// from nothing, and running ids above latest completed are not lost.
pub fn unknown_ids_are_running<S: Restore>(config: &S::Config) {
    const LAW: Law = Law::new("case 26", "unknown ids are running");
    let starts: [(Xid, &[Xid], Xid); 4] = [
        (Xid::INVALID, &[], Xid::FIRST_NORMAL),
        (Xid::FROZEN, &[], Xid::FIRST_NORMAL),
        (START, &[], START.next()),
        (Xid::LAST_NORMAL, &[], Xid::new(u64::MAX)),
    ];
    for (latest, running, xmax) in starts {
        let Ok(subject) = S::restore(config, latest, running) else {
            LAW.broken(format!("a start with latest completed {latest} is refused"));
        };
        let value = taken(&subject);
        LAW.check((value.xmin(), value.xmax()) == (xmax, xmax), || {
            format!("a start after {latest} has xmin {}, xmax {}", value.xmin(), value.xmax())
        });
        LAW.check(value.is_running(xmax) && !value.is_running(xmax.prev()), || {
            format!("a start after {latest}: {xmax} should run, {} should not", xmax.prev())
        });
    }
    let above = [START.next(), Xid::new(START.get() + 4)];
    let Ok(subject) = S::restore(config, START, &above) else {
        LAW.broken("a start with ids running above latest completed is refused");
    };
    let value = taken(&subject);
    LAW.check(
        value.xmax() == START.next()
            && value.running().count() == 0
            && above.iter().all(|&xid| value.is_running(xid)),
        || format!("{above:?} run above latest completed {START}"),
    );
    subject.end(SessionId::new(0), &[above[1]]);
    let value = taken(&subject);
    LAW.check(value.running().eq([above[0]]), || {
        format!(
            "{} ran above latest completed at the start, now {:?} run",
            above[0],
            value.running().collect::<Vec<_>>()
        )
    });
}
