//! [`FirstLine`]: the header of a file of results, and beside it what rows do not say.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
};

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
    /// What each load does, by its name; empty where its author says nothing.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) about_loads: &'a BTreeMap<String, String>,
    /// The cells that have no row, since an answer was wrong.
    #[serde(skip_serializing_if = "<[Wrong]>::is_empty")]
    pub(super) wrong: &'a [Wrong],
}

/// The same, as it is read.
#[derive(Debug)]
pub(super) struct First {
    pub(super) header: Header,
    pub(super) about_loads: BTreeMap<String, String>,
    pub(super) wrong: Vec<Wrong>,
}

impl First {
    /// What the first line of this file says.
    pub(super) fn read(file: &Path, line: &[u8]) -> Result<First, ResultsError> {
        let refused = |expected| ResultsError::at(file, 1, line, expected);
        let mut object = object(line).map_err(refused)?;
        let mut field = |name: &str| object.get_mut(name).map(Value::take);
        let (about_loads, wrong) = (field("about_loads"), field("wrong"));
        Ok(First {
            header: fields(object).map_err(|error| refused(format!("{}; {error}", expected())))?,
            about_loads: about_loads.map_or(Ok(BTreeMap::new()), |about| abouts(file, about))?,
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

/// The line may be long: what is shown of it is the value that is not as it should be.
fn refused(file: &Path, value: &Value, expected: String) -> ResultsError {
    ResultsError::at(file, 1, value.to_string().as_bytes(), expected)
}

/// The header's field `about_loads`.
fn abouts(file: &Path, field: Value) -> Result<BTreeMap<String, String>, ResultsError> {
    let expected = "expected about_loads in the header to say in a text what each load does";
    fields(field.clone()).map_err(|error| refused(file, &field, format!("{expected}; {error}")))
}

/// The header's field `wrong`.
fn wrongs(file: &Path, field: Value) -> Result<Vec<Wrong>, ResultsError> {
    let refused = |value: &Value, expected| refused(file, value, expected);
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
