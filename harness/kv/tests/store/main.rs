//! The store, one promise after another.

mod collection;
mod conflicts;
mod endings;
mod mirror;
mod old_snapshots;
mod reads;
mod savepoints;
mod write_skew;

use snapshot_api::{ManagerOptions, Off};
use snapshot_kv::{Connection, Store, Tx};
use strategy_csn::CsnLog;

type Db = Store<u64, u64, CsnLog, Off>;

fn with(options: ManagerOptions) -> Db {
    Db::new(&Default::default(), Off, options).expect("an empty store")
}

fn db() -> Db {
    with(ManagerOptions::new())
}

fn connect(db: &Db) -> Connection<u64, u64, CsnLog, Off> {
    db.connect().expect("a place")
}

/// Puts all of them in a transaction of their own.
fn put(db: &Db, rows: &[(u64, u64)]) {
    let put = |tx: &mut Tx<'_, _, _, _, _>| rows.iter().try_for_each(|(key, v)| tx.put(key, *v));
    connect(db).run(1, put).expect("nobody is beside it");
}

/// What a new transaction sees.
fn all(db: &Db) -> Vec<(u64, u64)> {
    connect(db).begin().scan(..).expect("no limit")
}
