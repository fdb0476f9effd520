//! Law 9: a full design says so and stays as it was.

use super::{SESSIONS, START, fresh, law::Law, mirror::same};
use crate::{BeginError, Restore, RestoreError, SessionId, Snapshot, SnapshotStrategy, Xid};

const LAW: Law = Law::new("law 9", "capacity");

/// How many ids a design without a limit must be able to hold in this test.
const MANY: usize = 50_000;

/// Law 9: when a bounded design is full, `begin` returns `CapacityExceeded` and the state is as before; a place that is
/// given back can be used again; one without a limit has none.
///
/// Reported as: a burst of subtransactions overruns the array (neon 7855); all reader slots in use, panic (meilisearch
/// 2648).
pub fn capacity<S: Restore>(config: &S::Config) {
    unknown_session::<S>(config);
    let subject = fresh::<S>(config);
    let limit = subject.facts().capacity;
    let many = limit.unwrap_or(MANY);
    let session = |place: usize| SessionId::new(place as u32 % SESSIONS);
    let xid = |place: usize| Xid::new(START.get() + place as u64);
    for place in 0..many {
        if let Err(refused) = subject.begin(session(place), xid(place)) {
            LAW.broken(format!("{place} of {many} run, but one more is refused: {refused}"));
        }
    }
    if let Some(limit) = limit {
        is_full(&subject, session(limit), xid(limit));
        // A place that was given back, in the middle and more often than there are places.
        for turn in 0..3 {
            let gone = limit / 2 + turn;
            subject.end(session(gone), &[xid(gone)]);
            if let Err(refused) = subject.begin(session(limit + turn), xid(limit + turn)) {
                LAW.broken(format!("a place was given back, but begin is refused: {refused}"));
            }
            is_full(&subject, session(limit + turn + 1), xid(limit + turn + 1));
        }
        restoring::<S>(config, limit);
    }
    // Those that are passed over run where ids may be begun in any order.
    let beyond = xid(many + if subject.facts().unordered_begin { 0 } else { 8 });
    subject.end(session(0), &[beyond]);
    let mut value = subject.snapshot();
    subject.take(&mut value);
    let listed = value.running().count();
    LAW.check(listed == many, || format!("{many} ids run, {listed} are listed: some were dropped"));
}

fn is_full<S: SnapshotStrategy>(subject: &S, session: SessionId, xid: Xid) {
    let (mut before, mut after) = (subject.snapshot(), subject.snapshot());
    subject.take(&mut before);
    let answer = subject.begin(session, xid);
    LAW.check(matches!(answer, Err(BeginError::Full(_))), || {
        format!("the design is full, but begin({xid}) says {answer:?}")
    });
    subject.take(&mut after);
    if let Err(what) = same(&after, &before, xid) {
        LAW.broken(format!("a refused begin({xid}) changed the state: {what}"));
    }
}

fn restoring<S: Restore>(config: &S::Config, limit: usize) {
    let ids: Vec<Xid> = (0..=limit as u64).map(|place| Xid::new(START.get() + place)).collect();
    let latest = ids[limit];
    LAW.check(S::restore(config, latest, &ids[..limit]).is_ok(), || {
        format!("{limit} running ids fit, but cannot be restored")
    });
    let answer = S::restore(config, latest, &ids).map(|_| ());
    LAW.check(matches!(answer, Err(RestoreError::Full(_))), || {
        format!("{} running ids do not fit, but restore says {answer:?}", limit + 1)
    });
}

/// A session beyond every limit: either it does not matter, or it is refused.
fn unknown_session<S: Restore>(config: &S::Config) {
    let subject = fresh::<S>(config);
    let stranger = SessionId::new(u32::MAX);
    let answer = subject.begin(stranger, START);
    let mut value = subject.snapshot();
    subject.end(stranger, &[START.prev()]);
    subject.take(&mut value);
    match answer {
        Ok(()) => {
            subject.end(stranger, &[START]);
            subject.take(&mut value);
            LAW.check(value.xmax() == START.next() && value.running().count() == 0, || {
                "an id of the highest session did not end".into()
            });
        }
        Err(BeginError::Full(_)) => LAW
            .check(value.xmax() == START && value.running().count() == 0, || {
                "a refused session changed the state".into()
            }),
        Err(other) => LAW.broken(format!("begin for the highest session says {other:?}")),
    }
}
