//! [`LockedSet`]: the naive strategy, a sorted set under one lock, copied whole. A yardstick, and an example.

use std::collections::BTreeSet;

use snapshot_api::{
    BeginError, Costs, Facts, ListSnapshot, Memory, Progress, Restore, RestoreError, SessionId,
    SnapshotStrategy, Standby, Xid, check_order, highest_normal, restore_list, sync::Mutex,
};

/// A sorted set of running ids under one lock.
#[derive(Debug)]
pub struct LockedSet(Mutex<PlainSet>);

/// The set itself, used by one thread: what its operations do, and whom they end.
#[derive(Clone, Debug)]
pub(crate) struct PlainSet {
    running: BTreeSet<Xid>,
    xmax: Xid,
    /// The highest id begun or completed so far.
    last: Xid,
}

impl PlainSet {
    pub(crate) fn restore(latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let last = running.last().map_or(latest_completed, |&xid| xid.max(latest_completed));
        Ok(PlainSet { running: running.into_iter().collect(), xmax: latest_completed.next(), last })
    }

    pub(crate) fn xmax(&self) -> Xid {
        self.xmax
    }

    /// The running ids below xmax.
    pub(crate) fn listed(&self) -> impl Iterator<Item = Xid> + '_ {
        self.running.range(..self.xmax).copied()
    }

    pub(crate) fn begin(&mut self, xid: Xid) -> Result<(), BeginError> {
        check_order(xid, self.last)?;
        self.running.insert(xid);
        self.last = xid;
        Ok(())
    }

    /// Takes ids out. `ended` gets those that no longer count as running.
    pub(crate) fn remove(&mut self, xids: &[Xid], mut ended: impl FnMut(Xid)) {
        for xid in xids {
            if self.running.remove(xid) && *xid < self.xmax {
                ended(*xid);
            }
        }
    }

    /// Raises xmax. `ended` gets those that no longer count as running, where `wanted`.
    pub(crate) fn complete(&mut self, latest: Xid, wanted: bool, mut ended: impl FnMut(Xid)) {
        if !latest.is_normal() || latest < self.xmax {
            return;
        }
        if wanted {
            for xid in (self.xmax.get()..=latest.get()).map(Xid::new) {
                if !self.running.contains(&xid) {
                    ended(xid);
                }
            }
        }
        self.xmax = latest.next();
        self.last = self.last.max(latest);
    }

    /// Takes out what lies below. `ended` gets those that no longer count as running.
    pub(crate) fn prune(&mut self, below: Xid, mut ended: impl FnMut(Xid)) {
        if self.running.first().is_none_or(|&first| first >= below) {
            return;
        }
        let kept = self.running.split_off(&below);
        self.running.range(..self.xmax).for_each(|&xid| ended(xid));
        self.running = kept;
    }
}

pub(crate) fn facts() -> Facts {
    Facts {
        name: "locked-set".into(),
        source: "the naive implementation",
        costs: Costs {
            take: "O(running)",
            begin: "O(log running)",
            end: "O(log running)",
            is_running: "O(log running)",
        },
        readers: Progress::Blocking,
        writers: Progress::Blocking,
        unordered_begin: false,
        capacity: None,
        memory: Memory::Bounded,
        allocations_per_change: 0,
    }
}

impl SnapshotStrategy for LockedSet {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        facts()
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.0.lock().begin(xid)
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let mut set = self.0.lock();
        set.remove(tree, drop);
        if let Some(highest) = highest_normal(tree) {
            set.complete(highest, false, drop);
        }
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        let set = self.0.lock();
        snapshot.refill(set.xmax).extend(set.listed());
    }

    fn lock_waits(&self) -> u64 {
        self.0.waits()
    }
}

impl Restore for LockedSet {
    type Config = ();

    fn restore(_config: &(), latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        PlainSet::restore(latest_completed, running).map(|set| LockedSet(Mutex::new(set)))
    }
}

impl Standby for LockedSet {
    fn forget(&self, xids: &[Xid]) {
        self.0.lock().remove(xids, drop);
    }

    fn complete(&self, latest: Xid) {
        self.0.lock().complete(latest, false, drop);
    }

    fn prune(&self, below: Xid) {
        self.0.lock().prune(below, drop);
    }
}
