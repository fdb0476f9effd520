//! Values of a load's file: one or a list of them, counts of threads.

use std::{fmt, str::FromStr};

use serde::Deserialize;

use super::MOST_THREADS;

/// One value, or a list of them that is swept.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub(super) fn into_vec(self) -> Vec<T> {
        match self {
            OneOrMany::One(value) => vec![value],
            OneOrMany::Many(values) => values,
        }
    }
}

/// A value of a parameter.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Scalar {
    Whole(i64),
    Number(f64),
    Text(String),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Whole(number) => number.fmt(f),
            Scalar::Number(number) => number.fmt(f),
            Scalar::Text(text) => text.fmt(f),
        }
    }
}

/// As on the command line.
impl From<&str> for Scalar {
    fn from(word: &str) -> Self {
        match (word.parse(), word.parse()) {
            (Ok(whole), _) => Scalar::Whole(whole),
            (_, Ok(number)) => Scalar::Number(number),
            _ => Scalar::Text(word.into()),
        }
    }
}

/// How many threads: a number, or as many as the machine has cores.
///
/// ```
/// use harness::loads::Threads;
///
/// assert_eq!("cores-1".parse(), Ok(Threads::CoresLess(1)));
/// assert_eq!(Threads::CoresLess(1).on(8), 7);
/// assert_eq!(Threads::CoresLess(1).on(1), 1, "one at least");
/// assert!("0".parse::<Threads>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Threads {
    /// So many.
    Number(usize),
    /// The machine's cores less this.
    CoresLess(usize),
}

impl Threads {
    /// How many on a machine of so many cores; one at least.
    pub fn on(self, cores: usize) -> usize {
        match self {
            Threads::Number(number) => number,
            Threads::CoresLess(less) => cores.saturating_sub(less).max(1),
        }
    }
}

impl FromStr for Threads {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let word = word.trim();
        let number = match word.strip_prefix("cores") {
            Some("") => return Ok(Threads::CoresLess(0)),
            Some(less) => {
                let less = less.strip_prefix('-').and_then(|less| less.parse().ok());
                return less.map(Threads::CoresLess).ok_or_else(|| expected(word));
            }
            None => word.parse().map_err(|_| expected(word))?,
        };
        match (1..=MOST_THREADS).contains(&number) {
            true => Ok(Threads::Number(number)),
            false => Err(expected(word)),
        }
    }
}

fn expected(found: &str) -> String {
    format!("expected a number of threads from 1 to {MOST_THREADS}, cores, or cores-1, not {found}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_numbers_or_cores() {
        assert_eq!("104".parse(), Ok(Threads::Number(104)));
        assert_eq!(" cores ".parse(), Ok(Threads::CoresLess(0)));
        for bad in ["0", "513", "-1", "1.5", "two", "cores+1", "cores-", "core", ""] {
            let error = bad.parse::<Threads>().expect_err(bad);
            assert!(error.starts_with("expected a number of threads from 1 to 512"), "{error}");
        }
        assert_eq!(Threads::Number(7).on(2), 7);
        assert_eq!([1, 2, 64].map(|cores| Threads::CoresLess(0).on(cores)), [1, 2, 64]);
    }
}
