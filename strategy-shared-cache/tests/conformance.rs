//! The law book on the cache over a sorted set, over a number log, and over a standby's array.

use snapshot_api::dev::models::{LockedSet, NumberLog};
use strategy_baseline::{BooleanArray, BooleanArrayConfig};
use strategy_shared_cache::SharedCache;

snapshot_api::counting_allocator!();
snapshot_api::standby_laws!(over_locked_set, SharedCache<LockedSet>, ());
snapshot_api::standby_laws!(over_number_log, SharedCache<NumberLog>, ());
snapshot_api::standby_laws!(over_boolean_array, SharedCache<BooleanArray>, small());

/// An array that settles within the transactions that the law on memory waits for.
fn small() -> BooleanArrayConfig {
    BooleanArrayConfig { processes: 100, ..Default::default() }
}
