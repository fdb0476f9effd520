//! What the log costs.

use strategy_csn::{BeginOrder, CsnConfig, CsnLog};

snapshot_api::snapshot_benches!(
    CsnLog = CsnConfig::default(),
    CsnLog = CsnConfig { begin: BeginOrder::Rising },
);
