//! What a session does, operation after operation: it takes a snapshot, tests visibility, looks at the threshold; and where it
//! writes it does so in a transaction of its own.
//!
//! ```text
//!           ┌ begin ┐                                                          ┌ end ┐
//!  ─────────┴───────┴── take ── is_running × tests ── threshold.timestamp() ───┴─────┴──►
//!            writers                                                           writers
//! ```
//!
//! # What is checked while it is timed
//!
//! Bounds never go back; the transaction that is watched, and open before and after the take, runs; a session's own transaction
//! runs in its own snapshot; and the one that it ended last does not.

use std::{
    sync::atomic::{AtomicU64, Ordering, fence},
    time::Instant,
};

use snapshot_api::{
    AssignError, Assigner, SessionId, Snapshot, SnapshotStrategy, ThresholdStrategy, Xid,
};

use super::{
    course::Course,
    pacer::Pacer,
    part::{Part, Spent},
};
use crate::clock::{Lap, own_nanos};

/// One operation in so many is timed, where they do not come at a rate.
const LOOK_AT: u64 = 16;
/// How far apart the ids are that are tested, below xmax.
const APART: u64 = 3;

/// What all sessions of a load share.
#[derive(Debug)]
pub(super) struct Work<'a, S> {
    pub(super) strategy: &'a S,
    /// A transaction that is open; 0 while there is none. Set after its begin has returned, unset before its end begins.
    pub(super) watched: &'a AtomicU64,
    /// Visibility tests after a take.
    pub(super) tests: u64,
    /// Share of the operations that only read; the others need the assigner.
    pub(super) read_share: f64,
    /// Where ids come from.
    pub(super) assigner: Option<&'a Assigner>,
}

impl<S: SnapshotStrategy> Work<'_, S> {
    /// Works until the time is up.
    pub(super) fn run<T: ThresholdStrategy>(
        &self,
        threshold: &T,
        (number, me): (usize, SessionId),
        course: &Course,
        part: &mut Part,
    ) {
        let Work { strategy, watched, tests, .. } = *self;
        let mut random = fastrand::Rng::with_seed(course.settings().seed ^ number as u64);
        let own_time = own_nanos();
        let mut snapshot = strategy.snapshot();
        let (mut xmin, mut xmax) = (Xid::INVALID, Xid::INVALID);
        // Before anything has ended there is nothing that must have: a reserved id never runs.
        let mut ended = Xid::INVALID;
        let mut tested = 0_u64;
        let start = Instant::now();
        let mut pacer = Pacer::new(course, number, start, 1);
        while !course.is_over() && part.wrong.is_none() {
            let due = match &mut pacer {
                Some(pacer) => match pacer.wait(course, part) {
                    Some(due) => Some(due),
                    None => break,
                },
                None => None,
            };
            let look = due.is_some() || part.ops.is_multiple_of(LOOK_AT);
            let mut lap = look.then(|| Lap::start(own_time));
            let began = lap.map(|lap| lap.last());
            let mut spent = Spent::default();
            let read = |lap: &mut Option<Lap>| lap.as_mut().map_or(0.0, Lap::lap);
            let own = match self.writes(&mut random, me) {
                Ok(own) => own,
                Err(_full) => continue,
            };
            // Acquire: pairs with the Release of who watches; that transaction's begin happens before the take.
            let open = watched.load(Ordering::Acquire);
            spent.other += read(&mut lap);
            strategy.take(&mut snapshot);
            spent.take = read(&mut lap);
            let high = snapshot.xmax();
            for back in 0..tests {
                let xid = Xid::new(high.get().saturating_sub(1 + back * APART));
                tested += u64::from(snapshot.is_running(xid));
            }
            spent.visibility = read(&mut lap);
            tested += threshold.timestamp().as_micros();
            spent.threshold = read(&mut lap);
            let low = snapshot.xmin();
            if low < xmin || high < xmax {
                go_back(part, [xmin, xmax], [low, high]);
            }
            if open != 0 && still_open(watched, open) && !snapshot.is_running(Xid::new(open)) {
                does_not_run(part, Xid::new(open), high);
            }
            if snapshot.is_running(ended) {
                runs(part, ended, high);
            }
            (xmin, xmax) = (low, high);
            if let Some(own) = own {
                if !snapshot.is_running(own) {
                    does_not_run(part, own, high);
                }
                strategy.end(me, &[own]);
                ended = own;
            }
            part.ops += 1;
            if let (Some(mut lap), Some(began)) = (lap, began) {
                spent.other += lap.lap();
                let time = std::time::Duration::from_nanos(spent.all() as u64);
                part.took(course, lap.last() - start, time, spent);
                if let Some(due) = due {
                    part.was_due(due, began, lap.last());
                }
            }
        }
        if let Some(pacer) = pacer {
            pacer.end(course, part);
        }
        // The sum is used, so that no test can be left out.
        std::hint::black_box(tested);
    }

    /// The session's own transaction, begun, if this operation is one that writes. A bounded design that is full has no place
    /// until something ends.
    fn writes(
        &self,
        random: &mut fastrand::Rng,
        me: SessionId,
    ) -> Result<Option<Xid>, AssignError> {
        match self.assigner {
            Some(assigner) if self.read_share <= 0.0 || random.f64() >= self.read_share => {
                assigner.assign(self.strategy, me).map(Some)
            }
            _ => Ok(None),
        }
    }
}

#[cold]
fn go_back(part: &mut Part, from: [Xid; 2], to: [Xid; 2]) {
    part.is_wrong(|| format!("bounds go back from {from:?} to {to:?}"));
}

#[cold]
pub(super) fn does_not_run(part: &mut Part, open: Xid, xmax: Xid) {
    part.is_wrong(|| format!("transaction {open} is open, but does not run below xmax {xmax}"));
}

#[cold]
fn runs(part: &mut Part, ended: Xid, xmax: Xid) {
    part.is_wrong(|| format!("transaction {ended} has ended, but runs below xmax {xmax}"));
}

/// Whether the transaction that was announced as open before a take still is: its end has not begun. Then the snapshot must
/// hold it as running.
pub(super) fn still_open(announced: &AtomicU64, before: u64) -> bool {
    // Acquire fence: what the take has read comes before the load below. If the take has seen the end, the load sees that the
    // announcement was taken back, which came before the end.
    fence(Ordering::Acquire);
    announced.load(Ordering::Relaxed) == before
}
