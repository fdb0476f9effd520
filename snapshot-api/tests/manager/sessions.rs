//! Sessions: how many there can be, what they cost, who they are.

use snapshot_api::{CapacityExceeded, ManagerOptions, SessionId, Snapshot};

use crate::{manager, running, with};

#[test]
fn all_in_use_is_an_error_that_says_the_limit() {
    let manager = with(ManagerOptions::new().sessions(2));
    let first = manager.session().expect("one of two");
    let _second = manager.session().expect("two of two");
    let full = CapacityExceeded { what: "sessions", limit: 2 };
    assert_eq!(manager.session().expect_err("all in use"), full);
    drop(first);
    assert_eq!(manager.session().expect("one went").id(), SessionId::new(0), "its number is free");
}

#[test]
fn a_transaction_costs_nothing_until_it_asks() {
    let manager = manager();
    let mut session = manager.session().expect("one");
    assert_eq!(session.begin().commit(), None);
    session.begin().abort();
    assert_eq!(manager.next_id().get(), 3, "no id was used up");
    assert_eq!(running(&manager), (vec![], 3));
}

#[test]
fn ids_are_assigned_once_and_end() {
    let manager = manager();
    let mut session = manager.session().expect("one");
    let mut transaction = session.begin();
    assert_eq!(transaction.top_id(), None);
    let id = transaction.id().expect("the first");
    assert_eq!(transaction.id(), Ok(id));
    assert_eq!((transaction.top_id(), transaction.ids()), (Some(id), &[id][..]));
    assert_eq!(transaction.commit(), Some(id));
    assert_eq!(running(&manager), (vec![], 4));
}

#[test]
fn own_rows_are_seen_others_are_not() {
    let manager = manager();
    let (mut one, mut other) = (manager.session().expect("one"), manager.session().expect("two"));
    let (mut one, mut other) = (one.begin(), other.begin());
    let (mine, theirs) = (one.id().expect("an id"), other.id().expect("an id"));
    assert!(one.sees(mine) && !one.sees(theirs));
    let view = other.view();
    assert!(view.sees(theirs) && !view.sees(mine));
    assert_eq!((view.check(), view.snapshot().xmax()), (Ok(()), mine));
    assert!(!manager.has_ended(mine));
    one.commit();
    assert!(manager.has_ended(mine) && !manager.has_ended(theirs));
}

#[test]
fn sessions_move_between_threads() {
    fn sendable<T: Send + Sync>() {}
    sendable::<crate::Manager>();
    sendable::<snapshot_api::Session<snapshot_api::dev::models::LockedSet, snapshot_api::Off>>();
    sendable::<snapshot_api::Session<snapshot_api::dev::models::NumberLog, snapshot_api::Off>>();
    sendable::<snapshot_api::SharedSnapshot<snapshot_api::dev::models::NumberLog, snapshot_api::Off>>(
    );
    sendable::<
        snapshot_api::Transaction<'_, snapshot_api::dev::models::NumberLog, snapshot_api::Off>,
    >();
}
