//! What can go wrong: a transaction that cannot be entered, and an instance that cannot be restored.

use std::{error::Error, fmt};

use crate::Xid;

/// A bounded design has no place left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CapacityExceeded {
    /// What is full, in the plural: `"places"`, `"session slots"`.
    pub what: &'static str,
    /// How many there are.
    pub limit: usize,
}

impl fmt::Display for CapacityExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "all {} {} are in use", self.limit, self.what)
    }
}

impl Error for CapacityExceeded {}

/// Why a transaction could not be entered. The strategy is as it was before the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BeginError {
    /// A bounded design has no place left.
    Full(CapacityExceeded),
    /// The id is reserved or the bound at the end of the range: no transaction can have it.
    NotNormal(Xid),
    /// The id does not lie above every id that was begun or completed before. Entering it would bring an id to life
    /// that some snapshot already saw as ended.
    OutOfOrder {
        /// The id that was refused.
        xid: Xid,
        /// The highest id begun or completed so far.
        last: Xid,
    },
}

impl fmt::Display for BeginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BeginError::Full(full) => fmt::Display::fmt(full, f),
            BeginError::NotNormal(xid) => {
                write!(f, "id {xid} is no transaction's: reserved or beyond the last")
            }
            BeginError::OutOfOrder { xid, last } => {
                write!(f, "id {xid} is out of order: {last} was begun or completed before")
            }
        }
    }
}

impl Error for BeginError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            BeginError::Full(full) => Some(full),
            _ => None,
        }
    }
}

impl From<CapacityExceeded> for BeginError {
    fn from(full: CapacityExceeded) -> Self {
        BeginError::Full(full)
    }
}

/// Why an instance could not be restored from a known state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RestoreError {
    /// More ids are running than a bounded design has places for.
    Full(CapacityExceeded),
    /// An id in the list of those running, or the latest completed one, is reserved or beyond the last.
    NotNormal(Xid),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::Full(full) => write!(f, "cannot restore: {full}"),
            RestoreError::NotNormal(xid) => {
                write!(
                    f,
                    "cannot restore: id {xid} is no transaction's: reserved or beyond the last"
                )
            }
        }
    }
}

impl Error for RestoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            RestoreError::Full(full) => Some(full),
            RestoreError::NotNormal(_) => None,
        }
    }
}

impl From<CapacityExceeded> for RestoreError {
    fn from(full: CapacityExceeded) -> Self {
        RestoreError::Full(full)
    }
}
