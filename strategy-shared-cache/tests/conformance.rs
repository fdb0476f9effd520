//! The law book on the cache over a sorted set, two number logs, and a standby's array, under each waiting policy.

use snapshot_api::dev::models::{LockedSet, NumberLog};
use strategy_baseline::{BooleanArray, BooleanArrayConfig};
use strategy_csn::{CsnConfig, CsnLog};
use strategy_shared_cache::{Publish, SharedCache, Spin};

snapshot_api::counting_allocator!();
snapshot_api::standby_laws!(over_locked_set, SharedCache<LockedSet>, ());
snapshot_api::standby_laws!(over_number_log, SharedCache<NumberLog>, ());
snapshot_api::standby_laws!(over_boolean_array, SharedCache<BooleanArray>, small());
snapshot_api::standby_laws!(over_csn, SharedCache<CsnLog>, CsnConfig::default());
snapshot_api::standby_laws!(spin_over_locked_set, SharedCache<LockedSet, Spin>, ());
snapshot_api::standby_laws!(spin_over_boolean_array, SharedCache<BooleanArray, Spin>, small());
snapshot_api::standby_laws!(publish_over_locked_set, SharedCache<LockedSet, Publish>, ());
snapshot_api::standby_laws!(publish_over_boolean_array, SharedCache<BooleanArray, Publish>, small());

/// An array that settles within the transactions that the law on memory waits for.
fn small() -> BooleanArrayConfig {
    BooleanArrayConfig { processes: 100, ..Default::default() }
}
