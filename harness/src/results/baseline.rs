//! Results with a name: `compare --save NAME` makes them, and `NAME` finds them again.
//!
//! They lie in `harness/NAME/results.jsonl` below cargo's target folder: `$CARGO_TARGET_DIR`, or `target` in the current folder.
//! So they are never committed by mistake, and `cargo clean` takes them along. What is to stay goes to a folder of its own by
//! `compare --out`.

use std::{
    env,
    error::Error,
    fmt, fs,
    path::{Path, PathBuf},
};

use super::{FILE, ResultsError};
use crate::names::Unknown;

/// The folder of all baselines.
pub fn folder() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").filter(|target| !target.is_empty());
    target.map_or_else(|| PathBuf::from("target"), PathBuf::from).join("harness")
}

/// Takes a name that is one folder on every system.
///
/// # Errors
///
/// What a name looks like.
pub fn name(name: &str) -> Result<String, String> {
    let fits = |letter: char| letter.is_alphanumeric() || "-_+.()".contains(letter);
    match !name.starts_with(['.', '-']) && !name.is_empty() && name.chars().all(fits) {
        true => Ok(name.into()),
        false => {
            Err("expected a name of letters, digits and -_+.(), not with . or - in front".into())
        }
    }
}

/// A word on the command line that means no file of results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotFound {
    /// It is a path.
    Path(ResultsError),
    /// It may be the name of a baseline.
    Name(Unknown),
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotFound::Path(error) => error.fmt(f),
            NotFound::Name(error) => error.fmt(f),
        }
    }
}

impl Error for NotFound {}

/// The file that a word on the command line means: a file, a folder that holds one, or a baseline, in this order.
///
/// # Errors
///
/// It means nothing; the nearest name of a baseline.
pub fn find(word: &Path) -> Result<PathBuf, NotFound> {
    find_in(&folder(), word)
}

fn find_in(baselines: &Path, word: &Path) -> Result<PathBuf, NotFound> {
    if word.exists() && !word.is_dir() {
        return Ok(word.into());
    }
    let named = word.to_str().and_then(|word| name(word).ok());
    let baseline = named.as_ref().map(|name| baselines.join(name).join(FILE));
    let mut places = [Some(word.join(FILE)), baseline].into_iter().flatten();
    if let Some(file) = places.find(|file| file.exists()) {
        return Ok(file);
    }
    match named {
        _ if word.is_dir() => Err(NotFound::Path(ResultsError::whole(
            word,
            format!("expected {FILE} in this folder, which harness compare --out writes"),
        ))),
        None => Err(NotFound::Path(ResultsError::whole(
            word,
            format!("no such file; expected {FILE}, a folder that holds one, or a baseline's name"),
        ))),
        Some(name) => {
            let unknown = Unknown::new("file, folder or baseline", &name, known(baselines));
            Err(NotFound::Name(unknown.where_none(format!(
                "there are no baselines in {}; harness compare --save NAME makes one",
                baselines.display()
            ))))
        }
    }
}

/// The names of all baselines. A folder that cannot be read has none.
fn known(baselines: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(baselines)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().join(FILE).exists())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_folder() {
        for good in ["main", "before-2", "v1.2", "csn(rising)", "vorher_ü"] {
            assert_eq!(name(good).as_deref(), Ok(good));
        }
        for bad in ["", ".", "..", ".hidden", "-x", "a/b", "a\\b", "a b", "a:b", "a\n"] {
            assert!(name(bad).is_err(), "{bad:?}");
        }
    }
}
