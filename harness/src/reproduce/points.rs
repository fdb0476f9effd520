//! Loads for experiments: points of those that are built in, with other values of some parameters.

use std::rc::Rc;

use crate::{
    compare::{
        cell::Cell,
        plan::{Group, Plan},
    },
    loads::{LoadError, Overrides, Point, Threads, built_in},
};

/// What the command line says about how experiments are measured.
#[derive(Clone, Debug)]
pub struct Scale {
    /// Threads that are measured, in place of an experiment's own list.
    pub threads: Option<Vec<Threads>>,
    /// How long one measurement takes, in milliseconds, in place of an experiment's own time.
    pub millis: Option<u64>,
    /// How often everything is measured, in place of an experiment's own number.
    pub rounds: Option<usize>,
    /// A first look: fewer rounds.
    pub quick: bool,
    /// For everything random.
    pub seed: u64,
    /// Cores of this machine.
    pub cores: usize,
}

/// Rounds of a first look.
const QUICK: usize = 3;

impl Scale {
    /// The threads to sweep: these, unless the command line says others.
    pub(super) fn threads(&self, own: &[Threads]) -> Vec<usize> {
        let list = self.threads.as_deref().unwrap_or(own);
        let mut threads: Vec<usize> = Vec::new();
        for number in list.iter().map(|each| each.on(self.cores)) {
            if !threads.contains(&number) {
                threads.push(number);
            }
        }
        threads
    }

    /// How long one measurement takes: so many milliseconds, unless the command line says otherwise.
    pub(super) fn millis(&self, own: u64) -> u64 {
        self.millis.unwrap_or(own)
    }

    /// How often and how long, where an experiment wants so many rounds.
    pub fn plan(&self, rounds: usize) -> Plan {
        let own = if self.quick { rounds.min(QUICK) } else { rounds };
        Plan::new(self.rounds.unwrap_or(own), self.seed)
    }
}

/// The point of a load that is built in, with these values.
pub(super) fn point(
    load: &str,
    threads: usize,
    millis: u64,
    parameters: &[(&str, f64)],
) -> Result<Rc<Point>, LoadError> {
    let definition = built_in(load).ok_or_else(|| LoadError::at(load, "expected a load"))?;
    let overrides = Overrides {
        threads: Some(vec![Threads::Number(threads)]),
        millis: Some(millis),
        parameters: parameters
            .iter()
            .map(|(name, value)| ((*name).into(), value.to_string()))
            .collect(),
    };
    let mut definitions = [definition];
    overrides.apply(&mut definitions)?;
    let [definition] = definitions;
    let points = definition.points(threads)?;
    let one = points.into_iter().next();
    one.map(Rc::new).ok_or_else(|| LoadError::at(load, "expected one point"))
}

/// These pairings of registered strategies under a point; the first is the reference.
pub(super) fn group(
    point: &Rc<Point>,
    pairs: &[(&'static str, &'static str)],
) -> Result<Group, LoadError> {
    let mut cells = Vec::new();
    for &(snapshot, threshold) in pairs {
        let cell = Cell::new(point, snapshot, threshold);
        cells.extend(cell.map_err(|unknown| LoadError::at(&*point.name, unknown.to_string()))?);
    }
    Ok(Group { point: Rc::clone(point), cells })
}
