//! [`Point`]: a load with one value for each of its parameters.

use std::collections::BTreeMap;

use super::{
    Definition, LoadError, MOST_POINTS, Spec, Threads, What, kind::Initial, value::Scalar,
};
use crate::results::row::Parameter;

/// A load with one value for each of its parameters.
#[derive(Clone, Debug)]
pub struct Point {
    /// The load's name.
    pub name: String,
    /// Threads that are measured.
    pub threads: usize,
    /// How long one measurement takes, in milliseconds.
    pub millis: u64,
    /// The values, by name.
    pub parameters: BTreeMap<String, Parameter>,
    /// What it does.
    pub what: What,
}

/// What the command line changes in a load.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Threads that are measured, swept.
    pub threads: Option<Vec<Threads>>,
    /// How long one measurement takes, in milliseconds.
    pub millis: Option<u64>,
    /// Parameters with their values, swept, as they are typed: `slots` and `200,400`.
    pub parameters: Vec<(String, String)>,
}

impl Overrides {
    /// Changes the definitions. A parameter goes to every load that has it.
    ///
    /// # Errors
    ///
    /// A parameter that none of them has, or a value that is none for it.
    pub fn apply(&self, definitions: &mut [Definition]) -> Result<(), LoadError> {
        for definition in definitions.iter_mut() {
            definition.threads = self.threads.clone().unwrap_or(definition.threads.clone());
            definition.millis = self.millis.unwrap_or(definition.millis);
        }
        for (name, values) in &self.parameters {
            let place = format!("--{name} {values}");
            let mut having =
                definitions.iter_mut().filter(|one| one.spec(name).is_some()).peekable();
            if having.peek().is_none() {
                return Err(none_has(definitions, name, place));
            }
            let values: Vec<Scalar> = values.split(',').map(|word| word.trim().into()).collect();
            for definition in having {
                definition.set(name, values.clone(), place.clone(), place.clone())?;
            }
        }
        Ok(())
    }
}

fn none_has(definitions: &[Definition], name: &str, place: String) -> LoadError {
    let have: Vec<String> = definitions
        .iter()
        .map(|one| {
            let known: Vec<&str> = one.kind.parameters().iter().map(|spec| spec.name).collect();
            format!("{} has {}", one.name, known.join(", "))
        })
        .collect();
    LoadError::at(
        place,
        format!("no load that is chosen has a parameter {name}: {}", have.join("; ")),
    )
}

impl Definition {
    /// One point for each combination of values on a machine of so many cores; the last parameter changes fastest.
    ///
    /// # Errors
    ///
    /// Too many points, or a combination that is impossible.
    pub fn points(&self, cores: usize) -> Result<Vec<Point>, LoadError> {
        let specs = self.kind.parameters();
        let lists: Vec<Vec<Parameter>> = specs.iter().map(|spec| self.values(spec)).collect();
        let all = lists.iter().fold(self.threads.len(), |all, list| all.saturating_mul(list.len()));
        if all > MOST_POINTS {
            let expected =
                format!("expected {MOST_POINTS} combinations of values at most, not {all}");
            return Err(LoadError::at(&*self.name, expected));
        }
        let mut threads: Vec<usize> =
            self.threads.iter().map(|threads| threads.on(cores)).collect();
        // Two ways to say the same are measured once.
        let mut seen = Vec::new();
        threads.retain(|number| {
            !seen.contains(number) && {
                seen.push(*number);
                true
            }
        });
        let combinations = all / self.threads.len().max(1);
        let mut points = Vec::new();
        for &threads in &threads {
            for combination in 0..combinations {
                let mut rest = combination;
                let mut parameters = BTreeMap::new();
                for (spec, list) in specs.iter().zip(&lists).rev() {
                    parameters.insert(spec.name.to_owned(), list[rest % list.len()].clone());
                    rest /= list.len();
                }
                let value = |name: &str| parameters[name].clone();
                let what = What::new(self.kind, value, threads, &self.name)?;
                let (name, millis) = (self.name.clone(), self.millis);
                points.push(Point { name, threads, millis, parameters, what });
            }
        }
        Ok(points)
    }

    /// The values of a parameter, checked when they were set.
    fn values(&self, spec: &Spec) -> Vec<Parameter> {
        let Some((values, _)) = self.parameters.get(spec.name) else {
            return vec![match spec.initial {
                Initial::Number(number) => Parameter::Number(number),
                Initial::Text(text) => Parameter::Text(text.into()),
            }];
        };
        let mut list: Vec<Parameter> = Vec::new();
        for value in values {
            let value = match value {
                Scalar::Whole(number) => Parameter::Number(*number as f64),
                Scalar::Number(number) => Parameter::Number(*number),
                Scalar::Text(text) => Parameter::Text(text.clone()),
            };
            if !list.contains(&value) {
                list.push(value);
            }
        }
        list
    }
}

impl Spec {
    /// Whether this is a value for it; if not, what was expected.
    pub(super) fn check(&self, value: &Scalar) -> Result<(), String> {
        let number = match (self.initial, value) {
            (Initial::Text(_), Scalar::Text(_)) => return Ok(()),
            (Initial::Text(_), number) => {
                return Err(format!("expected a name for {}, not {number}", self.name));
            }
            (_, Scalar::Text(text)) => {
                return Err(format!("expected a number for {}, not {text:?}", self.name));
            }
            (_, Scalar::Whole(number)) => *number as f64,
            (_, Scalar::Number(number)) => *number,
        };
        if self.range.contains(&number) && (!self.whole || number.fract() == 0.0) {
            return Ok(());
        }
        let (low, high) = (self.range.start(), self.range.end());
        let number = if self.whole { "a whole number" } else { "a number" };
        Err(format!("expected {number} from {low} to {high} for {}, not {value}", self.name))
    }
}

#[cfg(test)]
mod tests;
