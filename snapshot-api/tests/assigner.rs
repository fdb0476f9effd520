//! The assigner: ids in order, each published before a higher one can complete.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use snapshot_api::{
    AssignError, Assigner, BeginError, CapacityExceeded, Facts, ListSnapshot, Restore, SessionId,
    Snapshot, SnapshotStrategy, Xid, dev::models::LockedSet,
};

fn locked_set() -> LockedSet {
    LockedSet::restore(&(), Xid::FROZEN, &[]).expect("an empty state")
}

/// Cases 7 and 12: the next id was read as 101 before 100 was published (PostgreSQL 74fc8386); the counter was raised before
/// the id stood in the table (WiredTiger WT-2241). Whoever reads the counter, then looks, finds every id below it.
#[test]
fn every_id_below_the_next_one_is_published() {
    const IDS: u64 = 20_000;
    let (strategy, assigner) = (locked_set(), Assigner::new(Xid::FIRST_NORMAL));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let (strategy, assigner, done) = (&strategy, &assigner, &done);
        let watcher = scope.spawn(move || {
            let mut value = strategy.snapshot();
            while !done.load(Ordering::Acquire) {
                let next = assigner.next();
                // Completed before it was entered, it would be refused when it is: the assigners would fail.
                strategy.end(SessionId::new(9), &[next.prev()]);
                strategy.take(&mut value);
                assert!(value.xmax() >= next, "{next} is next, but xmax is {}", value.xmax());
            }
        });
        let assigners: Vec<_> = (0..2)
            .map(|session| {
                scope.spawn(move || {
                    let mut own = Vec::new();
                    for _ in 0..IDS / 2 {
                        own.push(assigner.assign(strategy, SessionId::new(session)).expect("room"));
                        assert!(assigner.next() > own[own.len() - 1]);
                    }
                    own
                })
            })
            .collect();
        let mut all: Vec<Xid> =
            assigners.into_iter().flat_map(|one| one.join().expect("no panic")).collect();
        done.store(true, Ordering::Release);
        watcher.join().expect("no panic");
        all.sort_unstable();
        assert!(all.iter().map(|xid| xid.get()).eq(3..3 + IDS), "each id once, none left out");
    });
}

/// A strategy whose next `begin` does what the test says.
struct Scripted {
    inner: LockedSet,
    full: AtomicBool,
    panics: AtomicBool,
}

impl SnapshotStrategy for Scripted {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        self.inner.facts()
    }
    fn snapshot(&self) -> ListSnapshot {
        self.inner.snapshot()
    }
    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        assert!(!self.panics.load(Ordering::Relaxed), "told to");
        if self.full.load(Ordering::Relaxed) {
            return Err(CapacityExceeded { what: "places", limit: 7 }.into());
        }
        self.inner.begin(session, xid)
    }
    fn end(&self, session: SessionId, tree: &[Xid]) {
        self.inner.end(session, tree);
    }
    fn take(&self, snapshot: &mut ListSnapshot) {
        self.inner.take(snapshot);
    }
}

#[test]
fn a_refused_id_is_not_used_up_and_a_panic_burns_it() {
    let strategy = Scripted {
        inner: locked_set(),
        full: AtomicBool::new(true),
        panics: AtomicBool::new(false),
    };
    let (assigner, session) = (Assigner::new(Xid::new(50)), SessionId::new(0));
    let refused = assigner.assign(&strategy, session).expect_err("full");
    assert_eq!(refused.to_string(), "no transaction id assigned: all 7 places are in use");
    assert_eq!(assigner.next(), Xid::new(50));

    strategy.full.store(false, Ordering::Relaxed);
    strategy.panics.store(true, Ordering::Relaxed);
    catch_unwind(AssertUnwindSafe(|| assigner.assign(&strategy, session))).expect_err("told to");
    assert_eq!(assigner.next(), Xid::new(51), "nobody can know whether 50 was entered");

    strategy.panics.store(false, Ordering::Relaxed);
    assert_eq!(assigner.assign(&strategy, session), Ok(Xid::new(51)));
}

#[test]
fn ids_run_out_with_an_error() {
    let (strategy, session) = (locked_set(), SessionId::new(0));
    let assigner = Assigner::new(Xid::LAST_NORMAL);
    assert_eq!(assigner.assign(&strategy, session), Ok(Xid::LAST_NORMAL));
    assert_eq!(assigner.assign(&strategy, session), Err(AssignError::Exhausted));
    assert_eq!(Assigner::new(Xid::INVALID).next(), Xid::FIRST_NORMAL);
}
