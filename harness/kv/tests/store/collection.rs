//! What is collected, and what stays.

use crate::{all, connect, db, put};

#[test]
fn what_a_snapshot_needs_stays() {
    let db = db();
    put(&db, &[(1, 10)]);
    let mut connections: Vec<_> = (0..3).map(|_| connect(&db)).collect();
    let mut readers: Vec<_> = Vec::new();
    for (value, connection) in (11..).zip(&mut connections) {
        let mut reader = connection.begin();
        assert_eq!(reader.get(&1), Ok(Some(value - 1)));
        readers.push(reader);
        put(&db, &[(1, value)]);
    }
    assert_eq!(db.collect().versions, 0);
    for (value, mut reader) in (10..).zip(readers) {
        assert_eq!(reader.get(&1), Ok(Some(value)), "the newest one that it sees");
        drop(reader);
        assert_eq!(db.collect().versions, 1);
    }
    let census = db.census();
    assert_eq!((census.keys, census.versions, census.retired), (1, 1, 0));
}

#[test]
fn tombstones_and_their_keys_go_in_the_end() {
    let db = db();
    let rows: Vec<_> = (0..1_000).map(|key| (key, key)).collect();
    put(&db, &rows);
    let (mut one, mut other) = (connect(&db), connect(&db));
    let mut reader = other.begin();
    assert_eq!(reader.get(&7), Ok(Some(7)));
    one.run(1, |tx| (0..1_000).try_for_each(|key| tx.delete(&key).map(drop))).expect("alone");
    db.collect();
    assert_eq!((db.census().versions, reader.scan(..).expect("no limit").len()), (2_000, 1_000));
    drop(reader);
    let collected = db.collect();
    assert_eq!((collected.versions, collected.keys), (2_000, 1_000));
    let census = db.census();
    assert_eq!((census.keys, census.versions, census.open, census.retired), (0, 0, 0, 0));
}

#[test]
fn under_a_tombstone_that_is_gone_a_new_version_stands() {
    let db = db();
    put(&db, &[(1, 10)]);
    let mut connection = connect(&db);
    connection.run(1, |tx| tx.delete(&1)).expect("alone");
    let mut tx = connection.begin();
    tx.put(&1, 11).expect("alone");
    assert_eq!(db.collect().versions, 2, "also under a version that runs");
    assert_eq!(tx.get(&1), Ok(Some(11)));
    tx.abort();
    assert_eq!((all(&db), db.census().keys), (vec![], 0));
}

/// Nothing grows while transactions come and go, with a collection now and then.
#[test]
fn memory_is_bounded() {
    let db = db();
    let mut connection = connect(&db);
    for round in 0..2_000 {
        let mut tx = connection.begin();
        tx.put(&(round % 10), round).expect("alone");
        let savepoint = tx.savepoint();
        tx.put(&(round % 7), round).expect("alone");
        if round % 3 == 0 {
            tx.rollback_to(&savepoint).expect("it is there");
        }
        if round % 5 == 0 {
            tx.abort();
        } else {
            tx.commit();
        }
        if round % 100 == 99 {
            db.collect();
            let census = db.census();
            assert_eq!((census.versions, census.open, census.retired), (10, 0, 0), "{round}");
        }
    }
}
