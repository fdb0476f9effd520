//! [`Held`]: an open snapshot that is closed once, whatever happens.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use super::{Refused, SnapshotTracker};

/// An open snapshot of `tracker`. Closes it when it goes, also when its thread unwinds.
pub(super) struct Held<'a, T: SnapshotTracker> {
    tracker: &'a T,
    snapshot: Option<T::Snapshot<'a>>,
}

impl<'a, T: SnapshotTracker> Held<'a, T> {
    /// One more snapshot.
    pub(super) fn try_open(tracker: &'a T) -> Result<Self, Refused> {
        tracker.open().map(|snapshot| Held { tracker, snapshot: Some(snapshot) })
    }

    /// One more snapshot, where there is room for certain.
    pub(super) fn open(tracker: &'a T) -> Result<Self, String> {
        Self::try_open(tracker).map_err(|refused| {
            format!("no snapshot can be opened, though only a few are open: {refused}")
        })
    }

    /// Whether it sees this commit.
    pub(super) fn sees(&self, number: u64) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| self.tracker.sees(snapshot, number))
    }

    /// What it says about each of `numbers`.
    pub(super) fn answers(&self, numbers: impl Iterator<Item = u64>) -> Vec<bool> {
        numbers.map(|number| self.sees(number)).collect()
    }
}

impl<T: SnapshotTracker> Drop for Held<'_, T> {
    fn drop(&mut self) {
        let Some(snapshot) = self.snapshot.take() else { return };
        if thread::panicking() {
            // The law has its finding; a second panic would only end the process before it is told.
            let _ = catch_unwind(AssertUnwindSafe(|| self.tracker.close(snapshot)));
        } else {
            self.tracker.close(snapshot);
        }
    }
}
