//! Strategies with one wrong law, under an engine that is right.

use std::{sync::Arc, sync::Mutex, thread};

use snapshot_api::{
    BeginError, Facts, Off, Restore, RestoreError, SessionId, Snapshot, SnapshotStrategy, Xid,
};
use strategy_baseline::BooleanArray;

use super::finds;
use crate::{checker::Anomaly, pairings::options, workload::Lists};

fn over<S: Restore>() -> Lists<S, Off> {
    Lists::new(&S::Config::default(), Off, options()).expect("an empty store")
}

/// Law 2, turso 5136: the ids of a tree end one by one.
struct OneByOne(BooleanArray);

impl SnapshotStrategy for OneByOne {
    type Snapshot = <BooleanArray as SnapshotStrategy>::Snapshot;

    fn facts(&self) -> Facts {
        self.0.facts()
    }

    fn snapshot(&self) -> Self::Snapshot {
        self.0.snapshot()
    }

    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.0.begin(session, xid)
    }

    fn end(&self, session: SessionId, tree: &[Xid]) {
        for &xid in tree {
            self.0.end(session, &[xid]);
            thread::yield_now();
        }
    }

    fn take(&self, snapshot: &mut Self::Snapshot) {
        self.0.take(snapshot);
    }
}

impl Restore for OneByOne {
    type Config = <BooleanArray as Restore>::Config;

    fn restore(
        config: &Self::Config,
        latest_completed: Xid,
        running: &[Xid],
    ) -> Result<Self, RestoreError> {
        BooleanArray::restore(config, latest_completed, running).map(OneByOne)
    }
}

#[test]
fn half_a_tree_is_read_skew() {
    finds(&[Anomaly::GSingle], |load| load, over::<OneByOne>);
}

/// Law 1, typedb 7254: a snapshot from before the call, which lacks what had ended.
struct Stale {
    strategy: BooleanArray,
    last: Mutex<(usize, Arc<<BooleanArray as SnapshotStrategy>::Snapshot>)>,
}

struct StaleSnapshot(Arc<<BooleanArray as SnapshotStrategy>::Snapshot>);

impl Snapshot for StaleSnapshot {
    fn xmin(&self) -> Xid {
        self.0.xmin()
    }

    fn xmax(&self) -> Xid {
        self.0.xmax()
    }

    fn is_running(&self, xid: Xid) -> bool {
        self.0.is_running(xid)
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        self.0.running()
    }
}

impl SnapshotStrategy for Stale {
    type Snapshot = StaleSnapshot;

    fn facts(&self) -> Facts {
        self.strategy.facts()
    }

    fn snapshot(&self) -> StaleSnapshot {
        StaleSnapshot(Arc::new(self.strategy.snapshot()))
    }

    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.strategy.begin(session, xid)
    }

    fn end(&self, session: SessionId, tree: &[Xid]) {
        self.strategy.end(session, tree);
    }

    fn take(&self, snapshot: &mut StaleSnapshot) {
        let (uses, last) = &mut *self.last.lock().expect("no panic in here");
        if *uses % 4 == 0 {
            let mut fresh = self.strategy.snapshot();
            self.strategy.take(&mut fresh);
            *last = Arc::new(fresh);
        }
        *uses += 1;
        snapshot.0 = Arc::clone(last);
    }
}

impl Restore for Stale {
    type Config = <BooleanArray as Restore>::Config;

    fn restore(
        config: &Self::Config,
        latest_completed: Xid,
        running: &[Xid],
    ) -> Result<Self, RestoreError> {
        let strategy = BooleanArray::restore(config, latest_completed, running)?;
        let last = Mutex::new((0, Arc::new(strategy.snapshot())));
        Ok(Stale { strategy, last })
    }
}

#[test]
fn a_stale_snapshot_lacks_what_has_returned() {
    finds(&[Anomaly::GSingleRealtime], |load| load, over::<Stale>);
}
