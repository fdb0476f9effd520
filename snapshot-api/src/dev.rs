//! For tests and benches of strategies: the law book, plain models, benchmarks. Feature `dev`.

pub mod alloc;
#[cfg(not(snapshot_loom))]
pub mod bench;
#[cfg(snapshot_loom)]
pub mod interleavings;
#[cfg(not(snapshot_loom))]
pub mod laws;
pub mod models;
#[cfg(not(snapshot_loom))]
pub mod tracker;
