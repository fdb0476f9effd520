//! The standby's own laws: forget, complete, prune.

use std::thread;

use proptest::collection::vec;

use super::{
    SESSIONS, START,
    law::Law,
    mirror::{Mirror, on_random, same},
    puppet::{Puppet, State, Stop},
};
use crate::{SnapshotStrategy, Standby, Xid, dev::models::LockedSet};

const FORGET: Law = Law::new("law forget", "leave without completing");
const COMPLETE: Law = Law::new("law complete", "raise latest completed");
const PRUNE: Law = Law::new("law prune", "nothing below runs");
const EXACT: Law = Law::new("law standby", "exact under every operation");

/// One operation on subject and oracle alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    Begin,
    End,
    Forget,
    Complete,
    Prune,
    Keep,
}

fn play<S: Standby>(
    mirror: &mut Mirror<S>,
    act: Act,
    session: usize,
    near: u64,
) -> Result<(), String> {
    // Somewhere around what has been begun, a little below and above included.
    let low = START.get() - 4;
    let xid = Xid::new(low + near % (mirror.last.get() + 8 - low));
    match act {
        Act::Begin => mirror.begin(session, 0)?,
        Act::End => mirror.end(session, 1 + near as usize % 3),
        Act::Forget => {
            let open = &mut mirror.open[session];
            let mut gone = open.split_off(open.len() / 2);
            // Absent ones, doubles, and those that no transaction has. One that is begun later is not absent where ids may
            // be begun in any order.
            let (last, unordered) = (mirror.last, mirror.subject.facts().unordered_begin);
            let absent = |xid: Xid| if unordered { xid.min(last) } else { xid };
            gone.extend([
                gone.first().copied().unwrap_or(absent(xid)),
                Xid::INVALID,
                Xid::new(u64::MAX),
                absent(last.next()),
            ]);
            mirror.subject.forget(&gone);
            mirror.oracle.forget(&gone);
        }
        Act::Complete => {
            // Beyond what was begun ids would be ended that are still to be begun.
            let latest = xid.min(mirror.last);
            mirror.subject.complete(latest);
            mirror.oracle.complete(latest);
        }
        Act::Prune => {
            // Below a prune's bound all have ended where ids may be begun in any order, also those begun later.
            let xid = mirror.bound(xid);
            mirror.subject.prune(xid);
            mirror.oracle.prune(xid);
            mirror.open.iter_mut().for_each(|open| open.retain(|&own| own >= xid));
        }
        Act::Keep => {}
    }
    Ok(())
}

fn scripts<S: Standby>(config: &S::Config, law: Law, acts: &'static [Act]) {
    let act = (0..acts.len(), 0..SESSIONS as usize, 0..200_u64);
    on_random(law, 64, vec(act, 1..60), |script| {
        let mut mirror = Mirror::<S>::new(config);
        let mut value = mirror.subject.snapshot();
        let mut kept: Vec<(S::Snapshot, <LockedSet as SnapshotStrategy>::Snapshot)> = Vec::new();
        for (act, session, near) in script {
            play(&mut mirror, acts[act], session, near)?;
            mirror.compare(&mut value).map_err(|what| format!("after {:?}: {what}", acts[act]))?;
            if acts[act] == Act::Keep {
                let (mut own, mut right) = (mirror.subject.snapshot(), mirror.oracle.snapshot());
                mirror.subject.take(&mut own);
                mirror.oracle.take(&mut right);
                kept.push((own, right));
            }
        }
        for (own, right) in &kept {
            same(own, right, mirror.last)
                .map_err(|what| format!("in a snapshot kept from before: {what}"))?;
        }
        Ok(())
    });
}

