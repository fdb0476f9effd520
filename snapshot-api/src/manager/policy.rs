//! [`OldSnapshotPolicy`]: how old a snapshot may get, and the ring of moments by which the threshold follows.
//!
//! # Which pair is right
//!
//! A threshold is a pair (T, X): a snapshot from before T may fail, and what ended below X may be removed although somebody
//! holds a snapshot. It is right if *every snapshot whose time is T or later has an xmin of X or above*: it needs nothing of
//! what is removed. Such pairs are made like this:
//!
//! ```text
//!   tick (one at a time)                     reader
//!   X := xmin of a take                      taken := time (Acquire)
//!   T := the clock, above the last one       takes its snapshot
//!   time := T (Release)
//!   moments: … (T, X)
//! ```
//!
//! A reader whose time is T has read what the tick stored, so its take comes after the tick's, and by law 1 its xmin is at
//! least X. Its time is not the clock's but that of the last tick: it may look older than it is by one interval of ticks, and
//! no clock is read when a snapshot is taken.
//!
//! # From moment to threshold
//!
//! A tick looks up the newest moment that is old enough, and advances the threshold to it. From there law (b) of
//! [`threshold`](crate::threshold) does the rest: whoever removes by X has made T visible to each reader that meets the
//! removal, and a reader that tests after it has read its page finds T.
//!
//! PostgreSQL keeps such a ring by minutes (`old_snapshot_time_mapping`, `snapmgr.c`, versions 9.6 to 16), with 32-bit ids: one
//! that stayed in it until two billion transactions later would have counted as new. Ids of 64 bits cannot.

use std::{collections::VecDeque, time::Duration};

use crate::{Threshold, Timestamp, Xid, manager::clock::micros};

/// How old a snapshot may get before it may fail with "snapshot too old". The default sets no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OldSnapshotPolicy {
    /// So long after it was taken.
    pub max_age: Option<Duration>,
    /// After so many transactions were given an id since it was taken.
    pub max_gap: Option<u64>,
}

/// The ring holds about so many moments for each limit: an error of one part in so many.
const MOMENTS: u64 = 128;

/// A snapshot whose time is `time` or later has an xmin of `xmin` or above.
#[derive(Clone, Copy, Debug)]
struct Moment {
    time: Timestamp,
    xmin: Xid,
    /// The id that was handed out next.
    next: Xid,
}

/// Moments in rising order, from the newest one that is past a limit on.
#[derive(Debug, Default)]
pub(super) struct Moments {
    policy: OldSnapshotPolicy,
    ring: VecDeque<Moment>,
    last: Timestamp,
}

impl Moments {
    pub(super) fn new(policy: OldSnapshotPolicy) -> Self {
        Moments { policy, ..Self::default() }
    }

    /// Whether the clock has moved on: only then is there a new moment.
    pub(super) fn moves_on(&mut self, now: Timestamp) -> bool {
        let later = now > self.last;
        self.last = self.last.max(now);
        later
    }

    /// Enters a moment and says what the threshold rises to.
    pub(super) fn enter(&mut self, time: Timestamp, xmin: Xid, next: Xid) -> Threshold {
        let moment = Moment { time, xmin, next };
        if self.ring.back().is_none_or(|last| self.is_apart(last, &moment)) {
            self.ring.push_back(moment);
        }
        let newest = self.ring.iter().rposition(|moment| self.policy.is_past(moment, time, next));
        let Some(newest) = newest else { return Threshold::NONE };
        // The threshold never goes back: what is older is not needed any more.
        self.ring.drain(..newest);
        Threshold { timestamp: self.ring[0].time, xid: self.ring[0].xmin }
    }

    /// Whether the later moment tells enough that the one before does not.
    fn is_apart(&self, last: &Moment, later: &Moment) -> bool {
        let OldSnapshotPolicy { max_age, max_gap } = self.policy;
        let time = later.time.as_micros() - last.time.as_micros();
        let ids = later.next.get() - last.next.get();
        max_age.is_some_and(|age| time >= micros(age).as_micros() / MOMENTS)
            || max_gap.is_some_and(|gap| ids >= gap / MOMENTS)
    }
}

impl OldSnapshotPolicy {
    /// Whether a moment is past some limit.
    fn is_past(&self, moment: &Moment, now: Timestamp, next: Xid) -> bool {
        let time = now.as_micros() - moment.time.as_micros();
        let ids = next.get() - moment.next.get();
        self.max_age.is_some_and(|age| time >= micros(age).as_micros())
            || self.max_gap.is_some_and(|gap| ids >= gap)
    }
}

#[cfg(all(test, not(snapshot_loom)))]
mod tests {
    use super::*;

    /// Enters a moment at each microsecond, with so many ids between two, and looks at all thresholds.
    fn play(policy: OldSnapshotPolicy, ticks: u64, ids: u64) -> (Moments, Threshold) {
        let mut moments = Moments::new(policy);
        let mut last = Threshold::NONE;
        for time in 1..=ticks {
            let next = Xid::new(3 + time * ids);
            let to = moments.enter(Timestamp::from_micros(time), next, next);
            assert!(to.max(last) == to, "back from {last:?} to {to:?}");
            last = to;
            let most = 2 * MOMENTS as usize + 3;
            assert!(moments.ring.len() <= most, "{} moments", moments.ring.len());
        }
        (moments, last)
    }

    #[test]
    fn the_ring_is_short_and_the_error_small() {
        let age = Some(Duration::from_micros(10_000));
        let gap = Some(50_000);
        for (max_age, max_gap) in [(age, None), (None, gap), (age, gap)] {
            let (_, last) = play(OldSnapshotPolicy { max_age, max_gap }, 100_000, 7);
            let allowed = if max_gap.is_some() { 50_000 / 7 } else { 10_000 };
            let exact = 100_000 - allowed;
            let time = last.timestamp.as_micros();
            assert!((exact - 2 * allowed / MOMENTS..=exact).contains(&time), "{time}, not {exact}");
        }
    }

    #[test]
    fn without_a_limit_nothing_is_kept() {
        let (moments, last) = play(OldSnapshotPolicy::default(), 1_000, 1);
        assert_eq!((moments.ring.len(), last), (1, Threshold::NONE));
    }

    #[test]
    fn no_transactions_no_moments() {
        let policy = OldSnapshotPolicy { max_age: None, max_gap: Some(1_000) };
        let (moments, last) = play(policy, 1_000, 0);
        assert_eq!((moments.ring.len(), last), (1, Threshold::NONE));
    }
}
