//! What the cache costs beside the strategies that it shares.

use snapshot_api::dev::models::LockedSet;
use strategy_baseline::BooleanArray;
use strategy_shared_cache::SharedCache;

snapshot_api::snapshot_benches!(
    BooleanArray = Default::default(),
    SharedCache<BooleanArray> = Default::default(),
    SharedCache<LockedSet> = (),
);
