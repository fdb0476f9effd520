//! The benchmarks of the contract on the variants that lie between the oldest and the newest: not part of `cargo bench`.
//!
//! `cargo bench -p strategy-baseline --bench variants`

use strategy_baseline::{BooleanArray, BooleanArrayConfig, Layout, ProcArray, ProcArrayConfig};

const DENSE: ProcArrayConfig =
    ProcArrayConfig { sessions: 1_000, layout: Layout::Dense, reuse: false, group_clear: false };

snapshot_api::snapshot_benches!(
    BooleanArray = BooleanArrayConfig::default(),
    ProcArray = ProcArrayConfig { layout: Layout::Scattered, reuse: true, ..DENSE },
    ProcArray = DENSE,
    ProcArray = ProcArrayConfig { reuse: true, group_clear: true, ..DENSE },
);
