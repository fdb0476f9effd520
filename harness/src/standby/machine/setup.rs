//! How a machine is set up, how far it has come, and why it refuses an event.

use std::fmt;

use snapshot_api::{BeginError, RestoreError};

use crate::standby::{Contradiction, Rule};

/// How far a standby has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// Nothing is known yet.
    Start,
    /// It knows the next id, not what runs (`STANDBY_INITIALIZED`).
    Initialized,
    /// It knows what runs, but for some subtransactions (`STANDBY_SNAPSHOT_PENDING`).
    Pending,
    /// It accepts queries (`STANDBY_SNAPSHOT_READY`).
    Ready,
}

/// Where a trace may begin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Start {
    /// With `init` or `init_shutdown`, which say what the state is.
    #[default]
    AtInit,
    /// Anywhere: what comes before the first checkpoint is passed over, and that checkpoint is the start. For text of
    /// pg_waldump, which has no other.
    AtCheckpoint,
}

/// How a machine is set up.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where the trace may begin.
    pub start: Start,
    /// How many ids may be skipped at once. A standby enters every id of a gap, so that one wrong digit would otherwise
    /// enter billions. PostgreSQL has 65 places a process: the default suits 129 thousand processes.
    pub leap: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { start: Start::AtInit, leap: 1 << 23 }
    }
}

/// Why an event was not applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The trace is wrong.
    Trace(Contradiction),
    /// The strategy refused what every standby has to do.
    Strategy(Refusal),
}

/// What a strategy refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// To enter an id.
    Begin(BeginError),
    /// To start from a known state.
    Restore(RestoreError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Begin(why) => write!(f, "begin refused: {why}"),
            Refusal::Restore(why) => write!(f, "restore refused: {why}"),
        }
    }
}

impl From<BeginError> for Refused {
    fn from(why: BeginError) -> Self {
        Refused::Strategy(Refusal::Begin(why))
    }
}

impl From<RestoreError> for Refused {
    fn from(why: RestoreError) -> Self {
        Refused::Strategy(Refusal::Restore(why))
    }
}

#[cold]
pub(super) fn contradiction<T>(
    rule: Rule,
    expected: impl FnOnce() -> String,
) -> Result<T, Refused> {
    Err(Refused::Trace(Contradiction { rule, expected: expected() }))
}
