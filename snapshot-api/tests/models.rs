//! The whole book on the plain models: naive correct implementations pass it.

use snapshot_api::dev::models::{LockedSet, LockedThreshold, NumberLog};

snapshot_api::counting_allocator!();
snapshot_api::standby_laws!(locked_set, LockedSet, ());
snapshot_api::standby_laws!(number_log, NumberLog, ());
snapshot_api::threshold_laws!(locked_threshold, LockedThreshold, LockedThreshold::default());
