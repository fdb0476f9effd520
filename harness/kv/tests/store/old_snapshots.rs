//! Whoever's snapshot is too old is told, reader and writer, before anything comes of it.

use std::{
    cell::RefCell,
    fmt,
    hash::{Hash, Hasher},
    sync::Arc,
    time::Duration,
};

use snapshot_api::{ManagerOptions, ManualClock, OldSnapshotPolicy};
use snapshot_kv::{Error, Key, Store};
use strategy_atomic_threshold::SeqlockThreshold;
use strategy_csn::CsnLog;

type Db<K> = Store<K, u64, CsnLog, SeqlockThreshold>;

struct Aging<K = u64> {
    db: Db<K>,
    clock: ManualClock,
}

impl<K: Key + From<u64> + fmt::Debug> Aging<K> {
    /// Snapshots get too old after so many transactions.
    fn new(gap: u64) -> Self {
        let clock = ManualClock::default();
        let policy = OldSnapshotPolicy { max_age: None, max_gap: Some(gap) };
        let options = ManagerOptions::new().clock(clock.clone()).old_snapshots(policy);
        let db = Db::new(&Default::default(), SeqlockThreshold::default(), options);
        Aging { db: db.expect("an empty store"), clock }
    }

    /// So many transactions, each of which puts its number; then what is too old is pruned.
    fn pass(&self, keys: impl IntoIterator<Item = u64>) {
        let mut connection = self.db.connect().expect("a place");
        for key in keys {
            connection.run(1, |tx| tx.put(&key.into(), 1)).expect("nobody is beside it");
            self.clock.advance(Duration::from_micros(1));
            self.db.manager().tick();
        }
        self.db.prune();
    }
}

#[test]
fn a_reader_is_told() {
    let aging = Aging::<u64>::new(10);
    aging.pass(0..3);
    let mut connection = aging.db.connect().expect("a place");
    connection.set_label("report");
    let mut tx = connection.begin();
    assert_eq!(tx.get(&1), Ok(Some(1)));
    aging.pass([1; 5]);
    assert_eq!(tx.get(&1), Ok(Some(1)), "not yet");
    aging.pass([1; 15]);
    assert!(aging.db.census().versions < 3 + 20, "what it needs is gone");
    let too_old = tx.get(&1).expect_err("it is too old");
    assert!(too_old.is_transient());
    assert!(too_old.to_string().starts_with("snapshot too old: session"), "{too_old}");
    assert!(too_old.to_string().contains("(report)"), "{too_old}");
    assert!(matches!(tx.scan(..), Err(Error::TooOld(_))));
    assert!(matches!(tx.delete(&1), Err(Error::TooOld(_))));
    drop(tx);
    assert_eq!(connection.begin().get(&1), Ok(Some(1)));
}

/// The tombstone that it has to give way to was pruned from under it.
#[test]
fn a_writer_is_told() {
    let aging = Aging::<u64>::new(10);
    aging.pass(0..3);
    let (mut one, mut other) =
        (aging.db.connect().expect("a place"), aging.db.connect().expect("a place"));
    let mut late = one.begin();
    assert_eq!(late.get(&1), Ok(Some(1)));
    other.run(1, |tx| tx.delete(&1)).expect("nobody is beside it");
    assert!(matches!(late.put(&1, 2), Err(Error::Conflict { .. })));
    // It has asked for an id, and an id holds the threshold; so another one comes, that has not.
    drop(late);
    let mut late = one.begin();
    assert_eq!(late.get(&2), Ok(Some(1)));
    other.run(1, |tx| tx.delete(&2)).expect("nobody is beside it");
    aging.pass(10..30);
    assert_eq!(aging.db.connect().expect("a place").begin().get(&2), Ok(None));
    assert!(matches!(late.put(&2, 2), Err(Error::TooOld(_))), "a lost update, else");
    drop(late);
    assert_eq!(aging.db.census().open, 0);
    assert_eq!(aging.db.census().keys, 1 + 20, "nothing is left of what was refused");
}

thread_local! {
    /// What happens when a key's shard is looked for the next time.
    static MEANWHILE: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

/// A key at whose hash others come in between: after a call has begun, and before it holds a lock.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Interrupted(u64);

impl From<u64> for Interrupted {
    fn from(number: u64) -> Self {
        Interrupted(number)
    }
}

impl Hash for Interrupted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let meanwhile = MEANWHILE.take();
        meanwhile.into_iter().for_each(|happens| happens());
        self.0.hash(state);
    }
}

/// What a call missed was pruned after the call had begun: to check at its begin, and then to look, would not find out.
#[test]
fn the_check_comes_after_the_look() {
    let aging = Arc::new(Aging::<Interrupted>::new(10));
    let key = Interrupted(1);
    aging.pass(0..3);
    let mut connection = aging.db.connect().expect("a place");
    let mut tx = connection.begin();
    assert_eq!(tx.get(&key), Ok(Some(1)));
    let beside = Arc::clone(&aging);
    MEANWHILE.set(Some(Box::new(move || beside.pass([1; 20]))));
    assert!(matches!(tx.get(&key), Err(Error::TooOld(_))), "it found nothing, and was told");
    drop(tx);

    let mut tx = connection.begin();
    assert_eq!(tx.get(&key), Ok(Some(1)));
    let mut other = aging.db.connect().expect("a place");
    other.run(1, |tx| tx.delete(&key)).expect("nobody is beside it");
    let beside = Arc::clone(&aging);
    MEANWHILE.set(Some(Box::new(move || beside.pass(10..30))));
    assert!(
        matches!(tx.put(&key, 2), Err(Error::TooOld(_))),
        "the tombstone is gone, and it was told"
    );
    drop(tx);
    assert_eq!(connection.begin().get(&key), Ok(None));
}
