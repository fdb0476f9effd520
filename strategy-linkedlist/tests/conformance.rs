//! The law book, run on every design.

use strategy_baseline::CompactionRule;
use strategy_linkedlist::{EpochList, LinkedList, ListConfig, SkipOffsets};

snapshot_api::counting_allocator!();

/// 65,000 places: the array has reached its size, and starts again at its first place, after as many transactions.
const SETTLED: ListConfig = ListConfig { rule: CompactionRule::Since15_2, processes: 1_000 };
/// Gaps are closed at a span of 16, and 260 places are soon used up: then the array is compacted or grows.
const SMALL: ListConfig = ListConfig { rule: CompactionRule::Original, processes: 4 };

snapshot_api::standby_laws!(linked_list, LinkedList, SETTLED);
snapshot_api::standby_laws!(linked_list_small, LinkedList, SMALL);
snapshot_api::standby_laws!(skip_offsets, SkipOffsets, SETTLED);
snapshot_api::standby_laws!(skip_offsets_small, SkipOffsets, SMALL);

snapshot_api::standby_laws!(epoch_list, EpochList, ());
