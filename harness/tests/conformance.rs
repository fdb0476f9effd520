//! The naive strategy keeps the laws, as every strategy has to.

use harness::locked_set::LockedSet;

snapshot_api::counting_allocator!();
snapshot_api::standby_laws!(locked_set, LockedSet, ());
