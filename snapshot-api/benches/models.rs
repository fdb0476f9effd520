//! What the plain models cost: the floor that a strategy should not fall below.

use snapshot_api::dev::models::{LockedSet, NumberLog};

snapshot_api::snapshot_benches!(LockedSet = (), NumberLog = ());
