//! Two who write one key: one of them goes on, at once, and the other is told.

use snapshot_kv::Error;

use crate::{all, connect, db, put};

#[test]
fn first_committer_wins() {
    let db = db();
    put(&db, &[(1, 10)]);
    let (mut one, mut other) = (connect(&db), connect(&db));
    let mut late = other.begin();
    assert_eq!(late.get(&1), Ok(Some(10)));
    let mut first = one.begin();
    first.put(&1, 11).expect("nobody is beside it");
    let with = first.commit().expect("it has written");
    assert_eq!(late.put(&1, 12), Err(Error::Conflict { key: 1, with }));
    late.put(&2, 20).expect("it is still open");
    late.commit();
    assert_eq!(all(&db), [(1, 11), (2, 20)]);
}

#[test]
fn first_updater_wins_and_nobody_waits() {
    let db = db();
    let (mut one, mut other) = (connect(&db), connect(&db));
    let (mut first, mut second) = (one.begin(), other.begin());
    first.put(&1, 10).expect("the first");
    second.put(&2, 20).expect("the first");
    let conflict = second.put(&1, 21).expect_err("it runs");
    assert!(matches!(conflict, Error::Conflict { key: 1, .. }) && conflict.is_transient());
    // With locks each would wait for the other.
    first.put(&2, 11).expect_err("it runs as well");
    first.abort();
    second.put(&1, 21).expect("the other one came to nothing");
    second.commit();
    assert_eq!(all(&db), [(1, 21), (2, 20)]);
}

#[test]
fn a_delete_is_a_write() {
    let db = db();
    put(&db, &[(1, 10)]);
    let (mut one, mut other) = (connect(&db), connect(&db));
    let mut late = other.begin();
    assert_eq!(late.get(&1), Ok(Some(10)));
    one.run(1, |tx| tx.delete(&1)).expect("nobody is beside it");
    // Also where it has been collected: the late one's snapshot holds it.
    db.collect();
    assert!(matches!(late.put(&1, 11), Err(Error::Conflict { .. })));
    assert_eq!(late.get(&1), Ok(Some(10)));
    drop(late);
    assert_eq!(all(&db), []);
}

#[test]
fn read_for_update_claims_also_what_is_not_there() {
    let db = db();
    let (mut one, mut other) = (connect(&db), connect(&db));
    let (mut first, mut second) = (one.begin(), other.begin());
    assert_eq!(first.get_for_update(&1), Ok(None));
    assert_eq!(second.get(&1), Ok(None));
    assert!(matches!(second.put(&1, 10), Err(Error::Conflict { .. })));
    first.commit();
    drop(second);
    assert_eq!(all(&db), []);
    db.collect();
    assert_eq!(db.census().versions, 0, "the tombstone is gone");
}

#[test]
fn tried_again_it_goes_through() {
    let db = db();
    put(&db, &[(1, 0)]);
    let (mut one, mut other) = (connect(&db), connect(&db));
    let mut beside = 3;
    let ran = one.run(10, |tx| {
        let value = tx.get(&1)?.unwrap_or(0);
        if beside > 0 {
            beside -= 1;
            other.run(1, |tx| tx.put(&1, value + 100))?;
        }
        tx.put(&1, value + 1)
    });
    assert_eq!(ran.expect("at the fourth attempt").retries, 3);
    assert_eq!(all(&db), [(1, 301)]);
    let mut open = other.begin();
    open.put(&1, 0).expect("nobody is beside it");
    let never = one.run(5, |tx| tx.put(&1, 1)).expect_err("it runs all the time");
    assert_eq!(
        never.to_string(),
        format!(
            "conflict: key 1 was written by transaction {} beside this one",
            open.commit().expect("it has written")
        )
    );
}
