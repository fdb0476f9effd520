//! [`FirstLine`]: the header of a file of results, and beside it what rows do not say.

use std::{collections::HashSet, path::Path};

use serde::Serialize;
use serde_json::Value;

use super::{
    FORMAT, Header, ResultsError, VERSION, Wrong,
    read::{fields, json},
};

/// The first line of a file of results, as it is written. Old files lack all but the header.
#[derive(Debug, Serialize)]
pub(super) struct FirstLine<'a> {
    #[serde(flatten)]
    pub(super) header: &'a Header,
    /// The cells that have no row, since an answer was wrong.
    #[serde(skip_serializing_if = "<[Wrong]>::is_empty")]
    pub(super) wrong: &'a [Wrong],
}

/// The same, as it is read.
#[derive(Debug)]
pub(super) struct First {
    pub(super) header: Header,
    pub(super) wrong: Vec<Wrong>,
}

impl First {
    /// What the first line of this file says.
    pub(super) fn read(file: &Path, line: &[u8]) -> Result<First, ResultsError> {
        let refused = |expected| ResultsError::at(file, 1, line, expected);
        let mut object = object(line).map_err(refused)?;
        let wrong = object.get_mut("wrong").map(Value::take);
        Ok(First {
            header: fields(object).map_err(|error| refused(format!("{}; {error}", expected())))?,
            wrong: wrong.map_or(Ok(Vec::new()), |wrong| wrongs(file, wrong))?,
        })
    }
}

fn expected() -> String {
    format!(
        "expected the header of a file of results, {{\"format\":\"{FORMAT}\",\"version\":{VERSION},…}}"
    )
}

/// The object in this line, if it is of the format and version of ours, or what was expected.
fn object(line: &[u8]) -> Result<Value, String> {
    let expected = expected();
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
    Ok(object)
}

/// The header's field `wrong`. The line may be long: what is shown of it is the entry that is not as it should be.
fn wrongs(file: &Path, field: Value) -> Result<Vec<Wrong>, ResultsError> {
    let refused =
        |value: &Value, expected| ResultsError::at(file, 1, value.to_string().as_bytes(), expected);
    let Value::Array(entries) = field else {
        let expected = "expected wrong in the header to be a list of cells that have no row";
        return Err(refused(&field, expected.into()));
    };
    let (mut wrongs, mut seen) = (Vec::new(), HashSet::new());
    for (entry, place) in entries.into_iter().zip(1..) {
        let expected = |broken| {
            format!("expected a cell that was wrong, number {place} of the header's; {broken}")
        };
        let wrong: Wrong =
            fields(entry.clone()).map_err(|error| refused(&entry, expected(error)))?;
        let fault = if wrong.threads == 0 {
            Some("expected threads to be no less than 1")
        } else if !seen.insert(wrong.key()) {
            Some("it stands there already")
        } else {
            None
        };
        match fault {
            Some(fault) => return Err(refused(&entry, expected(fault.into()))),
            None => wrongs.push(wrong),
        }
    }
    Ok(wrongs)
}
