//! [`Steps`]: a history in batches, with a snapshot after every so many events.

use super::{History, history::Events};
use crate::trace::Event;

/// Events for one reading of the clock: its cost is then far below that of a single event.
const BATCH: usize = 64;

/// Walks over the events that come once the standby accepts queries.
#[derive(Debug)]
pub(super) struct Steps<'a> {
    events: Events<'a>,
    batch: Vec<Event<'a>>,
    every: usize,
    /// Events up to the next snapshot.
    until: usize,
}

impl<'a> Steps<'a> {
    /// A snapshot after this many events; none for 0.
    pub(super) fn new(history: &'a History, every: usize) -> Self {
        let mut events = history.events();
        if let Some(last) = history.before_ready().checked_sub(1) {
            events.nth(last);
        }
        let every = if every == 0 { usize::MAX } else { every };
        Steps { events, batch: Vec::with_capacity(BATCH), every, until: every }
    }

    /// The next batch, and whether a snapshot follows it; `None` at the end.
    pub(super) fn next(&mut self) -> Option<(&[Event<'a>], bool)> {
        self.batch.clear();
        self.batch.extend(self.events.by_ref().take(BATCH.min(self.until)));
        if self.batch.is_empty() {
            return None;
        }
        self.until -= self.batch.len();
        let snapshot = self.until == 0;
        if snapshot {
            self.until = self.every;
        }
        Some((&self.batch, snapshot))
    }
}
