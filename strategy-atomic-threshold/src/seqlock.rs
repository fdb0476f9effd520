//! `seqlock`: whole pairs under a sequence lock, the timestamp beside it for readers.
//!
//! ```text
//!  line 1               line 2                                    line 3
//!  ┌───────────┐        ┌──────┬───────────────────────────┐      ┌────────┬─────┐
//!  │ timestamp │        │ turn │ cell: seq, timestamp, xid │      │ writer │ met │
//!  └───────────┘        └──────┴───────────────────────────┘      └────────┴─────┘
//!
//!  advance     lock writer │ turn odd │ timestamp (Release) │ cell │ turn even (Release) │ unlock
//!  load        turn (Acquire), wait while it is odd │ cell
//!  timestamp   timestamp (Acquire)
//! ```
//!
//! The cell is the crate `seqlock`'s: a reader copies the pair, and copies it again if the cell's number has changed
//! meanwhile. Its copy is a volatile read beside a possible write: a data race by the letter of the memory model, although
//! a torn copy is thrown away. It is hidden behind one type with two methods.
//!
//! # What is blocking about it
//!
//! Readers write nothing, so that any number of them share the lines. But while a writer is inside, `load` waits, and if
//! the writer lost its core there, it waits until the writer has it back: the facts say blocking. [`timestamp`] does not go
//! through the lock: one load, wait-free, whatever a writer does.
//!
//! The cell's own wait can neither be seen nor counted, so `turn` goes round it: odd from before the write until after it.
//! `load` waits for an even turn itself, and looks at the turn again after the copy: if it has changed, a writer came in
//! between, and the call counts as one that met a writer, whether or not the cell made it wait (at most a handful of
//! instructions of the writer, none of them a point at which it gives way by itself).
//!
//! # Proof
//!
//! **(c)** Writers come one by one, under `writer`. Each writes the maximum of the pair and what it was asked for; the cell
//! gives one of the pairs written, whole. **(a)** follows, and for the timestamp beside it too, which takes the pair's
//! values in the same order.
//!
//! **(b)** The timestamp stands in its atomic before the pair stands in the cell. The cell's number is stored with Release
//! and loaded with Acquire, so that for whoever got the pair out of the cell the store to the atomic has happened, also
//! for a reader that sees the pruner's work. It reads this value or a later one.
//!
//! **Between the two.** Who has read T from `timestamp` must not get less from `load`. T was stored with Release after the
//! turn became odd, and read with Acquire: `load` finds the turn odd, and waits, or already even again. Either way the pair
//! with T is in the cell.
//!
//! # Costs
//!
//! `timestamp`: one load. `load`: six loads, or waits. `advance`: a `load`, and only if something rises a lock and
//! writes to three lines.
//!
//! [`timestamp`]: ThresholdStrategy::timestamp

mod cell;

use std::fmt;

use snapshot_api::{
    Pairing, Progress, Threshold, ThresholdFacts, ThresholdStrategy, Timestamp,
    sync::{AtomicU64, Mutex, Ordering, Padded, spin_loop},
};

use self::cell::PairCell;

/// The pair under a sequence lock. See the [module](self).
#[derive(Default)]
pub struct SeqlockThreshold {
    /// The pair's timestamp, never behind it.
    timestamp: Padded<AtomicU64>,
    pair: Padded<Pair>,
    writers: Padded<Writers>,
}

#[derive(Default)]
struct Pair {
    /// Odd while a writer is inside.
    turn: AtomicU64,
    cell: PairCell,
}

#[derive(Default)]
struct Writers {
    lock: Mutex<()>,
    /// How many calls of `load` met a writer: a statistic.
    met: AtomicU64,
}

/// The turn is odd as long as this lives.
struct Turn<'a> {
    turn: &'a AtomicU64,
    even: u64,
}

impl<'a> Turn<'a> {
    /// The caller holds the writers' lock.
    fn begin(turn: &'a AtomicU64) -> Self {
        // Relaxed: under the writers' lock, which orders it.
        let even = turn.load(Ordering::Relaxed);
        // Relaxed: the Release of the timestamp, and of the cell, come after it and publish it.
        turn.store(even + 1, Ordering::Relaxed);
        Turn { turn, even: even + 2 }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // Release: partner of the Acquire in `load`, which sees the cell written.
        self.turn.store(self.even, Ordering::Release);
    }
}

impl SeqlockThreshold {
    /// The threshold before its first advance.
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits for an even turn and returns it.
    #[cold]
    fn wait(&self) -> u64 {
        loop {
            spin_loop();
            #[cfg(not(snapshot_loom))]
            std::thread::yield_now();
            // Acquire: as in `load`.
            let turn = self.pair.turn.load(Ordering::Acquire);
            if turn.is_multiple_of(2) {
                return turn;
            }
        }
    }

    #[cold]
    fn count_writer_met(&self) {
        // Relaxed: a statistic.
        self.writers.met.fetch_add(1, Ordering::Relaxed);
    }
}

impl ThresholdStrategy for SeqlockThreshold {
    fn facts(&self) -> ThresholdFacts {
        ThresholdFacts {
            name: "seqlock".into(),
            source: "own, on the crate seqlock",
            readers: Progress::Blocking,
            writers: Progress::Blocking,
            pairing: Pairing::Whole,
        }
    }

    #[inline]
    fn timestamp(&self) -> Timestamp {
        // Acquire: partner of the Release in `advance`; law (b) needs none, but a `load` that follows must not be older.
        Timestamp::from_micros(self.timestamp.load(Ordering::Acquire))
    }

    #[inline]
    fn load(&self) -> Threshold {
        // Acquire: partner of the Release in `Turn::drop`; the cell is at least as new as the turn.
        let before = self.pair.turn.load(Ordering::Acquire);
        let met = !before.is_multiple_of(2);
        let before = if met { self.wait() } else { before };
        let pair = self.pair.cell.read();
        // Relaxed: a copy that had to wait came out of a cell written after the turn became odd, and acquired that.
        if met || self.pair.turn.load(Ordering::Relaxed) != before {
            self.count_writer_met();
        }
        pair
    }

    fn advance(&self, to: Threshold) {
        let known = self.load();
        if known.max(to) == known {
            return;
        }
        let _writer = self.writers.lock.lock();
        let known = self.pair.cell.read();
        let raised = known.max(to);
        if raised == known {
            return;
        }
        let _turn = Turn::begin(&self.pair.turn);
        // Release, and before the cell: partner of the Acquire in `timestamp`, which then finds the turn odd or later. A
        // maximum, no store: a writer that panicked here may have left a timestamp that is ahead of the pair.
        self.timestamp.fetch_max(raised.timestamp.as_micros(), Ordering::Release);
        self.pair.cell.write(raised);
    }

    /// Calls of [`load`](ThresholdStrategy::load) that met a writer, and calls of `advance` that found another inside.
    fn lock_waits(&self) -> u64 {
        // Relaxed: a statistic.
        self.writers.met.load(Ordering::Relaxed) + self.writers.lock.waits()
    }
}

impl fmt::Debug for SeqlockThreshold {
    /// Shows what can be read without waiting.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeqlockThreshold")
            .field("timestamp", &self.timestamp())
            .field("lock_waits", &self.lock_waits())
            .finish_non_exhaustive()
    }
}
