//! [`Definition`]: a load's file, read and checked.

use std::{collections::BTreeMap, fs, ops::Range, path::Path};

use serde::Deserialize;
use toml::Spanned;

use super::{
    Kind, LoadError, Spec, Threads,
    value::{OneOrMany, Scalar},
};

/// A load's file.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name: the file's, without `.toml`.
    pub name: String,
    /// What it does.
    pub kind: Kind,
    /// The same in a line, for a reader.
    pub about: String,
    /// Which report it reproduces.
    pub report: String,
    /// Threshold strategies, as names or regular expressions; none for all.
    pub thresholds: Vec<String>,
    /// The snapshot strategy that the others are multiples of; none for the one of all loads.
    pub reference: Option<String>,
    /// Threads that are measured, swept.
    pub threads: Vec<Threads>,
    /// How long one measurement takes, in milliseconds.
    pub millis: u64,
    /// Values of parameters, swept, each with the place where it stands.
    pub(super) parameters: BTreeMap<&'static str, (Vec<Scalar>, String)>,
}

/// The loads that are built in: name, and text of the file.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("page-scan", include_str!("../../workloads/page-scan.toml")),
    ("standby-long-transaction", include_str!("../../workloads/standby-long-transaction.toml")),
    ("select-only", include_str!("../../workloads/select-only.toml")),
    ("mixed", include_str!("../../workloads/mixed.toml")),
    ("simple-update", include_str!("../../workloads/simple-update.toml")),
    ("replay", include_str!("../../workloads/replay.toml")),
];

/// The names of the loads that are built in.
pub fn names() -> Vec<&'static str> {
    BUILT_IN.iter().map(|(name, _)| *name).collect()
}

/// The file of the load of this name that is built in, to copy from.
pub fn text(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The load of this name that is built in.
pub fn built_in(name: &str) -> Option<Definition> {
    text(name).and_then(|text| Definition::parse(name, &format!("{name}.toml"), text).ok())
}

/// As it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kind: Spanned<String>,
    #[serde(default)]
    about: String,
    #[serde(default)]
    report: String,
    thresholds: Option<OneOrMany<String>>,
    reference: Option<String>,
    threads: Option<Spanned<OneOrMany<Scalar>>>,
    millis: Option<Spanned<u64>>,
    #[serde(default)]
    parameters: BTreeMap<Spanned<String>, Spanned<OneOrMany<Scalar>>>,
}

/// Where a measurement takes less it says nothing, where it takes more something is wrong.
const MILLIS: std::ops::RangeInclusive<u64> = 1..=3_600_000;

impl Definition {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// It cannot be read, is no TOML, or says something that no load does.
    pub fn read(file: &Path) -> Result<Self, LoadError> {
        let place = file.display().to_string();
        let text =
            fs::read_to_string(file).map_err(|error| LoadError::at(&*place, error.to_string()))?;
        let name = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
        Definition::parse(&name, &place, &text)
    }

    /// Reads the text of a file; `place` names it in errors.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub fn parse(name: &str, place: &str, text: &str) -> Result<Self, LoadError> {
        let at = |span: Range<usize>| {
            let line = 1 + text[..span.start.min(text.len())].matches('\n').count();
            format!("{place}:{line}")
        };
        let file: File = toml::from_str(text).map_err(|error| {
            let told = error.message().replace('\n', "; ");
            LoadError::at(error.span().map_or_else(|| place.into(), at), told)
        })?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == file.kind.as_ref());
        let kind = kind.ok_or_else(|| {
            let known = Kind::ALL.map(Kind::name).join(", ");
            let found = file.kind.as_ref();
            LoadError::at(at(file.kind.span()), format!("expected one of {known}, not {found:?}"))
        })?;
        let threads = match file.threads {
            None => vec![Threads::CoresLess(0)],
            Some(threads) => {
                let span = threads.span();
                let each = threads.into_inner().into_vec().into_iter();
                let parsed = each.map(|word| word.to_string().parse());
                let threads: Result<Vec<_>, String> = parsed.collect();
                threads.map_err(|expected| LoadError::at(at(span), expected))?
            }
        };
        let millis = match file.millis {
            Some(millis) if !MILLIS.contains(millis.as_ref()) => {
                let (low, high) = (MILLIS.start(), MILLIS.end());
                let expected =
                    format!("expected from {low} to {high} milliseconds, not {}", millis.as_ref());
                return Err(LoadError::at(at(millis.span()), expected));
            }
            Some(millis) => millis.into_inner(),
            None => 100,
        };
        let mut definition = Definition {
            name: name.into(),
            kind,
            about: file.about,
            report: file.report,
            thresholds: file.thresholds.map_or_else(Vec::new, OneOrMany::into_vec),
            reference: file.reference,
            threads,
            millis,
            parameters: BTreeMap::new(),
        };
        definition.thresholds.retain(|word| word != "all");
        for (parameter, values) in file.parameters {
            let values_at = at(values.span());
            let place = at(parameter.span());
            let values = values.into_inner().into_vec();
            definition.set(parameter.as_ref(), values, place, values_at)?;
        }
        Ok(definition)
    }

    /// Gives a parameter values.
    ///
    /// # Errors
    ///
    /// The kind has no such parameter, or a value is none for it.
    pub(super) fn set(
        &mut self,
        name: &str,
        values: Vec<Scalar>,
        place: String,
        values_at: String,
    ) -> Result<(), LoadError> {
        let Some(spec) = self.spec(name) else {
            let known: Vec<&str> = self.kind.parameters().iter().map(|spec| spec.name).collect();
            let (load, known) = (&self.name, known.join(", "));
            let expected = format!("{load} has no parameter {name:?}; it has {known}");
            return Err(LoadError::at(place, expected));
        };
        if values.is_empty() {
            return Err(LoadError::at(values_at, format!("expected a value for {name}")));
        }
        for value in &values {
            spec.check(value).map_err(|expected| LoadError::at(&*values_at, expected))?;
        }
        self.parameters.insert(spec.name, (values, values_at));
        Ok(())
    }

    /// The parameter of this name.
    pub fn spec(&self, name: &str) -> Option<&'static Spec> {
        self.kind.parameters().iter().find(|spec| spec.name == name)
    }
}

#[cfg(test)]
mod tests;
