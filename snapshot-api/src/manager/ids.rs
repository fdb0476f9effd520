//! [`Ids`]: hands out ids, as the strategy needs it: one at a time, or from a counter.

use crate::{
    AssignError, Assigner, SessionId, SnapshotStrategy, Xid,
    sync::{AtomicU64, Ordering, Padded},
};

#[derive(Debug)]
pub(super) enum Ids {
    /// Each is entered before the next one exists.
    InOrder(Assigner),
    /// For a strategy that says `unordered_begin`.
    Counter(Padded<AtomicU64>),
}

impl Ids {
    pub(super) fn new(next: Xid, unordered: bool) -> Self {
        let next = next.max(Xid::FIRST_NORMAL);
        if unordered {
            Ids::Counter(Padded(AtomicU64::new(next.get())))
        } else {
            Ids::InOrder(Assigner::new(next))
        }
    }

    /// The id that is handed out next.
    pub(super) fn next(&self) -> Xid {
        match self {
            Ids::InOrder(assigner) => assigner.next(),
            // Relaxed: a number to measure ages by.
            Ids::Counter(next) => Xid::new(next.load(Ordering::Relaxed)),
        }
    }

    pub(super) fn assign<S: SnapshotStrategy>(
        &self,
        strategy: &S,
        session: SessionId,
    ) -> Result<Xid, AssignError> {
        let next = match self {
            Ids::InOrder(assigner) => return assigner.assign(strategy, session),
            Ids::Counter(next) => next,
        };
        let xid = draw(next).ok_or(AssignError::Exhausted)?;
        strategy.begin(session, xid).map_err(|refused| {
            // It is handed out, and where ids begin in any order it would run for ever.
            strategy.end(session, &[xid]);
            AssignError::Refused(refused)
        })?;
        Ok(xid)
    }
}

/// The next number, unless it is beyond the last id.
fn draw(next: &AtomicU64) -> Option<Xid> {
    // Relaxed: each caller gets a number of its own in any order; the strategy needs no more.
    let mut id = next.load(Ordering::Relaxed);
    while Xid::new(id).is_normal() {
        match next.compare_exchange_weak(id, id + 1, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return Some(Xid::new(id)),
            Err(other) => id = other,
        }
    }
    None
}

#[cfg(all(test, not(snapshot_loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_last_id_is_handed_out_once() {
        let next = AtomicU64::new(Xid::LAST_NORMAL.get());
        assert_eq!(draw(&next), Some(Xid::LAST_NORMAL));
        for _ in 0..10 {
            assert_eq!(draw(&next), None);
        }
    }
}
