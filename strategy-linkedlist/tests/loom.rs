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

use loom::sync::Arc;
use snapshot_api::{SessionId, Snapshot, SnapshotStrategy, Xid};

const ONE: SessionId = SessionId::new(0);
const TWO: SessionId = SessionId::new(1);

fn ids<const N: usize>(ids: [u64; N]) -> [Xid; N] {
    ids.map(Xid::new)
}

fn begin<S: SnapshotStrategy>(strategy: &S, session: SessionId, id: u64) {
    strategy.begin(session, Xid::new(id)).expect("in order");
}

/// xmax and the running ids.
fn take<S: SnapshotStrategy>(strategy: &S, snapshot: &mut S::Snapshot) -> (u64, Vec<u64>) {
    strategy.take(snapshot);
    (snapshot.xmax().get(), snapshot.running().map(Xid::get).collect())
}

/// Two takes beside the others: each result is one of `states`, and the second is no older than the first.
fn take_twice<S: SnapshotStrategy>(strategy: &S, states: &[(u64, &[u64])]) {
    let mut snapshot = strategy.snapshot();
    let mut oldest = 0;
    for _ in 0..2 {
        let (xmax, running) = take(strategy, &mut snapshot);
        let at = states.iter().position(|&state| state == (xmax, &running));
        let at = at.unwrap_or_else(|| panic!("{running:?} below {xmax} was never so"));
        assert!(at >= oldest, "back from {:?} to {:?}", states[oldest], states[at]);
        oldest = at;
    }
}
