//! What a transaction reads.

use std::ops::Bound::{Excluded, Included, Unbounded};

use crate::{all, connect, db, put};

#[test]
fn its_own_writes_and_its_snapshot() {
    let db = db();
    put(&db, &[(1, 10), (2, 20), (3, 30)]);
    let (mut one, mut other) = (connect(&db), connect(&db));
    let (mut tx, mut beside) = (one.begin(), other.begin());
    assert_eq!(tx.get(&1), Ok(Some(10)));
    beside.put(&1, 11).expect("nobody is beside it");
    beside.put(&4, 40).expect("nobody is beside it");
    beside.commit();
    tx.put(&2, 21).expect("nobody is beside it");
    assert_eq!((tx.delete(&3), tx.delete(&4)), (Ok(true), Ok(false)));
    tx.put(&5, 50).expect("nobody is beside it");
    assert_eq!(tx.get(&2), Ok(Some(21)));
    assert_eq!((tx.get(&3), tx.get(&4)), (Ok(None), Ok(None)));
    assert_eq!(tx.scan(..).expect("no limit"), [(1, 10), (2, 21), (5, 50)]);
    tx.refresh();
    assert_eq!(tx.scan(..).expect("no limit"), [(1, 11), (2, 21), (4, 40), (5, 50)]);
    tx.abort();
    assert_eq!(all(&db), [(1, 11), (2, 20), (3, 30), (4, 40)]);
}

#[test]
fn by_a_snapshot_that_is_shared() {
    let (db, foreign) = (db(), crate::db());
    put(&db, &[(1, 10)]);
    let (mut one, mut other) = (connect(&db), connect(&db));
    let mut tx = one.begin();
    let shared = tx.share();
    tx.put(&2, 20).expect("nobody is beside it");
    tx.commit();
    put(&db, &[(1, 11)]);
    db.collect();
    let mut worker = other.begin_with(&shared).expect("the same store");
    drop(shared);
    db.collect();
    assert_eq!(worker.scan(..).expect("no limit"), [(1, 10)], "neither 11 nor what is beside it");
    let of_another = connect(&foreign).begin().share();
    drop(worker);
    assert!(other.begin_with(&of_another).is_err());
    db.collect();
    assert_eq!(db.census().versions, 2, "nobody holds it any more");
}

#[test]
fn ranges() {
    let db = db();
    // Several pages in each shard.
    let rows: Vec<_> = (0..20_000).map(|key| (key, key + 1)).collect();
    put(&db, &rows);
    let mut connection = connect(&db);
    let mut tx = connection.begin();
    assert_eq!(tx.scan(..).expect("no limit"), rows);
    assert_eq!(tx.scan(17..6_000).expect("no limit"), rows[17..6_000]);
    assert_eq!(tx.scan(17..=6_000).expect("no limit"), rows[17..=6_000]);
    assert_eq!(tx.scan(19_000..).expect("no limit"), rows[19_000..]);
    let after = (Excluded(17), Included(19));
    assert_eq!(tx.scan(after).expect("no limit"), rows[18..20]);
    let one = (Included(17), Included(17));
    assert_eq!(tx.scan(one).expect("no limit"), rows[17..18]);
}

/// Some of these are no ranges to a map of the standard library, which panics.
#[test]
fn ranges_in_which_nothing_lies() {
    let db = db();
    put(&db, &[(5, 50)]);
    let mut connection = connect(&db);
    let mut tx = connection.begin();
    for range in [
        (Included(9), Included(1)),
        (Included(5), Excluded(5)),
        (Excluded(5), Excluded(5)),
        (Excluded(5), Included(5)),
        (Excluded(5), Included(4)),
        (Included(6), Unbounded),
        (Unbounded, Excluded(0)),
    ] {
        assert_eq!(tx.scan(range), Ok(vec![]), "{range:?}");
    }
}
