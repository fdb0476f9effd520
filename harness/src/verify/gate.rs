//! [`Gate`]: lets readers run in rounds, with nobody running in between.
//!
//! ```text
//!  replayer   open ─── applies events ─── close, waits until all stand ─── judges ─── open …
//!  reader     ── at least one snapshot ── … ── finds it closed ── stands ────────────── …
//! ```
//!
//! Every reader passes in every round. One that dies counts as standing, and so does everybody once the replayer has
//! gone, so that nobody waits for ever.

use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

#[derive(Debug)]
pub(crate) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
    /// Whether readers are to stand. Under the lock of `state`, and read without it.
    closed: AtomicBool,
}

#[derive(Debug)]
struct State {
    round: u64,
    readers: usize,
    standing: usize,
    over: bool,
}

impl Gate {
    /// A closed gate with this many readers to come.
    pub(crate) fn new(readers: usize) -> Self {
        Gate {
            state: Mutex::new(State { round: 0, readers, standing: 0, over: false }),
            changed: Condvar::new(),
            closed: AtomicBool::new(true),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// The replayer: waits until every reader stands, then opens the next round.
    pub(crate) fn open(&self) {
        let mut state = self.lock();
        while state.standing < state.readers {
            state = self.wait(state);
        }
        state.standing = 0;
        state.round += 1;
        // Relaxed: the lock orders it for whoever waits, and nobody else runs.
        self.closed.store(false, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// The replayer: ends the round and waits until every reader stands.
    pub(crate) fn close(&self) {
        // Relaxed: a hint to hurry. What the readers did is passed on by the lock.
        self.closed.store(true, Ordering::Relaxed);
        let mut state = self.lock();
        while state.standing < state.readers {
            state = self.wait(state);
        }
    }

    /// The replayer: nobody is to run any more.
    pub(crate) fn end(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.lock().over = true;
        self.changed.notify_all();
    }

    /// A reader: whether the round is to end.
    pub(crate) fn is_closed(&self) -> bool {
        // Relaxed: see `close`.
        self.closed.load(Ordering::Relaxed)
    }

    /// A reader: stands until the round after `round` opens; whether there is one.
    pub(crate) fn stand(&self, round: &mut u64) -> bool {
        let mut state = self.lock();
        state.standing += 1;
        self.changed.notify_all();
        while state.round == *round && !state.over {
            state = self.wait(state);
        }
        *round = state.round;
        !state.over
    }

    /// A reader has gone.
    pub(crate) fn leave(&self) {
        self.lock().readers -= 1;
        self.changed.notify_all();
    }
}
