//! The subtransactions of one session's transaction.
//!
//! PostgreSQL keeps 64 of them beside each process and drops the rest into a table on disk: the snapshot has then
//! *overflowed*. This list grows, so that nothing is ever lost. It is appended to beside readers, so it never moves: its
//! chunks double in size, and each is allocated when the first id comes to lie in it.
//!
//! ```text
//!   chunk 0 │ 64 ids │    1 │ 128 ids       │    2 │ 256 ids …                       len ─► published ids
//! ```

use std::sync::OnceLock;

use snapshot_api::{
    Xid,
    sync::{
        AtomicU64, AtomicUsize,
        Ordering::{Acquire, Relaxed, Release},
        step,
    },
};

/// Ids in the first chunk, a power of two: as many as PostgreSQL keeps (`PGPROC_MAX_CACHED_SUBXIDS`).
const FIRST: usize = if cfg!(snapshot_loom) { 2 } else { 64 };

/// So many chunks hold 2⁴⁰ ids or more: memory ends before.
const CHUNKS: usize = 40;

/// Ids in any order. Appends are made by holders of the turn to begin; removals under the exclusive lock besides.
#[derive(Debug)]
pub(super) struct SubList {
    chunks: [OnceLock<Box<[AtomicU64]>>; CHUNKS],
    /// How many ids there are. Written by holders of the turn.
    len: AtomicUsize,
}

impl SubList {
    pub(super) fn new() -> Self {
        SubList { chunks: [const { OnceLock::new() }; CHUNKS], len: AtomicUsize::new(0) }
    }

    /// Appends an id: the caller holds the turn.
    pub(super) fn push(&self, xid: Xid) {
        // Relaxed: only holders of the turn write.
        let len = self.len.load(Relaxed);
        let (chunk, at) = locate(len);
        step();
        let chunk = self.chunks[chunk]
            .get_or_init(|| (0..FIRST << chunk).map(|_| AtomicU64::new(0)).collect());
        // Relaxed: published by the store that follows.
        chunk[at].store(xid.get(), Relaxed);
        // Release: pairs with the Acquire load in `for_each`; who sees the new length sees the id.
        self.len.store(len + 1, Release);
    }

    /// Calls `id` with each id. The caller holds the lock that keeps removals out.
    pub(super) fn for_each(&self, mut id: impl FnMut(u64)) {
        // Acquire: pairs with the Release store in `push`; the ids below this length and their chunks are there.
        let mut left = self.len.load(Acquire);
        for chunk in &self.chunks {
            step();
            let Some(chunk) = chunk.get() else { return };
            for xid in &chunk[..left.min(chunk.len())] {
                // Relaxed: the length was read first.
                id(xid.load(Relaxed));
            }
            left = left.saturating_sub(chunk.len());
            if left == 0 {
                return;
            }
        }
    }

    /// Removes the ids that `gone` names and says how many there were and how many are left. The caller holds the turn
    /// and the exclusive lock.
    pub(super) fn remove(&self, gone: impl Fn(u64) -> bool) -> (usize, usize) {
        let mut kept = 0;
        let mut seen = 0;
        self.for_each(|xid| {
            seen += 1;
            if !gone(xid) {
                // `kept` is never ahead of what has been read. Relaxed: readers and appends are locked out.
                self.at(kept).store(xid, Relaxed);
                kept += 1;
            }
        });
        // Relaxed: the exclusive lock publishes it.
        self.len.store(kept, Relaxed);
        (seen - kept, kept)
    }

    fn at(&self, place: usize) -> &AtomicU64 {
        let (chunk, at) = locate(place);
        step();
        let chunk = self.chunks[chunk].get();
        &chunk.expect("a chunk is allocated before the list grows into it")[at]
    }
}

/// Chunk and place within it.
fn locate(place: usize) -> (usize, usize) {
    let shifted = place + FIRST;
    let chunk = (shifted / FIRST).ilog2();
    (chunk as usize, shifted - (FIRST << chunk))
}
