//! [`TraceError`]: everything that can be wrong with a trace, said in one way.

use std::{error::Error, fmt, io, sync::Arc};

use crate::standby::Contradiction;

/// A trace that cannot be used: where, the line, and what was expected. Ends a command with exit code 2.
#[derive(Debug)]
pub struct TraceError(Box<Details>);

/// In a box, so that what is returned for every line stays small.
#[derive(Debug)]
struct Details {
    file: Arc<str>,
    line: Option<u64>,
    text: String,
    problem: Problem,
}

/// What is wrong with a trace.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// It cannot be read.
    Io(io::Error),
    /// The gzip stream breaks off or is damaged.
    Gzip(io::Error),
    /// The last line has no end: the file was cut off.
    CutOff,
    /// The file ends before its first event or row.
    Empty,
    /// A line is longer than a reader keeps in memory; the limit in bytes.
    LineTooLong(usize),
    /// Something else was expected.
    Malformed {
        /// What.
        expected: &'static str,
        /// In which column, from 1, in bytes.
        column: usize,
    },
    /// The position lies before that of an earlier line.
    GoesBack {
        /// The position of the earlier line.
        after: super::Lsn,
    },
    /// The line contradicts what the lines before it said.
    Contradiction(Contradiction),
}

/// A line in a message is no longer than this, in bytes.
const SHOWN: usize = 160;

impl TraceError {
    pub(crate) fn new(file: &Arc<str>, line: Option<(u64, &[u8])>, problem: Problem) -> Self {
        TraceError(Box::new(Details {
            file: Arc::clone(file),
            line: line.map(|(number, _)| number),
            text: line.map(|(_, text)| shorten(text)).unwrap_or_default(),
            problem,
        }))
    }

    /// The file as the user named it; `standard input` for a pipe.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The line's number, from 1; `None` where no line is to blame.
    pub fn line(&self) -> Option<u64> {
        self.0.line
    }

    /// The line without its end, shortened when very long.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// What is wrong with it.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }
}

fn shorten(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    if line.len() <= SHOWN {
        return line.escape_ascii().to_string();
    }
    format!("{} … ({} bytes)", line[..SHOWN].escape_ascii(), line.len())
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { file, line, text, problem } = &*self.0;
        write!(f, "{file}:")?;
        if let Some(line) = line {
            write!(f, "{line}:")?;
        }
        match problem {
            Problem::Io(error) => write!(f, " cannot read: {error}")?,
            Problem::Gzip(error) => write!(f, " the gzip stream breaks here: {error}")?,
            Problem::CutOff => f.write_str(" expected the end of the line: the file is cut off")?,
            Problem::Empty => f.write_str(" expected at least one line of content")?,
            Problem::LineTooLong(limit) => {
                write!(f, " expected the end of the line within {limit} bytes")?;
            }
            Problem::Malformed { expected, column } => {
                write!(f, " expected {expected} at column {column}")?;
            }
            Problem::GoesBack { after } => write!(f, " expected an LSN not before {after}")?,
            Problem::Contradiction(contradiction) => write!(f, " {contradiction}")?,
        }
        if line.is_some() {
            write!(f, "\n  | {text}")?;
        }
        Ok(())
    }
}

impl Error for TraceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self.problem() {
            Problem::Io(error) | Problem::Gzip(error) => Some(error),
            Problem::Contradiction(contradiction) => Some(contradiction),
            _ => None,
        }
    }
}
