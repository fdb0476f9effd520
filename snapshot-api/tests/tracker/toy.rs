//! The map under one lock, right but for the bug that it is made with.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use snapshot_api::dev::tracker::{Refused, SnapshotTracker};

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bug {
    None,
    /// A snapshot sees one commit more than it should.
    SeesTheNext,
    /// A snapshot sees whatever has committed by now.
    SeesWhatIsLast,
    /// The horizon is one too far.
    TooFar,
    /// The horizon is one too near.
    TooNear,
    /// The horizon is that of the newest snapshot.
    FollowsTheNewest,
    /// The horizon rises only when no snapshot is open.
    WaitsForAll,
    /// The horizon rises only when a snapshot is closed.
    RisesByClosing,
    /// A rollback gives its number back, the last commit's.
    RollbackLowers,
    /// A snapshot is registered with a number below its own.
    RegistersLower,
    /// Closing a snapshot releases two of its moment.
    ReleasesTwice,
    /// Closing a snapshot of which there are two releases none.
    ReleasesTheLastOnly,
    /// A snapshot closed by a thread that unwinds stays registered.
    StaysInAPanic,
    /// A panic under the lock is for ever.
    StaysPoisoned,
    /// Every commit is remembered.
    RemembersCommits,
    /// Every number that had a snapshot is remembered.
    RemembersSnapshots,
    /// One more snapshot than there is room for is registered, and refused.
    RegistersTheRefused,
    /// Says that there is no limit.
    HidesItsLimit,
}

const LIMIT: usize = 16;

pub(crate) struct Tracker {
    bug: Bug,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    floor: u64,
    open: BTreeMap<u64, usize>,
    finished: Vec<u64>,
}

pub(crate) struct Snapshot<'a> {
    tracker: &'a Tracker,
    number: u64,
}

impl Tracker {
    pub(crate) fn new(bug: Bug) -> Self {
        Tracker { bug, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.state.lock();
        if self.bug == Bug::StaysPoisoned {
            return state.expect("no panic under this lock");
        }
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a snapshot of this number is registered.
    fn place(&self, number: u64) -> u64 {
        if self.bug == Bug::RegistersLower { number.saturating_sub(1) } else { number }
    }

    fn is_bounded(&self) -> bool {
        matches!(self.bug, Bug::RegistersTheRefused | Bug::HidesItsLimit)
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        let bug = self.tracker.bug;
        if bug == Bug::StaysInAPanic && std::thread::panicking() {
            return;
        }
        let mut state = self.tracker.state();
        if bug == Bug::RisesByClosing {
            state.floor = state.last;
        }
        let place = self.tracker.place(self.number);
        let Some(count) = state.open.get_mut(&place) else { return };
        match bug {
            Bug::ReleasesTwice => *count = count.saturating_sub(2),
            Bug::ReleasesTheLastOnly if *count == 2 => {}
            _ => *count -= 1,
        }
        if *count == 0 {
            state.open.remove(&place);
        }
        if bug == Bug::RemembersSnapshots {
            state.finished.push(self.number);
        }
    }
}

impl SnapshotTracker for Tracker {
    type Snapshot<'a> = Snapshot<'a>;

    fn commit(&self, stamp: impl FnOnce(u64)) -> u64 {
        let mut state = self.state();
        let number = state.last + 1;
        stamp(number);
        state.last = number;
        if self.bug == Bug::RemembersCommits {
            state.finished.push(number);
        }
        number
    }

    fn open(&self) -> Result<Snapshot<'_>, Refused> {
        let mut state = self.state();
        let number = state.last;
        let full = self.is_bounded() && state.open.values().sum::<usize>() == LIMIT;
        if !full || self.bug == Bug::RegistersTheRefused {
            *state.open.entry(self.place(number)).or_default() += 1;
        }
        if full {
            return Err(format!("all {LIMIT} are open").into());
        }
        Ok(Snapshot { tracker: self, number })
    }

    fn sees(&self, snapshot: &Snapshot<'_>, number: u64) -> bool {
        let newest = match self.bug {
            Bug::SeesTheNext => snapshot.number + 1,
            Bug::SeesWhatIsLast => self.state().last,
            _ => snapshot.number,
        };
        number <= newest
    }

    fn horizon(&self) -> u64 {
        let mut state = self.state();
        let ends = (state.open.first_key_value(), state.open.last_key_value());
        let (oldest, newest) =
            (ends.0.map(|(&number, _)| number), ends.1.map(|(&number, _)| number));
        let right = oldest.unwrap_or(state.last) + 1;
        match self.bug {
            Bug::TooFar => right + 1,
            Bug::TooNear => right - 1,
            Bug::FollowsTheNewest => newest.unwrap_or(state.last) + 1,
            Bug::WaitsForAll => {
                if oldest.is_none() {
                    state.floor = right;
                }
                state.floor
            }
            Bug::RisesByClosing => oldest.unwrap_or(state.floor) + 1,
            _ => right,
        }
    }

    fn rollback(&self) {
        if self.bug == Bug::RollbackLowers {
            let mut state = self.state();
            state.last = state.last.saturating_sub(1);
        }
    }

    fn limit(&self) -> Option<usize> {
        (self.is_bounded() && self.bug != Bug::HidesItsLimit).then_some(LIMIT)
    }
}
