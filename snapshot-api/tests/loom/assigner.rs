//! The assigner publishes an id before the next one exists.

use loom::thread;
use snapshot_api::dev::interleavings::every;
use snapshot_api::{
    Assigner, BeginError, Costs, Facts, ListSnapshot, Memory, Progress, SessionId,
    SnapshotStrategy, Xid,
    sync::{AtomicU64, Ordering},
};
use std::sync::Arc;

/// Which ids have been published, as bits, without an order of its own: what the assigner passes on is all there is.
struct Table(AtomicU64);

impl SnapshotStrategy for Table {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "table".into(),
            source: "a model",
            costs: Costs { take: "O(1)", begin: "O(1)", end: "O(1)", is_running: "O(1)" },
            readers: Progress::WaitFree,
            writers: Progress::WaitFree,
            unordered_begin: false,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }
    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }
    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        // Relaxed on purpose: the assigner's own order has to carry it.
        self.0.fetch_or(1 << xid.get(), Ordering::Relaxed);
        Ok(())
    }
    fn end(&self, _session: SessionId, _tree: &[Xid]) {}
    fn take(&self, _snapshot: &mut ListSnapshot) {}
}

fn all_below(table: &Table, next: u64) {
    let published = table.0.load(Ordering::Relaxed);
    for id in 3..next {
        assert!(published >> id & 1 == 1, "{next} is next, but {id} is not published");
    }
}

/// Two threads assign, a third reads the counter and then the table.
#[test]
fn published_before_the_next_one_exists() {
    every(|| {
        let table = Arc::new(Table(AtomicU64::new(0)));
        let assigner = Arc::new(Assigner::new(Xid::FIRST_NORMAL));
        let assigners: Vec<_> = (0..2)
            .map(|session| {
                let (table, assigner) = (Arc::clone(&table), Arc::clone(&assigner));
                thread::spawn(move || {
                    let own = assigner.assign(&*table, SessionId::new(session)).expect("ids left");
                    // Whoever got an id may complete it: all lower ones are published.
                    all_below(&table, own.get() + 1);
                })
            })
            .collect();
        all_below(&table, assigner.next().get());
        assigners.into_iter().for_each(|one| one.join().expect("no panic"));
    });
}

/// The wrong order of cases 7 and 12: the counter is raised first.
#[test]
#[should_panic(expected = "is not published")]
fn counter_raised_first_fails() {
    every(|| {
        let table = Arc::new(Table(AtomicU64::new(0)));
        let next = Arc::new(AtomicU64::new(3));
        let assigner = {
            let (table, next) = (Arc::clone(&table), Arc::clone(&next));
            thread::spawn(move || {
                let own = next.fetch_add(1, Ordering::AcqRel);
                table.begin(SessionId::new(0), Xid::new(own)).expect("room");
            })
        };
        all_below(&table, next.load(Ordering::Acquire));
        assigner.join().expect("no panic");
    });
}

/// The right order without Release and Acquire.
#[test]
#[should_panic(expected = "is not published")]
fn counter_raised_relaxed_fails() {
    every(|| {
        let table = Arc::new(Table(AtomicU64::new(0)));
        let next = Arc::new(AtomicU64::new(3));
        let assigner = {
            let (table, next) = (Arc::clone(&table), Arc::clone(&next));
            thread::spawn(move || {
                table.begin(SessionId::new(0), Xid::new(3)).expect("room");
                next.store(4, Ordering::Relaxed);
            })
        };
        all_below(&table, next.load(Ordering::Relaxed));
        assigner.join().expect("no panic");
    });
}
