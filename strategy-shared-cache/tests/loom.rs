//! Models of the cache's protocol and of each waiting policy, in every interleaving; orders that look right and are wrong
//! among them.
//!
//! `RUSTFLAGS="--cfg snapshot_loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p strategy-shared-cache --test loom`
#![cfg(snapshot_loom)]

#[path = "loom/policies.rs"]
mod policies;
#[path = "loom/publish.rs"]
mod publish;
#[path = "loom/single_bump.rs"]
mod single_bump;
#[path = "loom/spin.rs"]
mod spin;
#[path = "loom/tally.rs"]
mod tally;

use snapshot_api::Xid;

const ONE: Xid = Xid::new(3);
const OTHER: Xid = Xid::new(4);
