//! [`ResultsError`]: whatever is wrong with a file of results, said in one way.

use std::{
    error::Error,
    fmt,
    path::{Path, PathBuf},
};

/// A file of results that cannot be used: where, the line, and what was expected. Ends a command with exit code 2.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultsError {
    file: PathBuf,
    line: Option<(usize, String)>,
    expected: String,
}

/// A line in a message is no longer than this, in characters.
const SHOWN: usize = 160;

impl ResultsError {
    /// Something about the file as a whole.
    pub(crate) fn whole(file: &Path, expected: impl Into<String>) -> Self {
        ResultsError { file: file.into(), line: None, expected: expected.into() }
    }

    /// Something about the line of this number, from 1.
    pub(crate) fn at(file: &Path, number: usize, line: &[u8], expected: impl Into<String>) -> Self {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end();
        let mut shown: String = line.chars().take(SHOWN).collect();
        if shown.len() < line.len() {
            shown.push('…');
        }
        ResultsError { file: file.into(), line: Some((number, shown)), expected: expected.into() }
    }

    /// The line's number, from 1; none where the file as a whole is meant.
    pub fn line(&self) -> Option<usize> {
        self.line.as_ref().map(|(number, _)| *number)
    }
}

impl fmt::Display for ResultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        match &self.line {
            Some((number, line)) => write!(f, ":{number}: {}\n  | {line}", self.expected),
            None => write!(f, ": {}", self.expected),
        }
    }
}

impl Error for ResultsError {}
