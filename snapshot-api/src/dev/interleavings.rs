//! What models of protocols share: they run in every interleaving, under `--cfg snapshot_loom` alone.

use std::sync::{
    Arc,
    // Not loom's: it counts the model's runs.
    atomic::{AtomicUsize, Ordering},
};

use crate::{SessionId, Snapshot, SnapshotStrategy, Xid};

/// Runs `model` in every interleaving of its threads and returns how many loom found.
///
/// loom orders anew by the *last* access to an atomic, so that a thread that loads what it is about to store hides an
/// earlier load of another: it may find a single one where there are many.
pub fn count(model: impl Fn() + Send + Sync + 'static) -> usize {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    loom::model(move || {
        // Relaxed: one run after the other.
        counted.fetch_add(1, Ordering::Relaxed);
        model();
    });
    runs.load(Ordering::Relaxed)
}

/// The same, and sees that there is more than one.
///
/// # Panics
///
/// loom found only one: the threads do not meet, and the model proves nothing.
pub fn every(model: impl Fn() + Send + Sync + 'static) -> usize {
    let runs = count(model);
    println!("{runs} interleavings");
    assert!(runs > 1, "the threads do not meet: one interleaving");
    runs
}

/// Ids by their numbers.
pub fn ids<const N: usize>(ids: [u64; N]) -> [Xid; N] {
    ids.map(Xid::new)
}

/// Begins an id that is in order.
///
/// # Panics
///
/// It is refused.
pub fn begin<S: SnapshotStrategy>(strategy: &S, session: SessionId, id: u64) {
    strategy.begin(session, Xid::new(id)).expect("in order");
}

/// A snapshot's xmax and its running ids.
pub fn content(snapshot: &impl Snapshot) -> (u64, Vec<u64>) {
    (snapshot.xmax().get(), snapshot.running().map(Xid::get).collect())
}

/// Takes, and says xmax and the running ids.
pub fn take<S: SnapshotStrategy>(strategy: &S, snapshot: &mut S::Snapshot) -> (u64, Vec<u64>) {
    strategy.take(snapshot);
    content(snapshot)
}

/// Takes beside the others, in turn into so many values: each result is one of `states`, and none is older than the one
/// before it.
///
/// # Panics
///
/// The strategy shows something else.
pub fn take_in_turn<S: SnapshotStrategy>(
    strategy: &S,
    values: usize,
    takes: usize,
    states: &[(u64, &[u64])],
) {
    let mut values: Vec<_> = (0..values).map(|_| strategy.snapshot()).collect();
    let (mut oldest, count) = (0, values.len());
    for turn in 0..takes {
        let (xmax, running) = take(strategy, &mut values[turn % count]);
        let at = states.iter().position(|&state| state == (xmax, &running));
        let at = at.unwrap_or_else(|| panic!("{running:?} below {xmax} was never so"));
        assert!(at >= oldest, "back from {:?} to {:?}", states[oldest], states[at]);
        oldest = at;
    }
}
