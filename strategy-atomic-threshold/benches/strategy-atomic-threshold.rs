//! What the five thresholds cost, and none at all, beside a plain atomic load in the same run.
//!
//! `cargo bench -p strategy-atomic-threshold`

use snapshot_api::{Off, threshold_benches};
use strategy_atomic_threshold::{
    MutexThreshold, OsMutexThreshold, PackedThreshold, SeqlockThreshold, SplitAtomicThreshold,
};

threshold_benches!(
    Off,
    SplitAtomicThreshold::new(),
    SeqlockThreshold::new(),
    PackedThreshold::new(),
    OsMutexThreshold::new(),
    MutexThreshold::new(),
);
