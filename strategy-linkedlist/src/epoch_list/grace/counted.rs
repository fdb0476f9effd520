//! Who is inside, by name, under one lock: for models.

use snapshot_api::sync::Mutex;

#[derive(Debug, Default)]
pub(in crate::epoch_list) struct Grace(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    entered: u64,
    inside: Vec<u64>,
    /// The last ticket, and who was inside when it was asked for and still is.
    ticket: u64,
    awaited: Vec<u64>,
}

#[derive(Debug)]
pub(in crate::epoch_list) struct Inside<'a> {
    grace: &'a Grace,
    name: u64,
}

impl Grace {
    pub(in crate::epoch_list) fn new() -> Self {
        Grace::default()
    }

    pub(in crate::epoch_list) fn enter(&self) -> Inside<'_> {
        let mut state = self.0.lock();
        state.entered += 1;
        let name = state.entered;
        state.inside.push(name);
        Inside { grace: self, name }
    }

    pub(in crate::epoch_list) fn ask(&self, ticket: u64) {
        let mut state = self.0.lock();
        state.ticket = ticket;
        state.awaited = state.inside.clone();
    }

    pub(in crate::epoch_list) fn is_over(&self, ticket: u64) -> bool {
        let state = self.0.lock();
        state.ticket >= ticket && state.awaited.is_empty()
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        let mut state = self.grace.0.lock();
        state.inside.retain(|&name| name != self.name);
        state.awaited.retain(|&name| name != self.name);
    }
}
