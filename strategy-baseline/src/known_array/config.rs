//! How a [`KnownArray`](super::KnownArray) is set up: the size that it is computed from, and its variants.

use std::fmt;

/// Places for each process: a transaction and its 64 cached subtransactions (`PGPROC_MAX_CACHED_SUBXIDS` + 1).
const PLACES_PER_PROCESS: usize = 65;

/// How a [`KnownArray`](super::KnownArray) is set up. The default is the rule of PostgreSQL 15.2 in an array that
/// grows, sized for 5,000 connections.
///
/// ```
/// use snapshot_api::{Restore, SnapshotStrategy, Xid};
/// use strategy_baseline::{BooleanArray, KnownArrayConfig, CompactionRule};
///
/// let config = KnownArrayConfig {
///     rule: CompactionRule::Original,
///     processes: 100_022,
///     bounded: true,
///     ..KnownArrayConfig::default()
/// };
/// let array = BooleanArray::restore(&config, Xid::FROZEN, &[])?;
/// assert_eq!(array.facts().name, "boolean-array(original+bounded)");
/// assert_eq!(array.facts().capacity, Some(6_501_430));
/// # Ok::<(), snapshot_api::RestoreError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownArrayConfig {
    /// When gaps are closed.
    pub rule: CompactionRule,
    /// How many processes the primary may have (`PROCARRAY_MAXPROCS`): connections, auxiliary processes and prepared
    /// transactions. Taken as 1 where it is 0. The default, 5,022, is what `max_connections = 5000` gives in PostgreSQL
    /// 15 with its other settings as they come: 3 autovacuum workers, their launcher, 8 background workers, 10 WAL senders.
    pub processes: usize,
    /// Whether [`places`](Self::places) is a limit, as in PostgreSQL, or the array grows beyond it once more than half
    /// of them hold running ids.
    pub bounded: bool,
    /// Whether a snapshot value that holds the current version is kept as it is, after one atomic load: PostgreSQL 14
    /// and later.
    pub reuse: bool,
}

impl KnownArrayConfig {
    /// How many places PostgreSQL gives the array: 65 for each process (`TOTAL_MAX_CACHED_SUBXIDS`).
    ///
    /// ```
    /// assert_eq!(strategy_baseline::KnownArrayConfig::default().places(), 326_430);
    /// ```
    pub const fn places(&self) -> usize {
        PLACES_PER_PROCESS.saturating_mul(at_least_one(self.processes))
    }

    /// The span from which on the original rule closes gaps: 4 places for each process.
    ///
    /// ```
    /// assert_eq!(strategy_baseline::KnownArrayConfig::default().original_span(), 20_088);
    /// ```
    pub const fn original_span(&self) -> usize {
        at_least_one(self.processes).saturating_mul(4)
    }
}

const fn at_least_one(processes: usize) -> usize {
    if processes == 0 { 1 } else { processes }
}

impl Default for KnownArrayConfig {
    fn default() -> Self {
        KnownArrayConfig {
            rule: CompactionRule::Since15_2,
            processes: 5_022,
            bounded: false,
            reuse: false,
        }
    }
}

/// The variant in parentheses: `15.2`, `original+bounded`, `15.2+reuse`.
impl fmt::Display for KnownArrayConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.rule {
            CompactionRule::Original => "original",
            CompactionRule::Since15_2 => "15.2",
        })?;
        f.write_str(if self.bounded { "+bounded" } else { "" })?;
        f.write_str(if self.reuse { "+reuse" } else { "" })
    }
}

/// When the gaps that ended ids leave in a [`KnownArray`](super::KnownArray) are closed
/// (`KnownAssignedXidsCompress`). Under both rules they are closed when the array is out of space.
///
/// PostgreSQL's third occasion since 15.2, once a second while the replaying process is idle, has no counterpart here:
/// a strategy has no process of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompactionRule {
    /// What the reports ran: after an end or a prune, once the span has reached 4 times the number of processes and
    /// twice the number running. One old transaction makes every reader walk over up to
    /// [`original_span`](KnownArrayConfig::original_span) places, however few run.
    Original,
    /// Since 15.2: at the 1st, 129th, 257th … end that leaves gaps, if the span has reached twice the number running;
    /// and at every prune that leaves gaps.
    Since15_2,
}
