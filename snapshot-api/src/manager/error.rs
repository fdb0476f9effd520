//! What can go wrong in a manager.

use std::{error::Error, fmt, sync::Arc, time::Duration};

use crate::{AssignError, CapacityExceeded, OldSnapshotPolicy, SessionId};

/// A savepoint that this transaction does not have: of another one, or gone with a savepoint below it that was released or
/// rolled back to. Nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SavepointError;

impl fmt::Display for SavepointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "no such savepoint in this transaction: it belongs to another one, or went with one set before it",
        )
    }
}

impl Error for SavepointError {}

/// Rows that this snapshot needs may be gone: what was read under it counts no more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SnapshotTooOld {
    /// Who took it.
    pub session: SessionId,
    /// How that session calls itself.
    pub label: Option<Arc<str>>,
    /// How long ago it was taken, give or take one interval of ticks.
    pub age: Duration,
    /// How many ids have been handed out since.
    pub transactions: u64,
    /// How old it was allowed to get.
    pub limit: OldSnapshotPolicy,
}

impl fmt::Display for SnapshotTooOld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "snapshot too old: session {}", self.session)?;
        if let Some(label) = &self.label {
            write!(f, " ({label})")?;
        }
        let (age, gap) = (self.age, self.transactions);
        write!(f, " took it {age:.1?} and {gap} transactions ago")?;
        let OldSnapshotPolicy { max_age, max_gap } = self.limit;
        match (max_age, max_gap) {
            (Some(age), Some(gap)) => write!(f, ", the limit is {age:?} or {gap} transactions"),
            (Some(age), None) => write!(f, ", the limit is {age:?}"),
            (None, Some(gap)) => write!(f, ", the limit is {gap} transactions"),
            // Somebody else has moved the threshold.
            (None, None) => Ok(()),
        }
    }
}

impl Error for SnapshotTooOld {}

/// Why a transaction was not prepared. It is still open.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PrepareError {
    /// Another prepared transaction has this name.
    NameInUse(String),
    /// As many are prepared as there can be.
    Full(CapacityExceeded),
    /// It had no id yet, and did not get one.
    NoId(AssignError),
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrepareError::NameInUse(name) => {
                write!(f, "cannot prepare: a prepared transaction is called {name:?} already")
            }
            PrepareError::Full(full) => write!(f, "cannot prepare: {full}"),
            PrepareError::NoId(why) => write!(f, "cannot prepare: {why}"),
        }
    }
}

impl Error for PrepareError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            PrepareError::NameInUse(_) => None,
            PrepareError::Full(full) => Some(full),
            PrepareError::NoId(why) => Some(why),
        }
    }
}

/// No prepared transaction has this name: it never had, or somebody else has settled it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotPrepared {
    /// The name.
    pub name: String,
}

impl fmt::Display for NotPrepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no prepared transaction is called {:?}", self.name)
    }
}

impl Error for NotPrepared {}

/// A snapshot that was shared by a session of another manager: its ids are others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForeignSnapshot;

impl fmt::Display for ForeignSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the snapshot was taken by a session of another transaction manager")
    }
}

impl Error for ForeignSnapshot {}
