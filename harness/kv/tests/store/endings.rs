//! However a transaction ends, what it wrote is there as a whole, or not at all, and nothing is left of the book-keeping.

use std::{
    cell::Cell,
    cmp::Ordering,
    panic::{AssertUnwindSafe, catch_unwind},
};

use snapshot_api::{ManagerOptions, Off};
use snapshot_kv::{Error, Store};
use strategy_baseline::{ProcArray, ProcArrayConfig};
use strategy_csn::CsnLog;

use crate::{all, connect, db, put, with};

#[test]
fn dropped_forgotten_or_unwound_it_is_undone() {
    let db = db();
    put(&db, &[(1, 10)]);
    let mut connection = connect(&db);
    let mut tx = connection.begin();
    tx.put(&1, 11).expect("alone");
    drop(tx);
    assert_eq!((all(&db), db.census().open), (vec![(1, 10)], 0));

    catch_unwind(AssertUnwindSafe(|| {
        let mut tx = connection.begin();
        tx.put(&2, 20).expect("alone");
        panic!("the client's");
    }))
    .expect_err("the client's");
    assert_eq!((all(&db), db.census().open), (vec![(1, 10)], 0));

    let mut tx = connection.begin();
    tx.put(&3, 30).expect("alone");
    std::mem::forget(tx);
    assert_eq!(connection.begin().get(&3), Ok(None), "the next one aborts it");
    assert_eq!((all(&db), db.census().open), (vec![(1, 10)], 0));
}

#[test]
fn what_only_read_leaves_nothing() {
    let db = db();
    let mut connection = connect(&db);
    let mut tx = connection.begin();
    assert_eq!((tx.get(&1), tx.delete(&1)), (Ok(None), Ok(false)));
    assert_eq!(tx.commit(), None);
    assert_eq!(db.manager().next_id().get(), 3, "no id was used up");
}

#[test]
fn prepared_it_is_visible_when_it_is_committed() {
    let db = with(ManagerOptions::new().prepared(1));
    let (mut one, mut other) = (connect(&db), connect(&db));
    let mut tx = one.begin();
    tx.put(&1, 10).expect("nobody is beside it");
    let savepoint = tx.savepoint();
    tx.put(&2, 20).expect("nobody is beside it");
    tx.release(savepoint).expect("it is there");
    let with = tx.prepare("order 7").expect("a place");
    drop(one);
    assert_eq!(all(&db), []);
    let mut beside = other.begin();
    assert_eq!(beside.put(&1, 11), Err(Error::Conflict { key: 1, with }));
    beside.put(&3, 30).expect("nobody is beside it");
    let (mut beside, why) = beside.prepare("order 8").expect_err("one is all there can be");
    assert!(why.to_string().starts_with("cannot prepare"), "{why}");
    beside.put(&3, 31).expect("it came back, open");
    beside.abort();
    db.manager().commit_prepared("order 7").expect("it is there");
    assert_eq!(all(&db), [(1, 10), (2, 20)]);

    let mut tx = other.begin();
    tx.put(&1, 11).expect("nobody is beside it");
    tx.prepare("order 9").expect("a place");
    db.manager().abort_prepared("order 9").expect("it is there");
    assert_eq!((all(&db), db.census().open), (vec![(1, 10), (2, 20)], 0));
}

thread_local! {
    static BROKEN: Cell<bool> = const { Cell::new(false) };
}

/// A key whose order panics now and then: code of the user's, under a shard's lock.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Brittle(u64);

impl Ord for Brittle {
    fn cmp(&self, other: &Self) -> Ordering {
        assert!(!BROKEN.get(), "the key's");
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Brittle {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The manager's promise, seen from an engine: what could not be undone goes on running, so that nobody sees it.
#[test]
fn what_cannot_be_undone_is_seen_by_nobody() {
    let db =
        Store::<Brittle, u64, CsnLog, Off>::new(&Default::default(), Off, ManagerOptions::new());
    let db = db.expect("an empty store");
    let mut connection = db.connect().expect("a place");
    connection.run(1, |tx| tx.put(&Brittle(1), 10)).expect("alone");
    let mut tx = connection.begin();
    tx.put(&Brittle(1), 11).expect("alone");
    BROKEN.set(true);
    catch_unwind(AssertUnwindSafe(|| drop(tx))).expect_err("the key's");
    BROKEN.set(false);
    assert_eq!(connection.begin().get(&Brittle(1)), Ok(Some(10)));
    assert_eq!(db.census().versions, 2, "it still stands");
    let conflict = connection.begin().put(&Brittle(1), 12);
    assert!(matches!(conflict, Err(Error::Conflict { .. })), "and in everybody's way");

    let stranded = db.manager().prepared().pop().expect("it is listed");
    assert!(stranded.stranded);
    db.manager().abort_prepared(&stranded.name).expect("now it can");
    assert_eq!((db.census().versions, db.census().open), (1, 0));
    connection.run(1, |tx| tx.put(&Brittle(1), 12)).expect("the way is free");
}

/// meilisearch 2648: all slots were in use, and it panicked.
#[test]
fn without_an_id_it_reads_on() {
    let config = ProcArrayConfig { sessions: 1, ..Default::default() };
    let db = Store::<u64, u64, ProcArray, Off>::new(&config, Off, ManagerOptions::new());
    let db = db.expect("an empty store");
    let (mut one, mut other) = (db.connect().expect("one"), db.connect().expect("two"));
    one.run(1, |tx| tx.put(&1, 10)).expect("alone");
    let mut tx = other.begin();
    let why = tx.put(&1, 11).expect_err("its slot is beyond the strategy's");
    assert!(matches!(why, Error::NoId(_)) && !why.is_transient(), "{why}");
    assert_eq!(tx.get(&1), Ok(Some(10)));
    assert_eq!(tx.commit(), None);
    assert_eq!(db.census().open, 0);

    let db = with(ManagerOptions::new().sessions(1));
    let _place = db.connect().expect("one");
    assert_eq!(db.connect().expect_err("all in use").to_string(), "all 1 sessions are in use");
}
