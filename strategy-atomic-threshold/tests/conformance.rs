//! The law book, run on the five thresholds.
#![cfg(not(snapshot_loom))]

use snapshot_api::threshold_laws;
use strategy_atomic_threshold::{
    MutexThreshold, OsMutexThreshold, PackedThreshold, SeqlockThreshold, SplitAtomicThreshold,
};

threshold_laws!(mutex, MutexThreshold, MutexThreshold::new());
threshold_laws!(mutex_os, OsMutexThreshold, OsMutexThreshold::new());
threshold_laws!(split_atomic, SplitAtomicThreshold, SplitAtomicThreshold::new());
threshold_laws!(seqlock, SeqlockThreshold, SeqlockThreshold::new());
threshold_laws!(packed, PackedThreshold, PackedThreshold::new());
