//! The law book, run on every variant.

use strategy_baseline::{
    BooleanArray, BooleanArrayConfig, CompactionRule, Layout, ProcArray, ProcArrayConfig,
};

snapshot_api::counting_allocator!();

const fn array(rule: CompactionRule, processes: usize) -> BooleanArrayConfig {
    BooleanArrayConfig { rule, processes, bounded: false, reuse: false }
}

// 65,000 places: the array has reached its size, and starts again at its first place, after as many transactions.
snapshot_api::standby_laws!(boolean_array, BooleanArray, array(CompactionRule::Since15_2, 1_000));
snapshot_api::standby_laws!(
    boolean_array_original,
    BooleanArray,
    array(CompactionRule::Original, 1_000)
);

// 260 places: gaps are closed and space runs out within a history.
snapshot_api::standby_laws!(
    boolean_array_original_bounded_reuse,
    BooleanArray,
    BooleanArrayConfig { bounded: true, reuse: true, ..array(CompactionRule::Original, 4) }
);
snapshot_api::standby_laws!(
    boolean_array_small_reuse,
    BooleanArray,
    BooleanArrayConfig { reuse: true, ..array(CompactionRule::Since15_2, 4) }
);

snapshot_api::snapshot_laws!(proc_array_scattered, ProcArray, ProcArrayConfig::default());
snapshot_api::snapshot_laws!(
    proc_array_dense_reuse,
    ProcArray,
    ProcArrayConfig { sessions: 16, layout: Layout::Dense, reuse: true, group_clear: false }
);
snapshot_api::snapshot_laws!(
    proc_array_dense_reuse_group,
    ProcArray,
    ProcArrayConfig { sessions: 16, layout: Layout::Dense, reuse: true, group_clear: true }
);
