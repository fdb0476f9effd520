//! Readers, a committer, ticks and a pruner who goes beyond the horizon: whoever may have lost a row is told.

use std::{sync::Arc, time::Duration};

use loom::thread;
use snapshot_api::{
    ManagerOptions, ManualClock, OldSnapshotPolicy, Pairing, Progress, Snapshot, Threshold,
    ThresholdFacts, ThresholdStrategy, Timestamp, TransactionManager, Xid,
    dev::interleavings::every,
    sync::{AtomicBool, AtomicU64, Ordering},
};

use crate::published::{Published, commit, manager};

/// Two atomics, in the order of law (b).
#[derive(Default)]
struct Split {
    timestamp: AtomicU64,
    xid: AtomicU64,
}

impl ThresholdStrategy for Split {
    fn facts(&self) -> ThresholdFacts {
        ThresholdFacts {
            name: "split".into(),
            source: "a model",
            readers: Progress::WaitFree,
            writers: Progress::WaitFree,
            pairing: Pairing::Split,
        }
    }

    fn timestamp(&self) -> Timestamp {
        // Relaxed: the page that was read before carries the order.
        Timestamp::from_micros(self.timestamp.load(Ordering::Relaxed))
    }

    fn load(&self) -> Threshold {
        // Acquire: pairs with the Release in `advance`.
        let xid = Xid::new(self.xid.load(Ordering::Acquire));
        Threshold { timestamp: self.timestamp(), xid }
    }

    fn advance(&self, to: Threshold) {
        // Relaxed: the next line publishes it.
        self.timestamp.fetch_max(to.timestamp.as_micros(), Ordering::Relaxed);
        // Release: pairs with the Acquire in `load`.
        self.xid.fetch_max(to.xid.get(), Ordering::Release);
    }
}

type Manager = TransactionManager<Published, Split>;

/// Snapshots are too old at once.
fn aging() -> (Manager, ManualClock) {
    let clock = ManualClock::default();
    let policy = OldSnapshotPolicy { max_age: Some(Duration::ZERO), max_gap: None };
    let options = ManagerOptions::new().clock(clock.clone()).old_snapshots(policy);
    (manager(Split::default(), options), clock)
}

const THREE: Xid = Xid::new(3);

/// The page: whether the version that 3 replaced is still there. A latch would order more than this does.
fn page() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(true))
}

fn prunes(manager: &Manager, page: &AtomicBool) {
    if manager.prune_horizon() > THREE {
        // Release: pairs with the Acquire load of whoever reads the page.
        page.store(false, Ordering::Release);
    }
}

/// Reads the page, then asks.
fn reads(manager: &Manager, page: &AtomicBool) {
    let mut session = manager.session().expect("a place");
    let mut transaction = session.begin();
    let snapshot = transaction.snapshot();
    // Acquire: pairs with the pruner's Release store.
    let there = page.load(Ordering::Acquire);
    let told = snapshot.check().is_err();
    assert!(
        there || told || !snapshot.is_running(THREE),
        "the row was pruned, the snapshot needs it, and nobody says so"
    );
}

#[test]
fn whoever_lost_a_row_is_told() {
    let runs = every(|| {
        let ((manager, clock), page) = (aging(), page());
        let reader = {
            let (manager, page) = (manager.clone(), Arc::clone(&page));
            thread::spawn(move || reads(&manager, &page))
        };
        commit(&manager, 3);
        clock.advance(Duration::from_micros(1));
        manager.tick();
        prunes(&manager, &page);
        reader.join().expect("no panic");
    });
    assert!(runs > 20, "the threads hardly meet: {runs} interleavings");
}

/// The pruner is another than the one who ticks.
#[test]
fn also_by_a_pruner_of_his_own() {
    every(|| {
        let ((manager, clock), page) = (aging(), page());
        let reader = {
            let (manager, page) = (manager.clone(), Arc::clone(&page));
            thread::spawn(move || reads(&manager, &page))
        };
        let pruner = {
            let (manager, page) = (manager.clone(), Arc::clone(&page));
            thread::spawn(move || prunes(&manager, &page))
        };
        commit(&manager, 3);
        clock.advance(Duration::from_micros(1));
        manager.tick();
        reader.join().expect("no panic");
        pruner.join().expect("no panic");
    });
}

/// Seen to fail: the reader asks before it reads.
#[test]
#[should_panic(expected = "nobody says so")]
fn asking_before_reading_fails() {
    every(|| {
        let ((manager, clock), page) = (aging(), page());
        let mut session = manager.session().expect("a place");
        let reader = {
            let page = Arc::clone(&page);
            thread::spawn(move || {
                let mut transaction = session.begin();
                let snapshot = transaction.snapshot();
                let told = snapshot.check().is_err();
                let there = page.load(Ordering::Acquire);
                assert!(
                    there || told || !snapshot.is_running(THREE),
                    "the row was pruned, the snapshot needs it, and nobody says so"
                );
            })
        };
        commit(&manager, 3);
        clock.advance(Duration::from_micros(1));
        manager.tick();
        prunes(&manager, &page);
        reader.join().expect("no panic");
    });
}

/// The commit falls anywhere between the tick's steps: a snapshot of the tick's own time has the tick's xmin, or a higher one.
#[test]
fn a_snapshot_of_the_moments_time_needs_nothing_below_it() {
    every(|| {
        let ((manager, clock), page) = (aging(), page());
        let reader = {
            let (manager, page) = (manager.clone(), Arc::clone(&page));
            thread::spawn(move || reads(&manager, &page))
        };
        let committer = {
            let manager = manager.clone();
            thread::spawn(move || commit(&manager, 3))
        };
        clock.advance(Duration::from_micros(1));
        manager.tick();
        prunes(&manager, &page);
        reader.join().expect("no panic");
        committer.join().expect("no panic");
    });
}
