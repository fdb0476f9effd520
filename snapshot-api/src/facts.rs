//! What a strategy says about itself: its name, where it comes from, what it costs, what it promises.

use std::{borrow::Cow, fmt};

/// How far a caller depends on the other threads.
///
/// The order is the strength of the promise. The law on progress holds each strategy to its word, with a thread stalled
/// or panicking inside each operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Progress {
    /// A thread that is stopped inside an operation may make the others wait until it goes on.
    Blocking,
    /// Some thread always finishes; a stopped one holds up nobody, but one caller may have to start over again for as
    /// long as others succeed.
    LockFree,
    /// Every call finishes within a bounded number of its own steps.
    WaitFree,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Progress::Blocking => "blocking",
            Progress::LockFree => "lock-free",
            Progress::WaitFree => "wait-free",
        })
    }
}

/// What memory may do while a reader stands still.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Memory {
    /// Growth is bounded by what the snapshots that are held need.
    Bounded,
    /// Unbounded while a reader stalls inside `take` (epoch reclamation), back at its base afterwards.
    UnboundedWhileTaking,
}

/// How costs grow: with *window*, the distance from the oldest running id to the newest, and *running*, the number of
/// ids that run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Costs {
    /// Of [`take`](crate::SnapshotStrategy::take) after something ended.
    pub take: &'static str,
    /// Of [`begin`](crate::SnapshotStrategy::begin).
    pub begin: &'static str,
    /// Of [`end`](crate::SnapshotStrategy::end), for each id of the tree.
    pub end: &'static str,
    /// Of [`is_running`](crate::Snapshot::is_running).
    pub is_running: &'static str,
}

/// What a snapshot strategy says about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Its name on a command line with its variant, for instance `boolean-array(original)`.
    pub name: Cow<'static, str>,
    /// The thread, paper or code that it comes from.
    pub source: &'static str,
    /// How its costs grow.
    pub costs: Costs,
    /// What [`take`](crate::SnapshotStrategy::take) promises.
    pub readers: Progress,
    /// What [`begin`](crate::SnapshotStrategy::begin) and [`end`](crate::SnapshotStrategy::end) promise.
    pub writers: Progress,
    /// Whether ids may be begun in any order, by many threads. An id not begun yet, below xmax, then counts as running.
    /// Otherwise the caller begins ids in rising order, see [`Assigner`](crate::Assigner).
    pub unordered_begin: bool,
    /// How many ids can run at once before `begin` refuses; `None` where it grows. What ended may occupy places until it
    /// is cleared away, but never makes `begin` refuse.
    pub capacity: Option<usize>,
    /// How many heap allocations the first `take` after a change may make, once everything has grown. Zero for every
    /// design that fills the caller's value; a design that hands out a shared copy makes one. Further takes make none.
    pub allocations_per_change: u32,
    /// What its memory may do while a reader stands still.
    pub memory: Memory,
}

/// Whether the two halves of a threshold are read as one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pairing {
    /// [`load`](crate::ThresholdStrategy::load) returns the maximum of some advances that came first.
    Whole,
    /// The timestamp may be newer than the xid that it comes with, never older.
    Split,
}

/// What a threshold strategy says about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThresholdFacts {
    /// Its name on a command line.
    pub name: Cow<'static, str>,
    /// The thread, paper or code that it comes from.
    pub source: &'static str,
    /// What [`timestamp`](crate::ThresholdStrategy::timestamp) and [`load`](crate::ThresholdStrategy::load) promise.
    pub readers: Progress,
    /// What [`advance`](crate::ThresholdStrategy::advance) promises.
    pub writers: Progress,
    /// Whether the pair is one.
    pub pairing: Pairing,
}
