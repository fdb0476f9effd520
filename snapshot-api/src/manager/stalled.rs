//! A commit blocks no reader: it stops for ever at each of its steps in turn, and a reader goes in and out beside it.
//!
//! Over a strategy that blocks nobody, so that what is tested is the manager; law 10 tests the strategies.

use std::thread;

use crate::{
    BeginError, Costs, Facts, ManagerOptions, Memory, Off, Progress, SessionId, Snapshot,
    SnapshotStrategy, TransactionManager, Xid,
    dev::laws::puppet::{Puppet, State, Stop},
    sync::{AtomicU64, Ordering},
};

/// One writer; a snapshot is the last id that ended.
struct Last(AtomicU64);

struct Seen(Xid);

impl SnapshotStrategy for Last {
    type Snapshot = Seen;

    fn facts(&self) -> Facts {
        Facts {
            name: "last".into(),
            source: "a test",
            costs: Costs { take: "O(1)", begin: "O(1)", end: "O(1)", is_running: "O(1)" },
            readers: Progress::WaitFree,
            writers: Progress::WaitFree,
            unordered_begin: true,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> Seen {
        Seen(Xid::FROZEN)
    }

    fn begin(&self, _session: SessionId, _xid: Xid) -> Result<(), BeginError> {
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        for xid in tree {
            // Release: pairs with the Acquire load in `take`.
            self.0.store(xid.get(), Ordering::Release);
        }
    }

    fn take(&self, snapshot: &mut Seen) {
        // Acquire: pairs with the Release store in `end`.
        snapshot.0 = Xid::new(self.0.load(Ordering::Acquire));
    }
}

impl Snapshot for Seen {
    fn xmin(&self) -> Xid {
        self.0.next()
    }

    fn xmax(&self) -> Xid {
        self.0.next()
    }

    fn is_running(&self, xid: Xid) -> bool {
        xid > self.0
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        std::iter::empty()
    }
}

/// Stops `operation` of a session of its own at its step with this number. Whether it got there, with a reader beside it that
/// was not held up.
fn reads_beside(
    step: usize,
    operation: fn(&TransactionManager<Last, Off>, &mut crate::Session<Last, Off>),
) -> bool {
    let last = Last(AtomicU64::new(Xid::FROZEN.get()));
    let manager = &TransactionManager::new(last, Off, ManagerOptions::new());
    let [mut writer, mut reader] = [(); 2].map(|()| manager.session().expect("a place"));
    thread::scope(|scope| {
        let stalled = Puppet::start(scope, Stop::At(step), || operation(manager, &mut writer));
        let stopped = stalled.state() == State::Stalled;
        let reads = Puppet::start(scope, Stop::Never, || {
            let mut transaction = reader.begin();
            transaction.sees(Xid::FIRST_NORMAL);
            transaction.new_snapshot().check().expect("no limit");
        });
        assert!(
            reads.state() == State::Done && !reads.was_blocked(),
            "step {step} blocks a reader"
        );
        reads.finish();
        stalled.finish();
        stopped
    })
}

/// Goes through all steps; there are some.
fn blocks_no_reader(operation: fn(&TransactionManager<Last, Off>, &mut crate::Session<Last, Off>)) {
    let steps = (0..1_000).take_while(|&step| reads_beside(step, operation)).count();
    assert!((1..1_000).contains(&steps), "{steps} steps");
}

#[test]
fn a_commit_blocks_no_reader() {
    blocks_no_reader(|_, session| {
        let mut transaction = session.begin();
        transaction.snapshot();
        transaction.id().expect("no limit");
        transaction.commit();
    });
}

#[test]
fn a_collector_blocks_no_reader() {
    blocks_no_reader(|manager, _| {
        manager.horizon();
    });
}

#[test]
fn a_tick_blocks_no_reader() {
    blocks_no_reader(|manager, _| manager.tick());
}
