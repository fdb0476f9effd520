//! A commit blocks no reader: it stops for ever at each of its steps in turn, and a reader goes in and out beside it.
//!
//! Over a strategy that blocks nobody, so that what is tested is the manager; law 10 tests the strategies.

use std::thread;

use crate::{
    ManagerOptions, Off, TransactionManager, Xid,
    dev::{
        laws::puppet::{Puppet, State, Stop},
        models::Published,
    },
};

/// Stops `operation` of a session of its own at its step with this number. Whether it got there, with a reader beside it that
/// was not held up.
fn reads_beside(
    step: usize,
    operation: fn(&TransactionManager<Published, Off>, &mut crate::Session<Published, Off>),
) -> bool {
    let last = Published::default();
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
fn blocks_no_reader(
    operation: fn(&TransactionManager<Published, Off>, &mut crate::Session<Published, Off>),
) {
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
