//! Prepared transactions: they outlive their session and end once, by name.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use snapshot_api::{
    CapacityExceeded, Held, ManagerOptions, NotPrepared, Off, Outcome, PrepareError,
    TransactionManager, Xid, dev::models::LockedSet,
};

use crate::{manager, running, telling, with};

#[test]
fn it_outlives_its_session() {
    let (options, told) = telling(ManagerOptions::new());
    let manager = with(options);
    let mut session = manager.session().expect("one");
    session.set_label("payments");
    let mut transaction = session.begin();
    transaction.snapshot();
    let _savepoint = transaction.savepoint();
    transaction.id().expect("an id");
    assert_eq!(transaction.prepare("order 7").expect("a place"), Xid::new(3));
    session.begin().id().expect("the session goes on, under another number");
    drop(session);
    let mut other = manager.session().expect("one");
    let mut later = other.begin();
    later.id().expect("an id");
    later.commit();
    assert_eq!(running(&manager).0, [3, 4], "with its subtransaction");
    let holders = manager.horizon_holders();
    assert_eq!(holders.len(), 1, "its snapshot was let go");
    assert_eq!(holders[0].held, Held::Prepared("order 7".into()));
    assert_eq!(holders[0].label.as_deref(), Some("payments"));
    assert_eq!(manager.prepared()[0].ids, [3, 4].map(Xid::new));

    manager.commit_prepared("order 7").expect("it is there");
    assert_eq!((running(&manager).0, manager.prepared()), (vec![], vec![]));
    assert_eq!(told.lock().expect("no panic").last(), Some(&(Outcome::Committed, vec![3, 4])));
    let gone = NotPrepared { name: "order 7".into() };
    assert_eq!(manager.commit_prepared("order 7"), Err(gone.clone()));
    assert_eq!(manager.abort_prepared("order 7"), Err(gone));
}

#[test]
fn refused_it_stays_open() {
    let manager = with(ManagerOptions::new().prepared(1));
    let (mut one, mut two) = (manager.session().expect("one"), manager.session().expect("two"));
    one.begin().prepare("a").expect("a place");
    let mut open = two.begin();
    let savepoint = open.savepoint();
    let (open, why) = open.prepare("a").expect_err("the name is taken");
    assert_eq!(why, PrepareError::NameInUse("a".into()));
    let (mut open, why) = open.prepare("b").expect_err("there is one place");
    let full = CapacityExceeded { what: "prepared transactions", limit: 1 };
    assert_eq!(why, PrepareError::Full(full));
    open.release(savepoint).expect("it is still open, with its savepoint");
    manager.abort_prepared("a").expect("it is there");
    open.prepare("b").expect("a place now");
}

#[test]
fn it_survives_a_restart() {
    let ids = [5, 6].map(Xid::new);
    let manager = TransactionManager::<LockedSet, Off>::restore(
        &(),
        Xid::new(8),
        &ids,
        Off,
        ManagerOptions::new(),
    )
    .expect("a state");
    manager.adopt_prepared("order 7", &ids).expect("a place");
    assert_eq!(
        manager.adopt_prepared("order 7", &ids),
        Err(PrepareError::NameInUse("order 7".into()))
    );
    assert_eq!(manager.horizon_holders()[0].xmin, Xid::new(5));
    manager.abort_prepared("order 7").expect("it is there");
    assert_eq!(running(&manager), (vec![], 9));
}

#[test]
fn one_of_two_who_settle_it_does() {
    const ROUNDS: usize = 200;
    let (options, told) = telling(ManagerOptions::new());
    let manager = with(options);
    let mut session = manager.session().expect("one");
    for _ in 0..ROUNDS {
        session.begin().prepare("it").expect("a place");
        let settle =
            |how: fn(&crate::Manager, &str) -> Result<(), NotPrepared>| how(&manager, "it");
        let settled = thread::scope(|scope| {
            let one = scope.spawn(|| settle(TransactionManager::commit_prepared));
            let two = scope.spawn(|| settle(TransactionManager::abort_prepared));
            [one, two].map(|thread| thread.join().expect("no panic").is_ok())
        });
        assert!(settled[0] != settled[1], "once: {settled:?}");
    }
    assert_eq!(told.lock().expect("no panic").len(), ROUNDS);
}

#[test]
fn one_that_cannot_be_settled_stays() {
    static BROKEN: AtomicBool = AtomicBool::new(true);
    let manager = with(ManagerOptions::new().before_end(|_| {
        assert!(!BROKEN.load(Ordering::Relaxed), "the disk is full");
    }));
    manager.session().expect("one").begin().prepare("it").expect("a place");
    catch_unwind(AssertUnwindSafe(|| manager.commit_prepared("it"))).expect_err("the disk is full");
    assert_eq!(manager.prepared().len(), 1);
    BROKEN.store(false, Ordering::Relaxed);
    manager.commit_prepared("it").expect("it is still there");
    assert_eq!(running(&manager), (vec![], 4));
}

#[test]
fn numbers_are_used_again() {
    let manager = manager();
    let mut session = manager.session().expect("one");
    for _ in 0..1_000 {
        session.begin().prepare("it").expect("a place");
        manager.commit_prepared("it").expect("it is there");
        assert!(session.id().index() < 2, "{:?}", session.id());
    }
}
