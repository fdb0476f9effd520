//! The old-snapshot threshold: how far pruning may go although somebody might still look.
//!
//! PostgreSQL 9.6 to 16 had the setting `old_snapshot_threshold`: after so many minutes a snapshot may fail with
//! "snapshot too old", so that one forgotten session does not keep every dead row for ever. The state behind it is one
//! pair, read far more often than it changes: by every reader after every page, and by every pruner.
//!
//! # The laws
//!
//! **(a) Never back.** Neither half regresses, under any interleaving of [`advance`](ThresholdStrategy::advance) calls; for one
//! thread not between [`timestamp`](ThresholdStrategy::timestamp) and [`load`](ThresholdStrategy::load) either.
//!
//! **(b) Timestamp before xid.** A reader tests *after* it has read the page. A pruner that got xid X from
//! [`load`](ThresholdStrategy::load), and any reader that tests after it has seen that pruner's work, reads at least the
//! timestamp that came with X:
//!
//! ```text
//!  setter   raise timestamp to 20 ───► raise xid to 700 (Release)
//!                                            │
//!  pruner                     load xid 700 (Acquire) ───► remove rows below 700 ───► page
//!                                                                                     │
//!  reader, snapshot of time 15                                 read the page ◄────────┘
//!                                                              read the timestamp: 20 > 15, snapshot too old
//! ```
//!
//! An old timestamp with a new xid is a silent wrong answer: the reader misses rows and nobody tells it. A new timestamp
//! with an old xid only prunes less. So `advance` raises the timestamp first, then the xid with Release, and `load` reads
//! the xid first, with Acquire, then the timestamp.
//!
//! **(c) A prefix.** A design whose facts say [`Whole`](crate::Pairing::Whole) returns from `load` the part-wise maximum
//! of a prefix of one order of the advances, that order respecting real time. A [`Split`](crate::Pairing::Split) design
//! may mix two prefixes, the timestamp's never being the shorter one.
//!
//! The law book also holds every design to what its facts say about progress, and to exactness: after `advance` has
//! returned, both halves are at least what was asked.

use std::fmt;

use crate::{Xid, facts::ThresholdFacts};

/// A point in time as a number that only rises: microseconds by convention, from whatever start the engine chooses.
///
/// Zero is the threshold before its first advance: no snapshot is older.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Timestamp(u64);

impl Timestamp {
    /// Before everything.
    pub const ZERO: Timestamp = Timestamp(0);

    /// The point in time that lies so many microseconds after the engine's start of counting.
    #[inline]
    pub const fn from_micros(micros: u64) -> Self {
        Timestamp(micros)
    }

    /// Microseconds since the engine's start of counting.
    #[inline]
    pub const fn as_micros(self) -> u64 {
        self.0
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}us", self.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A snapshot taken before `timestamp` may fail with "snapshot too old"; pruning may remove what ended before `xid`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Threshold {
    /// Snapshots taken before it may fail.
    pub timestamp: Timestamp,
    /// What transactions below it removed may be pruned.
    pub xid: Xid,
}

impl Threshold {
    /// The threshold before its first advance: no snapshot is too old, nothing may be pruned on its account.
    pub const NONE: Threshold = Threshold { timestamp: Timestamp::ZERO, xid: Xid::INVALID };

    /// The part-wise maximum.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Threshold { timestamp: self.timestamp.max(other.timestamp), xid: self.xid.max(other.xid) }
    }
}

/// Holds the old-snapshot threshold of one engine. The [module's page](self) lists the laws.
///
/// ```
/// use snapshot_api::{Off, Threshold, ThresholdStrategy, Timestamp, Xid};
///
/// /// What a reader does after it has read a page.
/// fn too_old(threshold: &impl ThresholdStrategy, taken: Timestamp) -> bool {
///     taken < threshold.timestamp()
/// }
///
/// let threshold = Off;
/// threshold.advance(Threshold { timestamp: Timestamp::from_micros(20), xid: Xid::new(700) });
/// assert!(!too_old(&threshold, Timestamp::from_micros(15)), "a threshold that is off ages nobody");
/// ```
pub trait ThresholdStrategy: Send + Sync {
    /// What the strategy says about itself.
    fn facts(&self) -> ThresholdFacts;

    /// The timestamp: the reader's hot path, once a page, *after* it has been read.
    ///
    /// Ordering: at least the timestamp of every `advance` whose xid some pruner loaded, if that pruner's work happens
    /// before this call (law b).
    fn timestamp(&self) -> Timestamp;

    /// The pair, for pruners.
    ///
    /// Ordering: whoever sees what the caller does afterwards reads at least this timestamp (law b).
    fn load(&self) -> Threshold;

    /// Raises each half to at least that of `to`; neither ever goes back.
    fn advance(&self, to: Threshold);

    /// How often a caller had to wait for another since this instance was made. Right as it is for every design in
    /// which nobody waits; the law book checks that a blocking one counts.
    fn lock_waits(&self) -> u64 {
        0
    }
}

/// No threshold: the default of PostgreSQL (−1), and the yardstick of every measurement. Advances are ignored, so that
/// no snapshot is ever too old and nothing is ever pruned early.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Off;

impl ThresholdStrategy for Off {
    fn facts(&self) -> ThresholdFacts {
        ThresholdFacts {
            name: "off".into(),
            source: "PostgreSQL's default, old_snapshot_threshold = -1",
            readers: crate::Progress::WaitFree,
            writers: crate::Progress::WaitFree,
            pairing: crate::Pairing::Whole,
        }
    }

    #[inline]
    fn timestamp(&self) -> Timestamp {
        Timestamp::ZERO
    }

    #[inline]
    fn load(&self) -> Threshold {
        Threshold::NONE
    }

    #[inline]
    fn advance(&self, _to: Threshold) {}
}
