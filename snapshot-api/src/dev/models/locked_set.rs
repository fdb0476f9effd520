//! [`LockedSet`]: a sorted set under one lock, copied whole. So plain that one sees it to be right.
//!
//! It is the law book's oracle, the naive implementation that has to pass it, and the first thing to read before writing
//! a strategy of one's own.

use std::collections::BTreeSet;

use crate::{
    BeginError, Costs, Facts, ListSnapshot, Memory, Progress, Restore, RestoreError, SessionId,
    SnapshotStrategy, Standby, Xid, check_order, highest_normal, restore_list, sync::Mutex,
};

/// A sorted set of running ids under one lock.
///
/// ```
/// use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid, dev::models::LockedSet};
///
/// let strategy = LockedSet::restore(&(), Xid::new(9), &[Xid::new(7)])?;
/// let mut snapshot = strategy.snapshot();
/// strategy.take(&mut snapshot);
/// assert_eq!((snapshot.xmin(), snapshot.xmax()), (Xid::new(7), Xid::new(10)));
/// # Ok::<(), snapshot_api::RestoreError>(())
/// ```
#[derive(Debug)]
pub struct LockedSet {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    running: BTreeSet<Xid>,
    latest_completed: Xid,
    /// The highest id begun or completed so far.
    last: Xid,
}

impl State {
    fn complete(&mut self, latest: Xid) {
        self.latest_completed = self.latest_completed.max(latest);
        self.last = self.last.max(latest);
    }
}

impl SnapshotStrategy for LockedSet {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "locked-set".into(),
            source: "the law book's oracle",
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
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        let mut state = self.state.lock();
        check_order(xid, state.last)?;
        state.running.insert(xid);
        state.last = xid;
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let mut state = self.state.lock();
        for xid in tree {
            state.running.remove(xid);
        }
        if let Some(highest) = highest_normal(tree) {
            state.complete(highest);
        }
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        let state = self.state.lock();
        let xmax = state.latest_completed.next();
        snapshot.refill(xmax).extend(state.running.range(..xmax));
    }

    fn lock_waits(&self) -> u64 {
        self.state.waits()
    }
}

impl Restore for LockedSet {
    type Config = ();

    fn restore(_config: &(), latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let last = running.last().map_or(latest_completed, |&xid| xid.max(latest_completed));
        Ok(LockedSet {
            state: Mutex::new(State {
                running: running.into_iter().collect(),
                latest_completed,
                last,
            }),
        })
    }
}

impl Standby for LockedSet {
    fn forget(&self, xids: &[Xid]) {
        let mut state = self.state.lock();
        for xid in xids {
            state.running.remove(xid);
        }
    }

    fn complete(&self, latest: Xid) {
        if latest.is_normal() {
            self.state.lock().complete(latest);
        }
    }

    fn prune(&self, below: Xid) {
        let mut state = self.state.lock();
        state.running = state.running.split_off(&below);
    }
}
