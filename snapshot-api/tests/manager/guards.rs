//! Guards: what is open ends exactly once, however its owner goes.

use std::{
    future::{Future, pending},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

use snapshot_api::{
    Ending, Held, ManagerOptions, Off, Outcome, Session, Snapshot, SnapshotStrategy,
    dev::models::LockedSet,
};

use crate::{manager, running, telling, with};

#[test]
fn the_engine_comes_before_anybody_sees_it() {
    static MANAGER: OnceLock<crate::Manager> = OnceLock::new();
    let manager = MANAGER.get_or_init(|| {
        with(ManagerOptions::new().before_end(|Ending { ids, .. }| {
            let strategy = MANAGER.get().expect("it is there").strategy();
            let mut snapshot = strategy.snapshot();
            strategy.take(&mut snapshot);
            assert!(ids.iter().all(|&id| snapshot.is_running(id)), "{ids:?} ended before");
        }))
    });
    let mut session = manager.session().expect("one");
    let mut commits = session.begin();
    commits.id().expect("an id");
    let savepoint = commits.savepoint();
    commits.id().expect("an id");
    commits.rollback_to(&savepoint).expect("it is there");
    commits.commit();
    let mut aborts = session.begin();
    aborts.id().expect("an id");
    aborts.abort();
    session.begin().prepare("it").expect("a place");
    manager.commit_prepared("it").expect("it is there");
    assert_eq!(running(manager), (vec![], 7));
}

#[test]
fn the_engine_is_told_whose_ids_end() {
    let (options, told) = telling(ManagerOptions::new());
    let endings = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&endings);
    let manager = with(options.before_end(move |ending| {
        let found = (ending.session, ending.top.get(), ending.ids.len(), ending.is_rollback());
        to.lock().expect("no panic").push(found);
    }));
    let mut session = manager.session().expect("one");
    let number = session.id();
    let mut transaction = session.begin();
    let savepoint = transaction.savepoint();
    transaction.id().expect("an id");
    transaction.rollback_to(&savepoint).expect("it is there");
    transaction.id().expect("an id");
    transaction.prepare("it").expect("a place");
    manager.commit_prepared("it").expect("it is there");
    let expected = [(number, 3, 1, true), (number, 3, 2, false)];
    assert_eq!(*endings.lock().expect("no panic"), expected);
    assert_eq!(told.lock().expect("no panic").len(), 2, "each of two steps is called");
}

#[test]
fn dropped_it_is_aborted() {
    let (options, told) = telling(ManagerOptions::new());
    let manager = with(options);
    let mut session = manager.session().expect("one");
    let mut transaction = session.begin();
    transaction.id().expect("an id");
    transaction.snapshot();
    drop(transaction);
    assert_eq!(*told.lock().expect("no panic"), [(Outcome::Aborted, vec![3])]);
    assert_eq!((running(&manager), manager.horizon().get()), ((vec![], 4), 4));
    session.begin().commit();
    assert_eq!(told.lock().expect("no panic").len(), 1, "what has no id is told to nobody");
}

#[test]
fn a_panic_aborts_it() {
    let (options, told) = telling(ManagerOptions::new());
    let manager = with(options);
    let mut session = manager.session().expect("one");
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let mut transaction = session.begin();
        transaction.id().expect("an id");
        transaction.snapshot();
        panic!("the engine's");
    }));
    panicked.expect_err("the engine's");
    assert_eq!(*told.lock().expect("no panic"), [(Outcome::Aborted, vec![3])]);
    assert_eq!((running(&manager), manager.horizon().get()), ((vec![], 4), 4));
    assert_eq!(session.begin().id().expect("the session goes on").get(), 4);
}

/// A statement that waits for the network with a transaction open.
async fn wait_for_ever(session: &mut Session<LockedSet, Off>) {
    let mut transaction = session.begin();
    transaction.id().expect("an id");
    transaction.snapshot();
    pending::<()>().await;
    transaction.commit();
}

