//! Reads a file of results, and refuses what is not one.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{FORMAT, Header, ResultsError, Row, VERSION};

/// What a file of results holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    /// Where it was read.
    pub file: PathBuf,
    /// Its first line.
    pub header: Header,
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
    let header = header(first).map_err(|expected| ResultsError::at(file, 1, first, expected))?;
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
    Ok(Results { file: file.into(), header, rows })
}

/// The header in this line, or what was expected.
fn header(line: &[u8]) -> Result<Header, String> {
    let expected = format!(
        "expected the header of a file of results, {{\"format\":\"{FORMAT}\",\"version\":{VERSION},…}}"
    );
    let object = json(line).map_err(|broken| format!("{expected}; {broken}"))?;
    if object.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(match object.get("workload") {
            Some(_) => format!("{expected}, not a row; a program that wrote no headers made this"),
            None => expected,
        });
    }
    if object.get("version").and_then(Value::as_u64) != Some(VERSION) {
        let found = object.get("version").unwrap_or(&Value::Null);
        let by = object.get("program_version").and_then(Value::as_str).unwrap_or("another");
        return Err(format!(
            "expected version {VERSION} of the format, found {found}; version {by} of the program wrote this, and can read it"
        ));
    }
    fields(object).map_err(|error| format!("{expected}; {error}"))
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
fn json(line: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(line).map_err(|error| {
        if !line.ends_with(b"\n") {
            return "the file was cut off within this line".into();
        }
        let told = error.to_string();
        let what = told.split(" at line ").next().unwrap_or(&told);
        format!("this is no JSON: {what} at column {}", error.column())
    })
}

fn fields<T: DeserializeOwned>(object: Value) -> Result<T, String> {
    serde_json::from_value(object).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
