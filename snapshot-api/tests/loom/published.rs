//! A manager over the smallest strategy there is.

pub(crate) use snapshot_api::dev::models::Published;
use snapshot_api::{
    ManagerOptions, SessionId, SnapshotStrategy, ThresholdStrategy, TransactionManager, Xid,
};

pub(crate) fn manager<T: ThresholdStrategy>(
    threshold: T,
    options: ManagerOptions,
) -> TransactionManager<Published, T> {
    TransactionManager::new(Published::default(), threshold, options)
}

/// Ends the next id, which everything that is read carries an order by.
pub(crate) fn commit<T: ThresholdStrategy>(manager: &TransactionManager<Published, T>, id: u64) {
    manager.strategy().end(SessionId::new(9), &[Xid::new(id)]);
}
