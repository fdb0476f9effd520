//! Two doctors, as a history: each reads both lists and appends to its own. What snapshot isolation permits has a name too.

use snapshot_api::{ManagerOptions, Off};
use snapshot_kv::Error;
use strategy_csn::CsnLog;

use crate::{
    checker::{Anomaly, anomalies},
    record::{Element, Fate, History, Key, Op, Stopwatch, Transaction},
    workload::Lists,
};

const ADAS: Key = 1;
const BOS: Key = 2;

/// Both are open at once. Where one meets a conflict it is aborted.
fn both_leave(for_update: bool) -> History {
    let store = Lists::<CsnLog, _>::new(&Default::default(), Off, ManagerOptions::new());
    let store = store.expect("an empty store");
    let watch = Stopwatch::default();
    let mut connections = [0; 2].map(|_| store.connect().expect("a place"));
    let mut open: Vec<_> = connections
        .iter_mut()
        .map(|connection| (watch.moment(), connection.begin(), Vec::new(), Fate::Committed))
        .collect();
    for ((_, tx, ops, fate), own) in open.iter_mut().zip([ADAS, BOS]) {
        let mut leave = || {
            for key in [ADAS, BOS] {
                let list = if for_update { tx.get_for_update(&key) } else { tx.get(&key) };
                ops.push(Op::Read { key, list: list?.unwrap_or_default() });
            }
            let element: Element = own * 10;
            tx.put(&own, vec![element])?;
            ops.push(Op::Append { key: own, element });
            Ok::<_, Error<Key>>(())
        };
        if let Err(conflict) = leave() {
            assert!(conflict.is_transient(), "{conflict}");
            *fate = Fate::Aborted;
        }
    }
    let end = |(began, tx, ops, fate)| {
        let tx: snapshot_kv::Tx<'_, _, _, _, _> = tx;
        match fate {
            Fate::Committed => drop(tx.commit()),
            Fate::Aborted => tx.abort(),
        }
        Transaction { began, ops, fate, ended: watch.moment() }
    };
    open.into_iter().map(end).collect()
}

#[test]
fn permitted_it_is_found_by_name() {
    let history = both_leave(false);
    assert!(history.iter().all(|transaction| transaction.fate == Fate::Committed));
    assert!(anomalies(&history).into_iter().eq([Anomaly::G2Item]), "{history:?}");
}

#[test]
fn read_for_update_there_is_none() {
    let history = both_leave(true);
    assert_eq!((history[0].fate, history[1].fate), (Fate::Committed, Fate::Aborted));
    assert!(anomalies(&history).is_empty(), "{history:?}");
}
