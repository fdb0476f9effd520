//! What the cache costs under each waiting policy, beside the strategy that it shares.

use strategy_baseline::BooleanArray;
use strategy_shared_cache::{Publish, SharedCache, Spin};

snapshot_api::snapshot_benches!(
    BooleanArray = Default::default(),
    SharedCache<BooleanArray> = Default::default(),
    SharedCache<BooleanArray, Spin> = Default::default(),
    SharedCache<BooleanArray, Publish> = Default::default(),
);
