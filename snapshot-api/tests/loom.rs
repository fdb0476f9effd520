//! Models of the contract's own protocols, in every interleaving.
//!
//! `RUSTFLAGS="--cfg snapshot_loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p snapshot-api --test loom`
#![cfg(snapshot_loom)]

#[path = "loom/assigner.rs"]
mod assigner;
#[path = "loom/horizon.rs"]
mod horizon;
#[path = "loom/old_snapshots.rs"]
mod old_snapshots;
#[path = "loom/orders.rs"]
mod orders;
#[path = "loom/published.rs"]
mod published;
