//! [`Nothing`]: a strategy that does nothing, to see what all that is around a strategy costs: under [`replay`](crate::replay)
//! the standby's own bookkeeping, under [`compare`](crate::compare) the loop and the clock that a pairing is measured with.

use snapshot_api::{
    BeginError, Costs, Facts, Memory, Progress, Restore, RestoreError, SessionId, Snapshot,
    SnapshotStrategy, Standby, Xid,
};

use crate::registry::EMPTY;

/// Knows nothing and does nothing: who drives it pays for the driving alone. No strategy in any other sense: its snapshots say
/// that nothing has ended, so that no check of answers passes.
///
/// [`visit_snapshot`](crate::registry::visit_snapshot) and [`visit_standby`](crate::registry::visit_standby) know it as
/// [`EMPTY`]; no list of strategies has it.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

/// A snapshot in which nothing has ended.
#[derive(Clone, Copy, Debug)]
pub struct NothingEnded;

impl Snapshot for NothingEnded {
    fn xmin(&self) -> Xid {
        Xid::FIRST_NORMAL
    }

    fn xmax(&self) -> Xid {
        Xid::FIRST_NORMAL
    }

    fn is_running(&self, xid: Xid) -> bool {
        xid >= Xid::FIRST_NORMAL
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        std::iter::empty()
    }
}

impl SnapshotStrategy for Nothing {
    type Snapshot = NothingEnded;

    fn facts(&self) -> Facts {
        Facts {
            name: EMPTY.into(),
            source: "what drives a strategy, without one",
            costs: Costs { take: "none", begin: "none", end: "none", is_running: "none" },
            readers: Progress::WaitFree,
            writers: Progress::WaitFree,
            unordered_begin: false,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> NothingEnded {
        NothingEnded
    }

    fn begin(&self, _session: SessionId, _xid: Xid) -> Result<(), BeginError> {
        Ok(())
    }

    fn end(&self, _session: SessionId, _tree: &[Xid]) {}

    fn take(&self, _snapshot: &mut NothingEnded) {}
}

impl Restore for Nothing {
    type Config = ();

    fn restore(_: &(), _latest_completed: Xid, _running: &[Xid]) -> Result<Self, RestoreError> {
        Ok(Nothing)
    }
}

impl Standby for Nothing {
    fn forget(&self, _xids: &[Xid]) {}

    fn complete(&self, _latest: Xid) {}

    fn prune(&self, _below: Xid) {}
}
