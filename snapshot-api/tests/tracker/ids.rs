//! Transactions have ids from their begin, and end in any order; a snapshot is the ids that run. PostgreSQL's way.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use snapshot_api::{
    dev::tracker::{Refused, SnapshotTracker},
    sync::{Mutex, MutexGuard},
};

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bug {
    None,
    /// The horizon does not stop at what runs.
    PassesTheRunning,
    /// A transaction that panics runs for ever.
    PanicRunsOn,
    /// So does one that rolls back.
    RollbackRunsOn,
    /// The list of those running is read under one lock, the next id under another.
    ListBeforeXmax,
}

pub(crate) struct Tracker {
    bug: Bug,
    shared: Arc<Shared>,
}

struct Shared(Mutex<State>);

#[derive(Default)]
struct State {
    next: u64,
    running: BTreeSet<u64>,
    /// How many snapshots with this xmin are open.
    open: BTreeMap<u64, usize>,
}

impl State {
    /// The lowest id that runs or will.
    fn xmin(&self) -> u64 {
        self.running.first().copied().unwrap_or(self.next)
    }
}

/// A guard that shares the tracker.
pub(crate) struct Snapshot {
    shared: Arc<Shared>,
    xmin: u64,
    xmax: u64,
    running: Vec<u64>,
}

/// Ends its transaction when it goes.
struct Running<'a> {
    tracker: &'a Tracker,
    id: u64,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

impl Tracker {
    pub(crate) fn new(bug: Bug) -> Self {
        let state = State { next: 3, ..State::default() };
        Tracker { bug, shared: Arc::new(Shared(Mutex::new(state))) }
    }

    fn begin(&self) -> Running<'_> {
        let mut state = self.shared.lock();
        let id = state.next;
        state.next += 1;
        state.running.insert(id);
        Running { tracker: self, id }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !(self.tracker.bug == Bug::PanicRunsOn && std::thread::panicking()) {
            self.tracker.shared.lock().running.remove(&self.id);
        }
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        let Some(count) = state.open.get_mut(&self.xmin) else { return };
        *count -= 1;
        if *count == 0 {
            state.open.remove(&self.xmin);
        }
    }
}

impl SnapshotTracker for Tracker {
    type Snapshot<'a> = Snapshot;

    fn commit(&self, stamp: impl FnOnce(u64)) -> u64 {
        let running = self.begin();
        stamp(running.id);
        running.id
    }

    fn open(&self) -> Result<Snapshot, Refused> {
        let mut state = self.shared.lock();
        let running = state.running.iter().copied().collect();
        if self.bug == Bug::ListBeforeXmax {
            drop(state);
            state = self.shared.lock();
        }
        let (xmin, xmax) = (state.xmin(), state.next);
        *state.open.entry(xmin).or_default() += 1;
        Ok(Snapshot { shared: Arc::clone(&self.shared), xmin, xmax, running })
    }

    fn sees(&self, snapshot: &Snapshot, number: u64) -> bool {
        number < snapshot.xmax && snapshot.running.binary_search(&number).is_err()
    }

    fn horizon(&self) -> u64 {
        let state = self.shared.lock();
        let own = if self.bug == Bug::PassesTheRunning { state.next } else { state.xmin() };
        state.open.keys().next().map_or(own, |&oldest| oldest.min(own))
    }

    fn rollback(&self) {
        let running = self.begin();
        if self.bug == Bug::RollbackRunsOn {
            std::mem::forget(running);
        }
    }
}
