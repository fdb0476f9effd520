//! Law 7: removing what is absent changes nothing.

use std::thread;

use proptest::{collection::vec, prelude::*};

use super::{
    SESSIONS,
    law::Law,
    mirror::{Mirror, on_random, same},
    puppet::{Puppet, State, Stop},
};
use crate::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid, dev::models::LockedSet};

const LAW: Law = Law::new("law 7", "idempotent removal");

/// Law 7: ending an id that is absent, or one twice, changes the visibility of no id that was begun, in any snapshot, old
/// or new; latest completed rises to it all the same.
///
/// Ending an id again must not make it end *later*: a snapshot that is kept from between the two still holds it as ended.
/// Nor may it end later for a reader that is in the middle of its take: the first end had returned before.
pub fn idempotent_removal<S: Restore>(config: &S::Config) {
    ended_again_beside_a_take::<S>(config);
    let act = (0..SESSIONS as usize, 0..10_u32, any::<prop::sample::Index>());
    on_random(LAW, 48, vec(act, 1..50), |script| {
        let mut mirror = Mirror::<S>::new(config);
        let mut kept: Vec<(S::Snapshot, <LockedSet as SnapshotStrategy>::Snapshot)> = Vec::new();
        for (session, what, pick) in script {
            match what {
                0..=3 => mirror.begin(session, u64::from(what == 3))?,
                4 | 5 => mirror.end(session, 1),
                6 => {
                    let (mut value, mut right) =
                        (mirror.subject.snapshot(), mirror.oracle.snapshot());
                    mirror.subject.take(&mut value);
                    mirror.oracle.take(&mut right);
                    kept.push((value, right));
                }
                _ => removes_nothing(&mut mirror, session, what, pick)?,
            }
        }
        for (value, right) in &kept {
            same(value, right, mirror.last)
                .map_err(|what| format!("in a snapshot kept from before: {what}"))?;
        }
        mirror.compare(&mut mirror.subject.snapshot())
    });
}

/// A reader stops at each step of its take while an id that had ended before ends once more, below xmax.
fn ended_again_beside_a_take<S: Restore>(config: &S::Config) {
    for step in 0..2_000 {
        let mut mirror = Mirror::<S>::new(config);
        for session in 0..4 {
            LAW.decide(mirror.begin(session, 0));
        }
        let twice = mirror.open[1][0];
        mirror.end(1, 1);
        mirror.end(3, 1);
        let subject = &mirror.subject;
        let mut value = subject.snapshot();
        let over = thread::scope(|scope| {
            let reader = Puppet::start(scope, Stop::At(step), || subject.take(&mut value));
            let over = reader.state() == State::Done;
            let ender =
                Puppet::start(scope, Stop::Never, || subject.end(SessionId::new(1), &[twice]));
            reader.finish();
            ender.finish();
            over
        });
        LAW.check(!value.is_running(twice), || {
            format!("{twice} ended, then a take began, and {twice} ended again at its step {step}: it runs in the snapshot")
        });
        if over {
            break;
        }
    }
}

/// Ends something that is not running, and sees that all ids begun look as before.
fn removes_nothing<S: Restore>(
    mirror: &mut Mirror<S>,
    session: usize,
    what: u32,
    pick: prop::sample::Index,
) -> Result<(), String> {
    let running: Vec<Xid> = mirror.open.iter().flatten().copied().collect();
    let ended: Vec<Xid> =
        mirror.begun.iter().copied().filter(|xid| !running.contains(xid)).collect();
    let absent = match what {
        // Ended before.
        7 if !ended.is_empty() => *pick.get(&ended),
        // Never begun, below and above all others, reserved, beyond the range.
        7 | 8 => mirror.bound(Xid::new(pick.index(110) as u64)),
        _ => mirror.bound(mirror.last.next().next()),
    };
    if running.contains(&absent) {
        return Ok(());
    }
    let mut value = mirror.subject.snapshot();
    mirror.subject.take(&mut value);
    let before: Vec<bool> = mirror.begun.iter().map(|&xid| value.is_running(xid)).collect();
    // Once, and once more in one tree with itself.
    mirror.end_ids(session, &[absent]);
    mirror.end_ids(session, &[absent, absent]);
    mirror.subject.take(&mut value);
    for (&xid, &ran) in mirror.begun.iter().zip(&before) {
        // Above xmax an id counts as running although it has been begun and forgotten; here none has.
        if value.is_running(xid) != ran {
            return Err(format!(
                "ending {absent}, which does not run, changed whether {xid} runs: {ran} before"
            ));
        }
    }
    mirror.compare_taken(&value)
}
