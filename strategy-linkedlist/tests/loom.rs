//! Models of the protocols: every interleaving of a few threads, and the wrong orders that must fail.
//!
//! `RUSTFLAGS="--cfg snapshot_loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p strategy-linkedlist --release --test loom`
#![cfg(snapshot_loom)]

#[path = "loom/arrays.rs"]
mod arrays;
#[path = "loom/distances.rs"]
mod distances;
#[path = "loom/epoch.rs"]
mod epoch;
#[path = "loom/links.rs"]
mod links;
#[path = "loom/numbers.rs"]
mod numbers;
#[path = "loom/unlinking.rs"]
mod unlinking;

use snapshot_api::SessionId;

const ONE: SessionId = SessionId::new(0);
const TWO: SessionId = SessionId::new(1);
