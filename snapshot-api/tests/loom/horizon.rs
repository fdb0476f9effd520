//! Readers, committers and collectors on the manager itself: nothing is removed that a snapshot needs.

use std::sync::Arc;

use loom::{cell::UnsafeCell, thread};
use snapshot_api::{
    ManagerOptions, Off, PinnedSnapshot, Session, Snapshot, TransactionManager, Xid,
    dev::interleavings::every,
};

use crate::published::{Published, commit, manager};

type Manager = TransactionManager<Published, Off>;

/// Old row versions, one for each id that replaces one. Whoever removes what somebody reads at the same time, or what he comes
/// to read later, breaks the model: loom watches the cells.
struct Old([UnsafeCell<bool>; 2]);

impl Old {
    fn new() -> Arc<Self> {
        Arc::new(Old([UnsafeCell::new(true), UnsafeCell::new(true)]))
    }

    /// The version that `by` replaced.
    fn of(&self, by: Xid) -> &UnsafeCell<bool> {
        &self.0[by.get() as usize - 3]
    }

    /// What a reader does who does not see the replacement.
    fn read(&self, snapshot: &PinnedSnapshot<Published, Off>, by: Xid) {
        if snapshot.is_running(by) {
            // SAFETY: nobody removes it: that is what the model checks.
            let there = self.of(by).with(|version| unsafe { *version });
            assert!(there, "{by} runs in the snapshot, and what it replaced was removed");
        }
    }

    fn remove(&self, by: Xid) {
        // SAFETY: nobody reads it: that is what the model checks.
        self.of(by).with_mut(|version| unsafe { *version = false });
    }
}

const THREE: Xid = Xid::new(3);
const FOUR: Xid = Xid::new(4);

fn reads(mut session: Session<Published, Off>, old: &Old, statements: usize) {
    let mut transaction = session.begin();
    for _ in 0..statements {
        let snapshot = transaction.new_snapshot();
        [THREE, FOUR].into_iter().for_each(|by| old.read(snapshot, by));
    }
}

/// Removes by the horizon once, where there is anything to remove.
fn collects(manager: &Manager, old: &Old) -> Xid {
    let horizon = manager.horizon();
    [THREE, FOUR].into_iter().filter(|&by| by < horizon).for_each(|by| old.remove(by));
    horizon
}

/// The race: choosing a snapshot and registering it, against a collector that looks for readers.
#[test]
fn the_collector_never_overtakes_a_reader() {
    let runs = every(|| {
        let (manager, old) = (manager(Off, ManagerOptions::new()), Old::new());
        let session = manager.session().expect("a place");
        let reader = {
            let old = Arc::clone(&old);
            thread::spawn(move || reads(session, &old, 1))
        };
        commit(&manager, 3);
        assert!(collects(&manager, &old) <= FOUR);
        reader.join().expect("no panic");
        assert_eq!(manager.horizon(), FOUR, "he has let go");
    });
    assert!(runs > 20, "the threads hardly meet: {runs} interleavings");
}

/// With the commits in a thread of their own, and a reader who takes again without a fence.
#[test]
fn nor_one_who_takes_again() {
    every(|| {
        let (manager, old) = (manager(Off, ManagerOptions::new()), Old::new());
        let session = manager.session().expect("a place");
        let reader = {
            let old = Arc::clone(&old);
            thread::spawn(move || reads(session, &old, 2))
        };
        let committer = {
            let manager = manager.clone();
            thread::spawn(move || [3, 4].into_iter().for_each(|id| commit(&manager, id)))
        };
        collects(&manager, &old);
        reader.join().expect("no panic");
        committer.join().expect("no panic");
    });
}

/// Two collectors, and a reader who may be slow to raise a bound of long ago: the horizon never goes back.
#[test]
fn the_horizon_never_goes_back() {
    every(|| {
        let (manager, old) = (manager(Off, ManagerOptions::new()), Old::new());
        let session = manager.session().expect("a place");
        let reader = {
            let old = Arc::clone(&old);
            thread::spawn(move || reads(session, &old, 1))
        };
        let collector = {
            let manager = manager.clone();
            thread::spawn(move || {
                commit(&manager, 3);
                let first = manager.horizon();
                let second = manager.horizon();
                assert!(first <= second && second <= manager.last_horizon(), "{first} {second}");
            })
        };
        let seen = manager.last_horizon();
        assert!(seen <= manager.last_horizon());
        reader.join().expect("no panic");
        collector.join().expect("no panic");
    });
}

/// A snapshot goes from session to session; its first one is gone before the last one lets go.
#[test]
fn a_shared_snapshot_is_never_without_a_pin() {
    every(|| {
        let (manager, old) = (manager(Off, ManagerOptions::new()), Old::new());
        let mut session = manager.session().expect("a place");
        let shared = session.begin().share();
        drop(session);
        let reader = {
            let (old, shared) = (Arc::clone(&old), shared.clone());
            thread::spawn(move || old.read(&shared, THREE))
        };
        commit(&manager, 3);
        old.read(&shared, THREE);
        drop(shared);
        collects(&manager, &old);
        reader.join().expect("no panic");
        assert_eq!(manager.horizon(), FOUR, "the last one has let go");
    });
}

/// A session that comes while the collector looks: its pin is new.
#[test]
fn a_new_session_is_not_overlooked() {
    every(|| {
        let (manager, old) = (manager(Off, ManagerOptions::new()), Old::new());
        let reader = {
            let (old, manager) = (Arc::clone(&old), manager.clone());
            thread::spawn(move || {
                let session = manager.session().expect("a place");
                reads(session, &old, 1);
            })
        };
        commit(&manager, 3);
        collects(&manager, &old);
        reader.join().expect("no panic");
    });
}
