//! How a [`ProcArray`](crate::ProcArray) is set up.

use std::fmt;

/// How a [`ProcArray`](crate::ProcArray) is set up. The default is 1,000 scattered slots without reuse and
/// without group clear.
///
/// ```
/// use snapshot_api::{Restore, SnapshotStrategy, Xid};
/// use strategy_baseline::{Layout, ProcArray, ProcArrayConfig};
///
/// let config = ProcArrayConfig { layout: Layout::Dense, reuse: true, ..ProcArrayConfig::default() };
/// let array = ProcArray::restore(&config, Xid::FROZEN, &[])?;
/// assert_eq!(array.facts().name, "proc-array(dense+reuse)");
/// # Ok::<(), snapshot_api::RestoreError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcArrayConfig {
    /// How many sessions there may be: `begin` refuses a session with this number or a higher one. Their slots, about 40
    /// bytes each, are allocated at once.
    pub sessions: u32,
    /// Where the ids of the sessions lie.
    pub layout: Layout,
    /// Whether a snapshot value is kept as it is while nothing has completed, after one atomic load: PostgreSQL 14 and
    /// later.
    pub reuse: bool,
    /// Whether those that wait for another `end` are ended together by the first of them: PostgreSQL 9.6 and later. Costs
    /// 128 bytes a session.
    pub group_clear: bool,
}

impl Default for ProcArrayConfig {
    fn default() -> Self {
        ProcArrayConfig {
            sessions: 1_000,
            layout: Layout::Scattered,
            reuse: false,
            group_clear: false,
        }
    }
}

/// The variant in parentheses: `scattered`, `dense+reuse+group`.
impl fmt::Display for ProcArrayConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.layout {
            Layout::Scattered => "scattered",
            Layout::Dense => "dense",
        })?;
        f.write_str(if self.reuse { "+reuse" } else { "" })?;
        f.write_str(if self.group_clear { "+group" } else { "" })
    }
}

/// Where the ids of the sessions lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// Up to version 13: one small struct a session, at the session's own place among all that there may be. A sorted
    /// index array names those in use, and a snapshot follows it all over the array.
    Scattered,
    /// Since version 14: the ids of the sessions in use lie side by side, in an array of nothing else.
    Dense,
}
