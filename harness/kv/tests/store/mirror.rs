//! Random scripts of several transactions at once, against a store so naive that it can be seen to be right.
//!
//! There a transaction copies the whole database when it begins; a savepoint copies the transaction; a write is refused where
//! somebody else has it open or the key's last commit came after the copy. Collection comes at any time and changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use snapshot_api::{ManagerOptions, Off, Restore, Savepoint};
use snapshot_kv::{Error, Store, Tx};
use strategy_baseline::{BooleanArray, ProcArray};
use strategy_bitmap::HierarchicalBitmap;
use strategy_csn::CsnLog;

const CLIENTS: usize = 3;
const KEYS: u64 = 5;

#[derive(Clone, Debug)]
enum Step {
    Get(u64),
    Scan(u64, u64),
    Put(u64),
    Delete(u64),
    Claim(u64),
    Savepoint,
    RollBack,
    Release,
    Commit,
    Abort,
    Collect,
}

fn step() -> impl Strategy<Value = (usize, Step)> {
    let step = prop_oneof![
        4 => (0..KEYS).prop_map(Step::Get),
        1 => (0..KEYS, 0..KEYS).prop_map(|(from, to)| Step::Scan(from, to)),
        6 => (0..KEYS).prop_map(Step::Put),
        2 => (0..KEYS).prop_map(Step::Delete),
        1 => (0..KEYS).prop_map(Step::Claim),
        2 => Just(Step::Savepoint),
        2 => Just(Step::RollBack),
        1 => Just(Step::Release),
        3 => Just(Step::Commit),
        1 => Just(Step::Abort),
        2 => Just(Step::Collect),
    ];
    (0..CLIENTS, step)
}

type Rows = BTreeMap<u64, u64>;

/// An open transaction of the naive store.
#[derive(Clone, Default)]
struct Open {
    rows: Rows,
    written: BTreeSet<u64>,
}

#[derive(Default)]
struct Naive {
    rows: Rows,
    /// When each key was last committed.
    committed: BTreeMap<u64, u64>,
    now: u64,
    /// Begun when, its state, and that at each savepoint.
    open: [Option<(u64, Open, Vec<Open>)>; CLIENTS],
}

impl Naive {
    fn open(&mut self, client: usize) -> &mut (u64, Open, Vec<Open>) {
        let (now, rows) = (self.now, &self.rows);
        let begin = || (now, Open { rows: rows.clone(), ..Open::default() }, Vec::new());
        self.open[client].get_or_insert_with(begin)
    }

    fn may_write(&mut self, client: usize, key: u64) -> bool {
        let began = self.open(client).0;
        let others = self.open.iter().enumerate().filter(|(other, _)| *other != client);
        let mut others = others.filter_map(|(_, open)| open.as_ref());
        let taken = others.any(|(_, open, _)| open.written.contains(&key));
        !taken && self.committed.get(&key).is_none_or(|&at| at <= began)
    }

    /// Whether it was written.
    fn write(&mut self, client: usize, key: u64, value: Option<u64>) -> bool {
        let may = self.may_write(client, key);
        let (_, open, _) = self.open(client);
        if may {
            open.written.insert(key);
            match value {
                Some(value) => drop(open.rows.insert(key, value)),
                None => drop(open.rows.remove(&key)),
            }
        }
        may
    }

    fn commit(&mut self, client: usize) {
        let Some((_, open, _)) = self.open[client].take() else { return };
        self.now += 1;
        for key in open.written {
            self.committed.insert(key, self.now);
            match open.rows.get(&key) {
                Some(&value) => drop(self.rows.insert(key, value)),
                None => drop(self.rows.remove(&key)),
            }
        }
    }
}

/// An open transaction, and its savepoints.
type Client<'c, S> = (Tx<'c, u64, u64, S, Off>, Vec<Savepoint>);

