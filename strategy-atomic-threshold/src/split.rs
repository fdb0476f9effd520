//! `split-atomic`: two atomics, the timestamp raised before the xid.
//!
//! ```text
//!  line 1                line 2
//!  ┌───────────┐         ┌───────┐
//!  │ timestamp │         │  xid  │
//!  └───────────┘         └───────┘
//!
//!  advance     1. raise timestamp (Relaxed)     2. raise xid (Release)
//!  load        2. timestamp (Relaxed)           1. xid (Acquire)
//!  timestamp   timestamp (Relaxed)
//! ```
//!
//! # Proof
//!
//! **(a)** Each half is written by `fetch_max` alone, so that its modification order rises. A thread that has read a value
//! reads it or a later one the next time (read-read coherence).
//!
//! **(b), pruner.** The xid X that `load` reads was written by some `advance`, or X was left in place by later ones. That
//! `advance` had before, in program order, either raised the timestamp to at least its T or read one that was. Its
//! Release and the Acquire of `load` make this happen before `load`'s read of the timestamp; by coherence that read gives
//! T or more. Later raises of the xid are read-modify-writes: they continue the release sequence and carry a Release of
//! their own.
//!
//! **(b), reader.** The caller brings one thing: the pruner's work on the page happens before the reader's call of
//! `timestamp` (the page's latch does it: released by the pruner, acquired by the reader, who tests *afterwards*). So the
//! pruner's read of the timestamp happens before the reader's, and by read-read coherence the reader gets the same value
//! or a later one: at least the T that came with X. The reader's own load therefore needs **no ordering of its own**:
//! Relaxed. It is the Acquire of the page that keeps it from moving up, and it is the order in the program, page then test,
//! that makes this Acquire count. An engine that reads pages without such an edge has no law (b) with any threshold.
//!
//! What the proof does need is the Release/Acquire pair on the xid: with a Relaxed xid the raise of the timestamp may reach
//! the pruner after the raise of the xid. `tests/loom.rs` keeps this, the xid raised first and the test before the page as
//! three models that must fail.
//!
//! **(c)** The facts say `Split`: the timestamp may come from a later advance than the xid, see [`load`]. Nothing is lost
//! by it: too new a timestamp lets a pruner prune no row more, for it is the xid that it prunes by.
//!
//! # Layout
//!
//! Readers read the timestamp alone. On one line with the xid they would lose it twice for each advance (the raise of the
//! timestamp, and after they have fetched it again that of the xid); on two lines once, and not at all when only the xid
//! rises. The price: 128 bytes, and a second miss for a pruner. An advance that changes nothing writes nothing, so that the
//! lines stay shared by all cores.
//!
//! # Costs
//!
//! `timestamp`: one load. `load`: two. Both wait-free. `advance`: two loads, and a `fetch_max` for each half that rises;
//! lock-free, since that is a compare-exchange loop on x86.
//!
//! [`load`]: ThresholdStrategy::load

use snapshot_api::{
    Pairing, Progress, Threshold, ThresholdFacts, ThresholdStrategy, Timestamp, Xid,
    sync::{AtomicU64, Ordering, Padded},
};

/// The pair in two atomics. See the [module](self).
#[derive(Debug, Default)]
pub struct SplitAtomicThreshold {
    timestamp: Padded<AtomicU64>,
    xid: Padded<AtomicU64>,
}

impl SplitAtomicThreshold {
    /// The threshold before its first advance.
    pub fn new() -> Self {
        Self::default()
    }
}

impl ThresholdStrategy for SplitAtomicThreshold {
    fn facts(&self) -> ThresholdFacts {
        ThresholdFacts {
            name: "split-atomic".into(),
            source: "thread \"old_snapshot_threshold bottleneck on replica\", patch 0001 and its question",
            readers: Progress::WaitFree,
            writers: Progress::LockFree,
            pairing: Pairing::Split,
        }
    }

    #[inline]
    fn timestamp(&self) -> Timestamp {
        // Relaxed: the caller has read the page with Acquire before, see the proof of (b), reader.
        Timestamp::from_micros(self.timestamp.load(Ordering::Relaxed))
    }

    #[inline]
    fn load(&self) -> Threshold {
        // Acquire, and first: partner of the Release in `advance`, after which the timestamp below is at least as new.
        let xid = Xid::new(self.xid.load(Ordering::Acquire));
        // Relaxed: ordered behind the Acquire.
        let timestamp = Timestamp::from_micros(self.timestamp.load(Ordering::Relaxed));
        Threshold { timestamp, xid }
    }

    fn advance(&self, to: Threshold) {
        let Threshold { timestamp, xid } = to;
        // Relaxed, load and raise: the Release below publishes either. A load that finds the timestamp high enough counts as
        // much as a raise: whoever acquires the xid below reads, by coherence, no older one.
        if self.timestamp.load(Ordering::Relaxed) < timestamp.as_micros() {
            self.timestamp.fetch_max(timestamp.as_micros(), Ordering::Relaxed);
        }
        // Relaxed: if the xid is high enough, the advance that raised it has published its own timestamp.
        if self.xid.load(Ordering::Relaxed) < xid.get() {
            // Release: partner of the Acquire in `load`.
            self.xid.fetch_max(xid.get(), Ordering::Release);
        }
    }
}
