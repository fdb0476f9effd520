//! [`LoadError`]: whatever is wrong with a load, said in one way.

use std::{error::Error, fmt};

/// A load that cannot be run: where it stands, and what was expected. Ends a command with exit code 2.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    place: String,
    expected: String,
}

impl LoadError {
    /// Something at a place: a file, a file and a line, an option.
    pub(crate) fn at(place: impl Into<String>, expected: impl Into<String>) -> Self {
        LoadError { place: place.into(), expected: expected.into() }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.expected)
    }
}

impl Error for LoadError {}
