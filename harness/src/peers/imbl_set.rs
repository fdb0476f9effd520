//! [`ImblSet`]: a persistent set. A clone shares the whole tree, and a writer copies the nodes on one path of it.

use imbl::OrdSet;
use snapshot_api::{
    BeginError, Costs, Facts, Restore, RestoreError, SessionId, Snapshot, SnapshotStrategy,
    Standby, Xid, check_order, highest_normal, restore_list, sync::RwLock,
};

use crate::locked_set;

/// A persistent sorted set of running ids under a lock for many readers or one writer.
#[derive(Debug)]
pub struct ImblSet(RwLock<State>);

#[derive(Debug)]
struct State {
    running: OrdSet<Xid>,
    xmax: Xid,
    /// The highest id begun or completed so far.
    last: Xid,
}

impl State {
    fn remove(&mut self, xids: &[Xid]) {
        for xid in xids {
            self.running.remove(xid);
        }
    }

    fn complete(&mut self, latest: Xid) {
        self.xmax = self.xmax.max(latest.next());
        self.last = self.last.max(latest);
    }
}

/// A set that shares its nodes with others.
#[derive(Clone, Debug)]
pub struct SharedSet {
    /// Also what runs from xmax on.
    running: OrdSet<Xid>,
    xmin: Xid,
    xmax: Xid,
}

impl Snapshot for SharedSet {
    #[inline]
    fn xmin(&self) -> Xid {
        self.xmin
    }

    #[inline]
    fn xmax(&self) -> Xid {
        self.xmax
    }

    #[inline]
    fn is_running(&self, xid: Xid) -> bool {
        xid >= self.xmax || xid >= self.xmin && self.running.contains(&xid)
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        self.running.range(..self.xmax).copied()
    }
}

impl SnapshotStrategy for ImblSet {
    type Snapshot = SharedSet;

    fn facts(&self) -> Facts {
        Facts {
            name: "imbl-set".into(),
            source: "off the shelf: RwLock over imbl's OrdSet",
            costs: Costs { take: "O(log running)", ..locked_set::facts().costs },
            ..locked_set::facts()
        }
    }

    fn snapshot(&self) -> SharedSet {
        SharedSet { running: OrdSet::new(), xmin: Xid::FIRST_NORMAL, xmax: Xid::FIRST_NORMAL }
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        let mut state = self.0.write();
        check_order(xid, state.last)?;
        state.running.insert(xid);
        state.last = xid;
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let Some(highest) = highest_normal(tree) else { return };
        let mut state = self.0.write();
        state.remove(tree);
        state.complete(highest);
    }

    fn take(&self, snapshot: &mut SharedSet) {
        // The set that the value held goes when the lock is open again.
        let (running, xmax) = {
            let state = self.0.read();
            (state.running.clone(), state.xmax)
        };
        let xmin = running.get_min().map_or(xmax, |&lowest| lowest.min(xmax));
        *snapshot = SharedSet { running, xmin, xmax };
    }

    fn lock_waits(&self) -> u64 {
        self.0.waits()
    }
}

impl Restore for ImblSet {
    type Config = ();

    fn restore(_config: &(), latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let last = running.last().map_or(latest_completed, |&xid| xid.max(latest_completed));
        let running = running.into_iter().collect();
        Ok(ImblSet(RwLock::new(State { running, xmax: latest_completed.next(), last })))
    }
}

impl Standby for ImblSet {
    fn forget(&self, xids: &[Xid]) {
        self.0.write().remove(xids);
    }

    fn complete(&self, latest: Xid) {
        if latest.is_normal() {
            self.0.write().complete(latest);
        }
    }

    fn prune(&self, below: Xid) {
        let mut state = self.0.write();
        while state.running.get_min().is_some_and(|&lowest| lowest < below) {
            state.running.remove_min();
        }
    }
}
