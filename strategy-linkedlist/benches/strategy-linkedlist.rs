//! The benchmarks of the contract on every design.

use strategy_linkedlist::{LinkedList, SkipOffsets};

snapshot_api::snapshot_benches!(LinkedList = Default::default(), SkipOffsets = Default::default(),);
