//! Write skew: permitted, and how to forbid it.

use snapshot_kv::Error;

use crate::{all, connect, db, put};

#[test]
fn two_doctors_leave() {
    let db = db();
    put(&db, &[(1, 1), (2, 1)]);
    let (mut ada, mut bo) = (connect(&db), connect(&db));
    let (mut one, mut other) = (ada.begin(), bo.begin());
    for tx in [&mut one, &mut other] {
        assert_eq!(tx.scan(..).expect("no limit"), [(1, 1), (2, 1)]);
    }
    one.put(&1, 0).expect("its own row");
    other.put(&2, 0).expect("its own row");
    one.commit();
    other.commit();
    assert_eq!(all(&db), [(1, 0), (2, 0)]);
}

#[test]
fn read_for_update_one_stays() {
    let db = db();
    put(&db, &[(1, 1), (2, 1)]);
    let (mut ada, mut bo) = (connect(&db), connect(&db));
    let (mut one, mut other) = (ada.begin(), bo.begin());
    assert_eq!((one.get_for_update(&1), one.get_for_update(&2)), (Ok(Some(1)), Ok(Some(1))));
    assert!(matches!(other.get_for_update(&1), Err(Error::Conflict { key: 1, .. })));
    one.put(&1, 0).expect("its own row");
    one.commit();
    drop(other);
    let mut again = bo.begin();
    assert_eq!(again.get_for_update(&1), Ok(Some(0)), "now it knows");
}
