// The tracker that everybody writes: the last commit, and how many snapshots of each number are open, under one lock.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use snapshot_api::dev::tracker::{Refused, SnapshotTracker};

// The engine's own code.

#[derive(Default)]
pub(crate) struct Tracker(Mutex<State>);

#[derive(Default)]
struct State {
    last: u64,
    open: BTreeMap<u64, usize>,
}

pub(crate) struct Snapshot<'a> {
    tracker: &'a Tracker,
    number: u64,
}

impl Tracker {
    fn state(&self) -> MutexGuard<'_, State> {
        // A commit that panicked under the lock had changed nothing yet.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_snapshot(&self) -> Snapshot<'_> {
        // Chosen and registered under one lock: one step for the collector.
        let mut state = self.state();
        let number = state.last;
        *state.open.entry(number).or_default() += 1;
        Snapshot { tracker: self, number }
    }

    fn run_commit(&self, stamp: impl FnOnce(u64)) -> u64 {
        let mut state = self.state();
        let number = state.last + 1;
        stamp(number);
        state.last = number;
        number
    }

    /// The newest commit that every snapshot sees.
    fn seen_by_all(&self) -> u64 {
        let state = self.state();
        state.open.keys().next().copied().unwrap_or(state.last)
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        let mut state = self.tracker.state();
        let Some(count) = state.open.get_mut(&self.number) else { return };
        *count -= 1;
        if *count == 0 {
            state.open.remove(&self.number);
        }
    }
}

// The adapter.

impl SnapshotTracker for Tracker {
    type Snapshot<'a> = Snapshot<'a>;

    fn commit(&self, stamp: impl FnOnce(u64)) -> u64 {
        self.run_commit(stamp)
    }

    fn open(&self) -> Result<Snapshot<'_>, Refused> {
        Ok(self.open_snapshot())
    }

    fn sees(&self, snapshot: &Snapshot<'_>, number: u64) -> bool {
        number <= snapshot.number
    }

    fn horizon(&self) -> u64 {
        self.seen_by_all() + 1
    }
}
