//! [`Experiment`]: a report, what real servers gave, what is measured now, and the direction that must hold.

use super::{judge::Verdict, points::Scale};
use crate::{
    compare::plan::Group,
    loads::LoadError,
    results::{
        Row,
        row::{LoadKey, Parameter},
    },
};

/// A report, to be reproduced in shape.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is about, in a line.
    pub about: &'static str,
    /// Where the report was made.
    pub source: &'static str,
    /// What it says, with its own figures.
    pub report: &'static str,
    /// The same in a few words.
    pub report_in_short: &'static str,
    /// What real servers gave, with their settings.
    pub real: &'static str,
    /// The same in a few words.
    pub real_in_short: &'static str,
    /// What is measured here, and how it stands for the report's setting.
    pub here: &'static str,
    /// What this machine cannot show, one sentence or two each.
    pub limits: &'static [&'static str],
    /// How often everything is measured.
    pub rounds: usize,
    /// What is measured. The first cell of each group is what the others are multiples of.
    pub loads: fn(&Scale) -> Result<Vec<Load>, LoadError>,
    /// Judges what was measured: one entry for each load.
    pub judge: fn(&[Measured<'_>]) -> Judgement,
}

/// Pairings under one point of a load.
#[derive(Debug)]
pub struct Load {
    /// What this point is, for a reader.
    pub title: String,
    /// The pairings.
    pub group: Group,
}

/// The rows of one load.
#[derive(Clone, Debug)]
pub struct Measured<'a> {
    /// Threads that were measured.
    pub threads: usize,
    rows: Vec<&'a Row>,
    reference: (&'a str, &'a str),
}

impl<'a> Measured<'a> {
    /// Those of `rows` that are of this load.
    pub fn of(load: &'a Group, rows: &'a [Row]) -> Self {
        let Group { point, cells } = load;
        let key = LoadKey::new(&point.name, &point.parameters, point.threads);
        let names = cells.first().map_or(("", ""), |cell| (cell.snapshot, cell.threshold));
        Self::new(point.threads, names, rows.iter().filter(|row| row.load_key() == key).collect())
    }

    pub(super) fn new(threads: usize, reference: (&'a str, &'a str), rows: Vec<&'a Row>) -> Self {
        Measured { threads, rows, reference }
    }

    /// The row of a pairing, if it was measured.
    pub fn row(&self, snapshot: &str, threshold: &str) -> Option<&'a Row> {
        let is = |row: &&&Row| row.snapshot == snapshot && row.threshold == threshold;
        self.rows.iter().find(is).copied()
    }

    /// The row of what the others are multiples of, if it was measured: A/A.
    pub fn reference(&self) -> Option<&'a Row> {
        self.row(self.reference.0, self.reference.1)
    }

    /// The value of a parameter of the load, if it is a number.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        match self.rows.first()?.parameters.get(name)? {
            Parameter::Number(number) => Some(*number),
            Parameter::Text(_) => None,
        }
    }

    /// All of them.
    pub fn rows(&self) -> &[&'a Row] {
        &self.rows
    }
}

/// A direction that must hold, and whether it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// What must hold, stated so that anybody can check it on the rows.
    pub direction: String,
    /// What was found, in figures.
    pub found: String,
    /// Whether it holds.
    pub verdict: Verdict,
}

impl Claim {
    /// A direction, what was found, whether it holds.
    pub fn new(direction: impl Into<String>, found: impl Into<String>, verdict: Verdict) -> Self {
        Claim { direction: direction.into(), found: found.into(), verdict }
    }
}

/// What came of an experiment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Judgement {
    /// What must hold, in a few words.
    pub direction: &'static str,
    /// What was found, in a few words.
    pub now: String,
    /// The directions, one by one.
    pub claims: Vec<Claim>,
}

impl Judgement {
    /// Whether all held that can be told; what cannot be told counts where nothing held.
    pub fn verdict(&self) -> Verdict {
        let verdicts = || self.claims.iter().map(|claim| claim.verdict);
        if verdicts().any(|verdict| verdict == Verdict::DidNotHold) {
            return Verdict::DidNotHold;
        }
        let held = verdicts().find(|verdict| *verdict == Verdict::Held);
        let verdict = held.or_else(|| verdicts().next());
        verdict.unwrap_or(Verdict::CannotTell(super::judge::Why::Missing))
    }

    /// How many held, and how many there are.
    pub fn held(&self) -> (usize, usize) {
        let held = self.claims.iter().filter(|claim| claim.verdict == Verdict::Held).count();
        (held, self.claims.len())
    }
}
