//! Which sessions are in use: those that a take reads.
//!
//! PostgreSQL keeps its dense array without holes: when a process leaves, its place is closed under both locks. Processes
//! that idle stay, and are read. No session of the contract leaves, so that every one that ever ran something would be
//! read for ever. Instead, idle ones leave the dense layout:
//!
//! ```text
//!   session      17  3  41  8  26            8 and 41 run something
//!   id          │ · │ · │57 │60 │ · │        5 places
//!
//!   session      41  8                       17, 3 and 26 come back with their next begin, as at their first
//!   id          │57 │60 │                    2 places
//! ```
//!
//! After as many begins as there were places, at least 64, a `begin` counts the places that hold something. If there are
//! more than twice as many places and 64 besides, the others leave under both locks, and those that stay move together.
//! So an `end` costs what it did, a `begin` O(1) amortised, and a take looks at no more than four times the sessions that
//! ran something at the last count, and 128 places.
//!
//! An `end` asks without a lock whether its id is in the session's slot. While that moves it may find another id or none,
//! and then looks everywhere under both locks. Under either lock the place is exact.

use snapshot_api::{CapacityExceeded, SessionId, Xid};

use super::ProcArray;

/// Idle sessions are looked for after so many begins, or as many as there were places, if those are more.
const LOOK: usize = if cfg!(snapshot_loom) { 3 } else { 64 };

/// What the turn to begin guards.
#[derive(Debug)]
pub(super) struct Turn {
    /// The highest id begun or completed.
    pub(super) last: Xid,
    /// How many sessions are in use.
    in_use: usize,
    /// How many begins are left until idle sessions are looked for.
    unlooked: usize,
}

impl Turn {
    pub(super) fn new(last: Xid) -> Self {
        Turn { last, in_use: 0, unlooked: LOOK }
    }
}

impl ProcArray {
    /// How many places a take looks at, besides subtransactions: the sessions in use. Waits for writers.
    pub fn sessions_in_use(&self) -> usize {
        self.array.read().in_use.len()
    }

    /// Now and then takes idle sessions out of use. The caller holds the turn.
    pub(super) fn look_for_idle(&self, turn: &mut Turn) {
        turn.unlooked = turn.unlooked.saturating_sub(1);
        if turn.unlooked > 0 {
            return;
        }
        if self.slots.is_sparse(turn.in_use) {
            let mut array = self.array.write();
            self.slots.drop_idle(&mut array.in_use);
            turn.in_use = array.in_use.len();
        }
        // So a look costs no more than the begins since the last one and those before it. The limit does not rise while
        // more come into use.
        turn.unlooked = turn.in_use.max(LOOK);
    }

    /// Takes the session into use, if it is not. The caller holds the turn.
    pub(super) fn register(
        &self,
        turn: &mut Turn,
        session: SessionId,
    ) -> Result<(), CapacityExceeded> {
        if self.slots.in_use(session.index()) {
            return Ok(());
        }
        let number = u32::try_from(session.index()).ok().filter(|&n| n < self.config.sessions);
        let number =
            number.ok_or(CapacityExceeded { what: "session slots", limit: self.slots.len() })?;
        let mut array = self.array.write();
        self.slots.register(number, &mut array.in_use);
        turn.in_use = array.in_use.len();
        Ok(())
    }
}
