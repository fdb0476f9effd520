//! The law book on the log in both orders of begin.

use strategy_csn::{BeginOrder, CsnConfig, CsnLog};

snapshot_api::counting_allocator!();
snapshot_api::standby_laws!(any_order, CsnLog, CsnConfig::default());
snapshot_api::standby_laws!(rising, CsnLog, CsnConfig { begin: BeginOrder::Rising });