fn same<S: Restore>(script: &[(usize, Step)]) -> Result<(), TestCaseError> {
    let db = Store::<u64, u64, S, Off>::new(&S::Config::default(), Off, ManagerOptions::new());
    let db = db.expect("an empty store");
    // A connection is lent to its transaction: one for each that may begin.
    let mut connections: Vec<_> = script.iter().map(|_| db.connect().expect("a place")).collect();
    let mut free = connections.iter_mut();
    let mut open: [Option<Client<'_, S>>; CLIENTS] = [const { None }; CLIENTS];
    let mut naive = Naive::default();
    for (value, (client, step)) in (0_u64..).zip(script) {
        let client = *client;
        if matches!(step, Step::Collect) {
            db.collect();
            continue;
        }
        if open[client].is_none() {
            let connection = free.next().expect("one for each step");
            let mut tx = connection.begin();
            // Its snapshot is taken now, as the naive one's is.
            prop_assert!(tx.get(&KEYS).is_ok());
            open[client] = Some((tx, Vec::new()));
            naive.open(client);
        }
        let Some((tx, savepoints)) = &mut open[client] else { continue };
        let written = |result: Result<(), Error<u64>>| match result {
            Ok(()) => true,
            Err(Error::Conflict { .. }) => false,
            Err(other) => panic!("{other}"),
        };
        match *step {
            Step::Get(key) => {
                prop_assert_eq!(tx.get(&key), Ok(naive.open(client).1.rows.get(&key).copied()));
            }
            Step::Scan(from, to) => {
                let rows = naive.open(client).1.rows.iter();
                let rows = rows.filter(|(key, _)| (from..to).contains(*key));
                let rows: Vec<_> = rows.map(|(&key, &value)| (key, value)).collect();
                prop_assert_eq!(tx.scan(from..to), Ok(rows));
            }
            Step::Put(key) => {
                let naive = naive.write(client, key, Some(value));
                prop_assert_eq!(written(tx.put(&key, value)), naive);
            }
            Step::Delete(key) => {
                let had = naive.open(client).1.rows.contains_key(&key);
                let naive = !had || naive.write(client, key, None);
                prop_assert_eq!(written(tx.delete(&key).map(drop)), naive);
            }
            Step::Claim(key) => {
                let before = naive.open(client).1.rows.get(&key).copied();
                let naive = naive.write(client, key, before);
                prop_assert_eq!(written(tx.get_for_update(&key).map(drop)), naive);
            }
            Step::Savepoint => {
                savepoints.push(tx.savepoint());
                let (_, open, before) = naive.open(client);
                before.push(open.clone());
            }
            Step::RollBack => {
                if let Some(savepoint) = savepoints.last() {
                    prop_assert_eq!(tx.rollback_to(savepoint), Ok(()));
                    let (_, open, before) = naive.open(client);
                    *open = before.last().cloned().expect("as many as there are savepoints");
                }
            }
            Step::Release => {
                if let Some(savepoint) = savepoints.pop() {
                    prop_assert_eq!(tx.release(savepoint), Ok(()));
                    naive.open(client).2.pop();
                }
            }
            Step::Commit => {
                open[client].take().map(|(tx, _)| tx.commit());
                naive.commit(client);
            }
            Step::Abort => {
                open[client] = None;
                naive.open[client] = None;
            }
            Step::Collect => {}
        }
    }
    drop(open);
    db.collect();
    let census = db.census();
    prop_assert_eq!(census.versions, naive.rows.len());
    prop_assert_eq!((census.keys, census.open, census.retired), (census.versions, 0, 0));
    let rows: Vec<_> = naive.rows.into_iter().collect();
    prop_assert_eq!(db.connect().expect("a place").begin().scan(..), Ok(rows));
    Ok(())
}

proptest! {
    #[test]
    fn like_the_naive_one(script in prop::collection::vec(step(), 1..120)) {
        same::<CsnLog>(&script)?;
        same::<HierarchicalBitmap>(&script)?;
        same::<BooleanArray>(&script)?;
        same::<ProcArray>(&script)?;
    }
}
