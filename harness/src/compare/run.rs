//! The course of a comparison: cells, each checked first, then measured in turn, round by round.

use std::{fmt, rc::Rc, time::Duration};

use super::{cell::Cell, course::Settings, gate::Gate, measured::Measured, sample::Sample};
use crate::{
    loads::{Kind, Point},
    registry::breaks,
    results::row::{EMPTY, LoadKey, Row},
    tables,
};

/// How often and how long.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How often each cell is measured.
    pub rounds: usize,
    /// How long the check before takes, at most; that of a replay goes to its end.
    pub check: Duration,
    /// Operations that are due a second; none where each begins when the last is over.
    pub rate: Option<f64>,
    /// For everything random; each round has one of its own.
    pub seed: u64,
}

impl Plan {
    fn settings(&self, cell: &Cell, round: usize) -> Settings {
        Settings {
            duration: Duration::from_millis(cell.point.millis),
            threads: cell.point.threads,
            seed: self.seed.wrapping_add(round as u64),
            rate: self.rate,
            checked: cell.snapshot != EMPTY && breaks(cell.snapshot).is_empty(),
            thorough: false,
        }
    }
}

/// All pairings under one point of a load.
#[derive(Debug)]
pub struct Group {
    /// The point.
    pub point: Rc<Point>,
    /// The pairings. The first is what the others are multiples of.
    pub cells: Vec<Cell>,
}

/// What happens while a comparison runs.
pub trait Progress {
    /// A cell has been checked or measured.
    fn step(&mut self, cell: &Cell);

    /// Whether to stop: what has been measured is kept.
    fn is_stopped(&self) -> bool;

    /// A round is over, and these are the rows so far.
    ///
    /// # Errors
    ///
    /// They could not be written.
    fn round(&mut self, rows: &[Row]) -> std::io::Result<()>;
}

/// How often a noisy measurement is repeated, while there is time for it.
const REPEATS: usize = 2;
/// A replay is checked to its end, which takes a part of a second.
const LONGEST_REPLAY: Duration = Duration::from_secs(60);
/// How often a check is made again in which nothing was done.
const AGAIN: usize = 10;
/// The part of the planned time that goes to repeated measurements at most: on a machine that is busy all the time they help
/// nothing.
const FOR_REPEATS: f64 = 0.1;

/// What came out.
#[derive(Debug)]
pub struct Outcome {
    /// One for each cell that passed its check and was measured.
    pub rows: Vec<Row>,
    /// The cells that gave a wrong answer.
    pub wrong: Vec<Wrong>,
    /// Rounds that all of the rows are made of.
    pub rounds_done: usize,
}

/// A cell that gave a wrong answer, or could not be set up.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The point of the load.
    pub point: Rc<Point>,
    /// Name of the snapshot strategy.
    pub snapshot: &'static str,
    /// Name of the threshold strategy.
    pub threshold: &'static str,
    /// The first wrong answer.
    pub what: String,
}

impl Wrong {
    fn of(cell: &Cell, what: impl Into<String>) -> Self {
        let Cell { point, snapshot, threshold, .. } = cell;
        Wrong { point: Rc::clone(point), snapshot, threshold, what: what.into() }
    }
}

impl Wrong {
    /// The same as tables have it.
    pub fn cell(&self) -> tables::Wrong {
        let Point { name, parameters, threads, .. } = &*self.point;
        tables::Wrong {
            load: LoadKey::new(name, parameters, *threads),
            snapshot: self.snapshot.into(),
            threshold: self.threshold.into(),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} × {}: {}", self.point.name, self.snapshot, self.threshold, self.what)
    }
}

/// After so many cells the reference is measured anew.
const BESIDE: usize = 6;

/// How many steps a comparison has.
pub fn steps(groups: &[Group], plan: &Plan) -> u64 {
    let cells: usize = groups.iter().map(|group| group.cells.len()).sum();
    (cells * (plan.rounds + 1)) as u64
}

/// How long a comparison takes, about: what is planned, with the reference and the gate.
pub fn estimate(groups: &[Group], plan: &Plan) -> Duration {
    let of_group = |group: &Group| {
        let (cells, millis) = (group.cells.len(), group.point.millis);
        let measured = cells + cells.div_ceil(BESIDE) + 1;
        let check = Duration::from_millis(millis).min(plan.check) * cells as u32;
        let one = Duration::from_millis(millis) + Gate::TAKES;
        check + one * (measured * plan.rounds) as u32
    };
    groups.iter().map(of_group).sum()
}

/// A cell that passed its check, with what was measured of it.
struct Right<'a> {
    cell: &'a Cell,
    measured: Measured,
}