/// turso 6755: a future that was dropped half way left its lock behind.
#[test]
fn a_future_that_is_cancelled_aborts_it() {
    fn sendable<T: Send>(future: T) -> T {
        future
    }
    let (options, told) = telling(ManagerOptions::new());
    let manager = with(options);
    let mut session = manager.session().expect("one");
    {
        let mut future = pin!(sendable(wait_for_ever(&mut session)));
        let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(polled, Poll::Pending);
        assert_eq!(manager.horizon_holders().len(), 2, "its snapshot and its id");
    }
    assert_eq!(manager.horizon_holders(), []);
    assert_eq!(*told.lock().expect("no panic"), [(Outcome::Aborted, vec![3])]);
}

#[test]
fn forgotten_it_is_aborted_by_the_next_one() {
    let manager = manager();
    let mut session = manager.session().expect("one");
    let mut transaction = session.begin();
    transaction.id().expect("an id");
    transaction.snapshot();
    mem::forget(transaction);
    assert_eq!(manager.horizon_holders().len(), 2);
    session.begin().commit();
    assert_eq!((running(&manager), manager.horizon_holders().len()), ((vec![], 4), 0));

    mem::forget(session.begin().share());
    let mut transaction = session.begin();
    transaction.id().expect("an id");
    mem::forget(transaction);
    drop(session);
    assert_eq!(running(&manager), (vec![], 5), "the session's end does it as well");
    assert_eq!(manager.horizon_holders().len(), 1, "a shared snapshot that is forgotten stays");
}

#[test]
fn a_commit_whose_record_fails_is_aborted() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&told);
    let manager = with(ManagerOptions::new().before_end(move |&Ending { outcome, .. }| {
        to.lock().expect("no panic in here").push(outcome);
        assert!(outcome == Outcome::Aborted, "the disk is full");
    }));
    let mut session = manager.session().expect("one");
    let mut transaction = session.begin();
    transaction.id().expect("an id");
    catch_unwind(AssertUnwindSafe(|| transaction.commit())).expect_err("the disk is full");
    assert_eq!(*told.lock().expect("no panic"), [Outcome::Committed, Outcome::Aborted]);
    assert_eq!(running(&manager), (vec![], 4));
}

#[test]
fn an_abort_that_cannot_be_told_leaves_it_running() {
    let broken = Arc::new(AtomicBool::new(true));
    let is_broken = Arc::clone(&broken);
    let manager = with(ManagerOptions::new().before_end(move |_| {
        assert!(!is_broken.load(Ordering::Relaxed), "the status table is gone");
    }));
    let mut session = manager.session().expect("one");
    let before = session.id();
    let mut transaction = session.begin();
    transaction.id().expect("an id");
    let savepoint = transaction.savepoint();
    transaction.id().expect("an id");
    catch_unwind(AssertUnwindSafe(|| transaction.rollback_to(&savepoint)))
        .expect_err("the status table is gone");
    assert_eq!(transaction.ids().len(), 2, "nothing has happened");
    // Also beside another panic: no second one goes on, which would end the process.
    catch_unwind(AssertUnwindSafe(move || {
        let _open = transaction;
        panic!("another one");
    }))
    .expect_err("another one");
    assert_eq!(running(&manager).0, [] as [u64; 0], "nothing has completed yet");
    assert_ne!(session.id(), before, "its number stays with what runs");

    let mut later = session.begin();
    later.id().expect("the session goes on");
    broken.store(false, Ordering::Relaxed);
    later.commit();
    assert_eq!(running(&manager).0, [3, 4], "nobody sees what was not settled");
    let stranded = &manager.prepared()[0];
    assert!(stranded.stranded);
    assert_eq!(manager.horizon_holders()[0].held, Held::Prepared(stranded.name.clone()));
    manager.abort_prepared(&stranded.name).expect("the table is back");
    assert_eq!((running(&manager).0, manager.prepared()), (vec![], vec![]));
}
