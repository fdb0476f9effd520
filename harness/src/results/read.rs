//! Reads a file of results, and refuses what is not one.

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Header, ResultsError, Row, Wrong, first_line::First, names::Names};

/// What a file of results holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    /// Where it was read.
    pub file: PathBuf,
    /// Its first line.
    pub header: Header,
    /// What each load does, by its name; empty where its author says nothing. Programs from before did not write it.
    pub about_loads: BTreeMap<String, String>,
    /// The cells that have no row, since an answer was wrong, no two of the same load and pairing. Programs from before did not
    /// write them.
    pub wrong: Vec<Wrong>,
    /// The other lines, no two of the same load and pairing.
    pub rows: Vec<Row>,
}

impl Results {
    /// When, where and how long it was measured, in one line.
    pub fn about(&self) -> String {
        match rounds(self.rows.iter()) {
            Some(rounds) => format!("{}, {rounds}", self.header),
            None => self.header.to_string(),
        }
    }

    /// The names of all that was measured, also where that was wrong.
    pub fn names(&self) -> impl Iterator<Item = Names<'_>> + Clone {
        self.rows.iter().map(Names::from).chain(self.wrong.iter().map(Names::from))
    }
}

/// How often and how long these rows were measured, as in `7 to 9 rounds of 25 ms`; none of no rows.
pub(crate) fn rounds<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Option<String> {
    let range = |of: fn(&Row) -> u64| -> Option<String> {
        let (least, most) = (rows.clone().map(of).min()?, rows.clone().map(of).max()?);
        Some(if least == most { least.to_string() } else { format!("{least} to {most}") })
    };
    let (often, millis) = (range(|row| row.rounds.len() as u64)?, range(|row| row.millis)?);
    let plural = if often == "1" { "" } else { "s" };
    Some(format!("{often} round{plural} of {millis} ms"))
}

/// Reads the file.
///
/// # Errors
///
/// It cannot be read, or is not a whole file of results of this version.
pub fn read(file: &Path) -> Result<Results, ResultsError> {
    let bytes = fs::read(file).map_err(|error| ResultsError::whole(file, error.to_string()))?;
    parse(file, &bytes)
}

/// Reads `bytes` as the content of `file`.
///
/// # Errors
///
/// It is not a whole file of results of this version.
pub fn parse(file: &Path, bytes: &[u8]) -> Result<Results, ResultsError> {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').zip(1..);
    let Some((first, _)) = lines.next() else {
        let empty = "the file is empty; expected a header and rows, which compare writes after its first round";
        return Err(ResultsError::whole(file, empty));
    };
    let First { header, about_loads, wrong } = First::read(file, first)?;
    let (mut rows, mut seen) = (Vec::new(), HashSet::new());
    for (line, number) in lines {
        let row = row(line).and_then(|row: Row| {
            match seen.insert(row.key()) {
                true => Ok(row),
                false => {
                    Err("expected one row for each workload, parameters, snapshot, threshold and number of \
                         threads, not a second one"
                        .into())
                }
            }
        });
        rows.push(row.map_err(|expected| ResultsError::at(file, number, line, expected))?);
    }
    Ok(Results { file: file.into(), header, about_loads, wrong, rows })
}

/// The row in this line, or what was expected.
fn row(line: &[u8]) -> Result<Row, String> {
    let of = |broken| format!("expected a row of results; {broken}");
    let row: Row = json(line).and_then(fields).map_err(of)?;
    match row.fault() {
        Some(fault) => Err(fault),
        None => Ok(row),
    }
}

/// Any JSON. A last line that has no end and breaks off was cut off.
pub(super) fn json(line: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(line).map_err(|error| {
        if !line.ends_with(b"\n") {
            return "the file was cut off within this line".into();
        }
        let told = error.to_string();
        let what = told.split(" at line ").next().unwrap_or(&told);
        format!("this is no JSON: {what} at column {}", error.column())
    })
}

pub(super) fn fields<T: DeserializeOwned>(object: Value) -> Result<T, String> {
    serde_json::from_value(object).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
