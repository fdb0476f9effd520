//! [`Error`]: why a transaction cannot do what it was asked to.

use std::fmt;

use snapshot_api::{AssignError, SavepointError, SnapshotTooOld, Xid};

/// Why a transaction cannot do what it was asked to. Nothing has changed: it is still open, and what it wrote before stands.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error<K> {
    /// The newest version of the key is by a transaction that this one does not see: it has committed since, or it is still
    /// running. To be tried again, from the begin.
    Conflict {
        /// The key that both write.
        key: K,
        /// Who was first.
        with: Xid,
    },
    /// Versions that this snapshot needs may be gone. To be tried again, from the begin.
    TooOld(SnapshotTooOld),
    /// No id to write with.
    NoId(AssignError),
    /// The transaction has no such savepoint.
    Savepoint(SavepointError),
}

impl<K> Error<K> {
    /// Whether the same transaction, begun once more, may go through.
    pub fn is_transient(&self) -> bool {
        matches!(self, Error::Conflict { .. } | Error::TooOld(_))
    }
}

impl<K: fmt::Debug> fmt::Display for Error<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Conflict { key, with } => {
                write!(f, "conflict: key {key:?} was written by transaction {with} beside this one")
            }
            Error::TooOld(too_old) => fmt::Display::fmt(too_old, f),
            Error::NoId(why) => fmt::Display::fmt(why, f),
            Error::Savepoint(why) => fmt::Display::fmt(why, f),
        }
    }
}

impl<K: fmt::Debug> std::error::Error for Error<K> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Conflict { .. } => None,
            Error::TooOld(too_old) => Some(too_old),
            Error::NoId(why) => Some(why),
            Error::Savepoint(why) => Some(why),
        }
    }
}

impl<K> From<SnapshotTooOld> for Error<K> {
    fn from(too_old: SnapshotTooOld) -> Self {
        Error::TooOld(too_old)
    }
}

impl<K> From<AssignError> for Error<K> {
    fn from(why: AssignError) -> Self {
        Error::NoId(why)
    }
}

impl<K> From<SavepointError> for Error<K> {
    fn from(why: SavepointError) -> Self {
        Error::Savepoint(why)
    }
}
