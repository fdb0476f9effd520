//! Garbage collection: removes the versions that nobody reads any more.
//!
//! Work comes as a list: the keys of every id that has committed ([`writes`](crate::writes)). What such an id has replaced is
//! garbage once it lies below the horizon, so an entry waits until then, is looked at once, and is gone. Keys that nobody
//! wrote cost nothing.
//!
//! *One look is enough.* When the entry of id w for key k is looked at under horizon h, w < h: the version by w, or one after
//! it, is the newest below h, and all older ones go. What replaces that one later has an entry of its own.
//!
//! There are two horizons. By [`horizon`](snapshot_api::TransactionManager::horizon) nobody notices. By
//! [`prune_horizon`](snapshot_api::TransactionManager::prune_horizon), which does not wait for snapshots that are too old,
//! their readers are told, by the check after each look at a shard. So are their writers: a tombstone that was removed
//! no longer stands in their way.

use snapshot_api::Xid;

use crate::{Key, Value, rows::Rows};

/// What a collection has removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Collected {
    /// Versions, tombstones too.
    pub versions: usize,
    /// Keys that have no version left.
    pub keys: usize,
}

impl<K: Key, V: Value> Rows<K, V> {
    /// Removes what nobody reads under this horizon.
    pub(crate) fn collect(&self, horizon: Xid) -> Collected {
        let mut collected = Collected::default();
        for set in self.writes.take_below(horizon) {
            for key in &*set.lock() {
                let garbage = self
                    .shards
                    .change(key, |chain| (chain.collect(horizon, &*self.rules), chain.is_empty()));
                // Dropped here, without the shard's lock.
                let Some((versions, last)) = garbage else { continue };
                collected.versions += versions.len();
                collected.keys += usize::from(last);
            }
        }
        collected
    }
}