/// Checks all cells, then measures those that passed.
///
/// The first cell of each group is its reference. It is measured before and after every few others, which are compared with
/// the mean of the two; and it is a cell like the others too, so that its own ratio tells what two measurements of one thing
/// differ by.
///
/// # Errors
///
/// Rows could not be written.
pub fn compare(
    groups: &[Group],
    plan: &Plan,
    progress: &mut impl Progress,
) -> std::io::Result<Outcome> {
    let mut outcome = Outcome { rows: Vec::new(), wrong: Vec::new(), rounds_done: 0 };
    let mut right: Vec<Vec<Right<'_>>> = Vec::new();
    for group in groups {
        let mut passed = Vec::new();
        for cell in &group.cells {
            if progress.is_stopped() {
                break;
            }
            match check(cell, plan) {
                Ok(()) => passed.push(Right { cell, measured: Measured::default() }),
                Err(what) => outcome.wrong.push(Wrong::of(cell, what)),
            }
            progress.step(cell);
        }
        right.push(passed);
    }
    let gate = Quiet::new(estimate(groups, plan).mul_f64(FOR_REPEATS));
    for round in 0..plan.rounds {
        for group in right.iter_mut().filter(|group| !group.is_empty()) {
            measure(&gate, group, plan, round, &mut outcome.wrong, progress);
        }
        for group in &mut right {
            group.retain(|Right { cell, measured }| match measured.wrong() {
                Some(what) => {
                    outcome.wrong.push(Wrong::of(cell, what));
                    false
                }
                None => true,
            });
        }
        if progress.is_stopped() {
            break;
        }
        outcome.rounds_done += 1;
        progress.round(&rows(&right))?;
    }
    outcome.rows = rows(&right);
    Ok(outcome)
}

/// Measures each cell of a group once.
fn measure(
    gate: &Quiet,
    group: &mut [Right<'_>],
    plan: &Plan,
    round: usize,
    wrong: &mut Vec<Wrong>,
    progress: &mut impl Progress,
) {
    let reference = group[0].cell;
    let once = |cell: &Cell| gate.measure(cell, plan.settings(cell, round));
    let beside = || once(reference).map(|(sample, _)| sample.ops_per_s);
    let mut order: Vec<usize> = (0..group.len()).collect();
    if round % 2 == 1 {
        order.reverse();
    }
    let mut before = beside();
    for few in order.chunks(BESIDE) {
        let mut measured = Vec::new();
        for &place in few {
            if progress.is_stopped() {
                return;
            }
            let cell = group[place].cell;
            measured.push((place, once(cell)));
            progress.step(cell);
        }
        let after = beside();
        for (place, sample) in measured {
            let Right { cell, measured } = &mut group[place];
            match (&before, &after, sample) {
                (Ok(before), Ok(after), Ok((sample, quiet))) => {
                    measured.add(sample, (before + after) / 2.0, quiet);
                }
                (_, _, Err(what)) => wrong.push(Wrong::of(cell, what)),
                (Err(what), ..) | (_, Err(what), _) => {
                    wrong.push(Wrong::of(reference, what.clone()));
                }
            }
        }
        before = after;
    }
}

fn rows(right: &[Vec<Right<'_>>]) -> Vec<Row> {
    let cells = right.iter().flatten();
    cells.filter_map(|Right { cell, measured }| measured.row(cell)).collect()
}

fn check(cell: &Cell, plan: &Plan) -> Result<(), String> {
    let settings = plan.settings(cell, 0);
    let duration = match cell.point.what.kind() {
        // To its end, and what is known there is checked too.
        Kind::Replay => LONGEST_REPLAY,
        _ => settings.duration.min(plan.check),
    };
    // On a busy machine a thread may get no core in so short a time.
    for _ in 0..=AGAIN {
        let sample = cell.measure(Settings { duration, rate: None, thorough: true, ..settings })?;
        match sample.wrong.into_iter().next() {
            Some(what) => return Err(what),
            None if sample.ops_per_s > 0.0 => return Ok(()),
            None => {}
        }
    }
    Err("no operation was done in the time of the check".into())
}

/// The gate, which is looked at between any two measurements, and the time that is left for repeated ones.
struct Quiet {
    gate: Gate,
    /// What it said last: after the measurement before, and so before the next one.
    last: std::cell::Cell<f64>,
    left: std::cell::Cell<Duration>,
}

impl Quiet {
    fn new(left: Duration) -> Self {
        let gate = Gate::new();
        Quiet {
            last: std::cell::Cell::new(gate.effective_cores()),
            gate,
            left: std::cell::Cell::new(left),
        }
    }

    /// Measures between two looks at the gate; repeats a few times where the machine was busy. Also whether it was quiet.
    fn measure(&self, cell: &Cell, settings: Settings) -> Result<(Sample, bool), String> {
        let mut last = None;
        for turn in 0..=REPEATS {
            if turn > 0 {
                let Some(left) = self.left.get().checked_sub(settings.duration) else { break };
                self.left.set(left);
            }
            let before = self.last.get();
            let sample = cell.measure(settings)?;
            self.last.set(self.gate.effective_cores());
            let quiet = self.gate.is_open(before.min(self.last.get()));
            last = Some((sample, quiet));
            if quiet {
                break;
            }
        }
        last.ok_or_else(|| "not measured".into())
    }
}
