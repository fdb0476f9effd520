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
    use crate::{
        BeginError, CapacityExceeded, Costs, Facts, ListSnapshot, Memory, Progress, sync::Mutex,
    };

    /// Refuses every id, and knows which have ended.
    struct Full(Mutex<Vec<Xid>>);

    impl SnapshotStrategy for Full {
        type Snapshot = ListSnapshot;

        fn facts(&self) -> Facts {
            Facts {
                name: "full".into(),
                source: "a test",
                costs: Costs { take: "", begin: "", end: "", is_running: "" },
                readers: Progress::Blocking,
                writers: Progress::Blocking,
                unordered_begin: true,
                capacity: Some(0),
                allocations_per_change: 0,
                memory: Memory::Bounded,
            }
        }

        fn snapshot(&self) -> ListSnapshot {
            ListSnapshot::new()
        }

        fn begin(&self, _session: SessionId, _xid: Xid) -> Result<(), BeginError> {
            Err(CapacityExceeded { what: "places", limit: 0 }.into())
        }

        fn end(&self, _session: SessionId, tree: &[Xid]) {
            self.0.lock().extend(tree);
        }

        fn take(&self, _snapshot: &mut ListSnapshot) {}
    }

    #[test]
    fn the_last_id_is_handed_out_once() {
        let next = AtomicU64::new(Xid::LAST_NORMAL.get());
        assert_eq!(draw(&next), Some(Xid::LAST_NORMAL));
        for _ in 0..10 {
            assert_eq!(draw(&next), None);
        }
    }

    #[test]
    fn an_id_that_is_refused_does_not_run_for_ever() {
        let (full, session) = (Full(Mutex::default()), SessionId::new(0));
        let ids = Ids::new(Xid::new(7), full.facts().unordered_begin);
        let refused = BeginError::Full(CapacityExceeded { what: "places", limit: 0 });
        assert_eq!(ids.assign(&full, session), Err(AssignError::Refused(refused)));
        assert_eq!((&full.0.lock()[..], ids.next()), (&[Xid::new(7)][..], Xid::new(8)));
    }
}
