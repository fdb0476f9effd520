//! Law 4: what a snapshot saw as ended is not born afterwards.

use super::{SESSIONS, START, fresh, law::Law};
use crate::{BeginError, Restore, SessionId, Snapshot, SnapshotStrategy, Xid};

const LAW: Law = Law::new("law 4", "no late birth");

/// Law 4: an id that is not above all that were begun or completed is refused, with nothing changed; where facts say
/// `unordered_begin`, an id not begun, below xmax, is running instead.
///
/// Reported as: a just started transaction left out of a snapshot, later seen as committed (gpdb 4643).
pub fn no_late_birth<S: Restore>(config: &S::Config) {
    not_normal::<S>(config);
    if fresh::<S>(config).facts().unordered_begin {
        unordered::<S>(config);
    } else {
        ordered::<S>(config);
    }
}

fn xid(place: u64) -> Xid {
    Xid::new(START.get() + place)
}

fn ordered<S: Restore>(config: &S::Config) {
    let subject = fresh::<S>(config);
    let session = SessionId::new(1);
    begin(&subject, session, xid(5));
    let mut value = subject.snapshot();
    // Twice the same, one that was skipped, one that had ended before the start, one begun and ended before.
    begin(&subject, session, xid(9));
    subject.end(session, &[xid(9)]);
    for late in [xid(5), xid(3), xid(9), START.prev(), Xid::FIRST_NORMAL] {
        refused(&subject, late, xid(9));
    }
    subject.take(&mut value);
    let running: Vec<Xid> = value.running().collect();
    LAW.check(running == [xid(5)], || {
        format!(
            "after refusals {running:?} run, should be [{}]: a skipped id counts as ended",
            xid(5)
        )
    });
    // Ending an id that was never begun completes it: what lies below cannot be born any more.
    subject.end(session, &[xid(30)]);
    for late in [xid(20), xid(30)] {
        refused(&subject, late, xid(30));
    }
    begin(&subject, session, xid(31));
    subject.end(session, &[xid(5)]);
    subject.end(session, &[xid(31)]);
    subject.take(&mut value);
    LAW.check(value.running().count() == 0 && value.xmax() == xid(32), || {
        format!(
            "everything has ended, but {:?} run and xmax is {}",
            value.running().collect::<Vec<_>>(),
            value.xmax()
        )
    });
}

fn refused<S: SnapshotStrategy>(subject: &S, late: Xid, last: Xid) {
    for session in [SessionId::new(1), SessionId::new(SESSIONS - 1)] {
        let answer = subject.begin(session, late);
        LAW.check(answer == Err(BeginError::OutOfOrder { xid: late, last }), || {
            format!("begin({late}) after {last} says {answer:?}, should refuse it as out of order")
        });
    }
}

fn unordered<S: Restore>(config: &S::Config) {
    let subject = fresh::<S>(config);
    let (early, late) = (SessionId::new(1), SessionId::new(2));
    begin(&subject, late, xid(5));
    subject.end(late, &[xid(5)]);
    let mut before = subject.snapshot();
    subject.take(&mut before);
    LAW.check(before.is_running(xid(3)), || {
        format!("id {} is not begun yet and below xmax {}: it should run", xid(3), before.xmax())
    });
    begin(&subject, early, xid(3));
    subject.end(early, &[xid(3)]);
    let mut after = subject.snapshot();
    subject.take(&mut after);
    LAW.check(before.is_running(xid(3)) && !after.is_running(xid(3)), || {
        format!("id {} ended between two snapshots, but only", xid(3))
            + &format!(" {} and {} run it", before.is_running(xid(3)), after.is_running(xid(3)))
    });
}

/// Ids that no transaction can have, and both ends of the range.
fn not_normal<S: Restore>(config: &S::Config) {
    let subject = fresh::<S>(config);
    let session = SessionId::new(0);
    let mut value = subject.snapshot();
    for wrong in [0, 1, 2, u64::MAX].map(Xid::new) {
        let answer = subject.begin(session, wrong);
        LAW.check(answer == Err(BeginError::NotNormal(wrong)), || {
            format!(
                "begin({wrong}) says {answer:?}, should refuse an id that no transaction can have"
            )
        });
        subject.end(session, &[wrong]);
        subject.take(&mut value);
        LAW.check(value.xmax() == START && value.running().count() == 0, || {
            format!("ending {wrong} changed the state: xmax {}", value.xmax())
        });
    }
    subject.end(session, &[]);
    begin(&subject, session, START);
    // The whole range as window: a design that needs a place for each id between has to say so, not to try.
    let last = Xid::LAST_NORMAL;
    match subject.begin(SessionId::new(1), last) {
        Ok(()) => {
            subject.end(SessionId::new(1), &[last]);
            subject.take(&mut value);
            LAW.check(
                value.xmax() == last.next() && value.is_running(START) && !value.is_running(last),
                || format!("after the end of the last id of all xmax is {}", value.xmax()),
            );
            let answer = subject.begin(SessionId::new(1), last);
            LAW.check(answer.is_err() || subject.facts().unordered_begin, || {
                "the last id of all begins a second time".into()
            });
        }
        Err(BeginError::Full(_)) => {
            subject.take(&mut value);
            LAW.check(value.xmax() == START && value.is_running(START), || {
                format!("a refused begin changed the state: xmax {}", value.xmax())
            });
        }
        Err(other) => LAW.broken(format!("begin({last}) says {other:?}")),
    }
}

fn begin<S: SnapshotStrategy>(subject: &S, session: SessionId, xid: Xid) {
    if let Err(refused) = subject.begin(session, xid) {
        LAW.broken(format!("begin({xid}) is in order, but refused: {refused}"));
    }
}
