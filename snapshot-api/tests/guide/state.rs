use snapshot_api::{
    BeginError, Costs, Facts, InstanceId, ListSnapshot, Memory, Progress, Restore, RestoreError,
    SessionId, SnapshotStrategy, Xid, check_order, highest_normal, restore_list,
    sync::{AtomicU64, Mutex, Ordering},
};

/// The running ids in a sorted vector behind a lock, and a word that says when they changed.
#[derive(Debug)]
pub struct SortedVec {
    state: Mutex<State>,
    /// How often something ended. Written under the lock alone.
    version: AtomicU64,
    instance: InstanceId,
}

#[derive(Debug)]
struct State {
    /// In rising order.
    running: Vec<Xid>,
    latest_completed: Xid,
    /// The highest id begun or completed so far.
    last: Xid,
}
