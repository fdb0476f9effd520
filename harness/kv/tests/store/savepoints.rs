//! Savepoints: what is rolled back is gone, for everybody and for oneself.

use snapshot_kv::Error;

use crate::{all, connect, db, put};

#[test]
fn rolled_back_and_written_again() {
    let db = db();
    put(&db, &[(1, 10), (2, 20)]);
    let mut connection = connect(&db);
    let mut tx = connection.begin();
    tx.put(&1, 11).expect("alone");
    let outer = tx.savepoint();
    tx.put(&1, 12).expect("alone");
    tx.delete(&2).expect("alone");
    let inner = tx.savepoint();
    tx.put(&3, 30).expect("alone");
    assert_eq!(tx.scan(..).expect("no limit"), [(1, 12), (3, 30)]);
    tx.release(inner).expect("it is there");
    tx.rollback_to(&outer).expect("it is there");
    assert_eq!(tx.scan(..).expect("no limit"), [(1, 11), (2, 20)], "the inner one went with it");
    tx.put(&1, 13).expect("alone");
    tx.release(outer).expect("it is there");
    tx.put(&1, 14).expect("by the parent, above its child's");
    tx.commit();
    assert_eq!(all(&db), [(1, 14), (2, 20)]);
    db.collect();
    assert_eq!(db.census().versions, 2);
}

#[test]
fn others_may_write_what_was_rolled_back() {
    let db = db();
    let (mut one, mut other) = (connect(&db), connect(&db));
    let mut tx = one.begin();
    let savepoint = tx.savepoint();
    tx.put(&1, 10).expect("nobody is beside it");
    tx.rollback_to(&savepoint).expect("it is there");
    other.run(1, |tx| tx.put(&1, 20)).expect("the way is free");
    assert!(matches!(tx.put(&1, 11), Err(Error::Conflict { .. })), "it has committed since");
    tx.rollback_to(&savepoint).expect("it is still there");
    tx.commit();
    assert_eq!(all(&db), [(1, 20)]);
}

#[test]
fn a_conflict_may_be_rolled_back() {
    let db = db();
    let (mut one, mut other) = (connect(&db), connect(&db));
    let (mut open, mut tx) = (one.begin(), other.begin());
    open.put(&1, 10).expect("the first");
    tx.put(&2, 20).expect("the first");
    let savepoint = tx.savepoint();
    tx.put(&3, 30).expect("the first");
    tx.put(&1, 11).expect_err("it runs");
    tx.rollback_to(&savepoint).expect("it is there");
    tx.commit();
    open.commit();
    assert_eq!(all(&db), [(1, 10), (2, 20)]);
}

#[test]
fn of_another_transaction_is_an_error() {
    let db = db();
    let (mut one, mut other) = (connect(&db), connect(&db));
    let (mut one, mut other) = (one.begin(), other.begin());
    let savepoint = one.savepoint();
    assert!(matches!(other.rollback_to(&savepoint), Err(Error::Savepoint(_))));
    assert!(matches!(other.release(savepoint), Err(Error::Savepoint(_))));
}
