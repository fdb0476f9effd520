//! Law 7: removing what is absent changes nothing.

use proptest::{collection::vec, prelude::*};

use super::{
    SESSIONS,
    law::Law,
    mirror::{Mirror, on_random, same},
};
use crate::{Restore, Snapshot, SnapshotStrategy, Xid, dev::models::LockedSet};

const LAW: Law = Law::new("law 7", "idempotent removal");

/// Law 7: ending an id that is absent, or one twice, changes the visibility of no id that was begun, in any snapshot, old
/// or new; latest completed rises to it all the same.
///
/// Ending an id again must not make it end *later*: a snapshot that is kept from between the two still holds it as ended.
pub fn idempotent_removal<S: Restore>(config: &S::Config) {
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