/// Beside a reader the operation is one step: stopped anywhere, a snapshot shows the state before or after.
fn is_one_step<S: Standby>(
    config: &S::Config,
    law: Law,
    operation: fn(&S),
    on_oracle: fn(&LockedSet),
) {
    for reader_first in [true, false] {
        for step in 0..2_000 {
            let mut mirror = Mirror::<S>::new(config);
            for session in 0..8 {
                law.decide(mirror.begin(session, 0));
            }
            mirror.end(5, 1);
            let (mut before, mut after) = (mirror.oracle.snapshot(), mirror.oracle.snapshot());
            mirror.oracle.take(&mut before);
            on_oracle(&mirror.oracle);
            mirror.oracle.take(&mut after);
            let subject = &mirror.subject;
            let mut value = subject.snapshot();
            let over = thread::scope(|scope| {
                let take = || subject.take(&mut value);
                let change = || operation(subject);
                if reader_first {
                    stop_one(scope, step, take, change)
                } else {
                    stop_one(scope, step, change, take)
                }
            });
            let last = mirror.last;
            if let (Err(not_before), Err(not_after)) =
                (same(&value, &before, last), same(&value, &after, last))
            {
                law.broken(format!("a snapshot beside it shows neither before ({not_before}) nor after ({not_after})"));
            }
            let mut afterwards = subject.snapshot();
            subject.take(&mut afterwards);
            law.decide(same(&afterwards, &after, last));
            if over {
                break;
            }
        }
    }
}

/// Stops the first at a step while the second runs; whether the first was over before.
fn stop_one<'scope, 'env>(
    scope: &'scope thread::Scope<'scope, 'env>,
    step: usize,
    first: impl FnOnce() + Send + 'scope,
    second: impl FnOnce() + Send + 'scope,
) -> bool {
    let one = Puppet::start(scope, Stop::At(step), first);
    let over = one.state() == State::Done;
    let two = Puppet::start(scope, Stop::Never, second);
    one.finish();
    two.finish();
    over
}

fn three_ids() -> [Xid; 3] {
    [0, 3, 4].map(|place| Xid::new(START.get() + place))
}

/// Forgotten ids leave the set; latest completed stays, so that one at or above xmax still counts as running.
pub fn forget<S: Standby>(config: &S::Config) {
    scripts::<S>(config, FORGET, &[Act::Begin, Act::Begin, Act::End, Act::Forget, Act::Keep]);
    is_one_step::<S>(config, FORGET, |s| s.forget(&three_ids()), |o| o.forget(&three_ids()));
}

/// Latest completed rises to its argument and never falls; what runs keeps running.
pub fn complete<S: Standby>(config: &S::Config) {
    scripts::<S>(config, COMPLETE, &[Act::Begin, Act::Begin, Act::End, Act::Complete, Act::Keep]);
    let latest = Xid::new(START.get() + 7);
    let mut mirror = Mirror::<S>::new(config);
    for nothing in [0, 2, u64::MAX].map(Xid::new) {
        mirror.subject.complete(nothing);
        COMPLETE.decide(mirror.compare(&mut mirror.subject.snapshot()));
    }
    if mirror.subject.facts().unordered_begin {
        // Ids that are not begun run below xmax: on both sides.
        (0..8).for_each(|session| COMPLETE.decide(mirror.begin(session, 0)));
    }
    mirror.subject.complete(latest);
    mirror.oracle.complete(latest);
    COMPLETE.decide(mirror.compare(&mut mirror.subject.snapshot()));
    is_one_step::<S>(
        config,
        COMPLETE,
        |s| s.complete(Xid::new(START.get() + 7)),
        |o| o.complete(Xid::new(START.get() + 7)),
    );
}

/// Every id below its argument ends; latest completed and all other ids stay.
pub fn prune<S: Standby>(config: &S::Config) {
    scripts::<S>(config, PRUNE, &[Act::Begin, Act::Begin, Act::End, Act::Prune, Act::Keep]);
    is_one_step::<S>(
        config,
        PRUNE,
        |s| s.prune(Xid::new(START.get() + 4)),
        |o| o.prune(Xid::new(START.get() + 4)),
    );
    let mut mirror = Mirror::<S>::new(config);
    PRUNE.decide(mirror.begin(0, 0));
    for bound in [0, 3, u64::MAX].map(Xid::new) {
        mirror.subject.prune(bound);
        mirror.oracle.prune(bound);
        PRUNE.decide(mirror.compare(&mut mirror.subject.snapshot()));
    }
}

/// All operations mixed.
pub fn standby_is_exact<S: Standby>(config: &S::Config) {
    scripts::<S>(
        config,
        EXACT,
        &[
            Act::Begin,
            Act::Begin,
            Act::Begin,
            Act::End,
            Act::Forget,
            Act::Complete,
            Act::Prune,
            Act::Keep,
        ],
    );
}
