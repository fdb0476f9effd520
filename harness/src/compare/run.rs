//! The course of a comparison: cells, each checked first, then measured in turn, round by round.

use std::{
    fmt,
    rc::Rc,
    time::{Duration, Instant},
};

use super::{
    cell::Cell,
    course::Settings,
    gate::{Gate, Look},
    measured::Measured,
    plan::{BESIDE, Group, Plan},
    sample::Sample,
};
use crate::{
    loads::{Kind, Point},
    results::{
        self,
        row::{Itself, Row},
    },
    stats::median,
};

/// What happens while a comparison runs.
pub trait Progress {
    /// A cell has been checked or measured.
    fn step(&mut self, cell: &Cell);

    /// Whether to stop: what has been measured is kept.
    fn is_stopped(&self) -> bool;

    /// A round is over; these are the rows so far, all of so many rounds at least, and the cells that were wrong.
    ///
    /// # Errors
    ///
    /// They could not be written.
    fn round(&mut self, rows: &[Row], wrong: &[Wrong], rounds_done: usize) -> std::io::Result<()>;
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
    /// Rounds that all of the rows are made of; some may have more.
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

    /// The same as files of results and tables have it.
    pub fn entry(&self) -> results::Wrong {
        let Point { name, parameters, threads, .. } = &*self.point;
        results::Wrong {
            workload: name.clone(),
            snapshot: self.snapshot.into(),
            threshold: self.threshold.into(),
            threads: *threads,
            parameters: parameters.clone(),
            what: self.what.clone(),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} × {}: {}", self.point.name, self.snapshot, self.threshold, self.what)
    }
}

/// A cell that passed its check, with what was measured of it.
struct Right<'a> {
    cell: &'a Cell,
    measured: Measured,
}

/// The cells of a group that are right.
struct Turns<'a> {
    cells: Vec<Right<'a>>,
    /// The reference over itself, a few cells before and after.
    itself: Vec<f64>,
    rounds: usize,
}

impl Turns<'_> {
    /// Half of the ratios are known so finely.
    fn within(&self) -> f64 {
        let known = self.cells.iter().map(|right| right.measured.ratio().within());
        median(&mut known.collect::<Vec<_>>())
    }
}

/// Checks all cells, then measures those that passed.
///
/// The first cell of each group is its reference. It is measured before and after every few others, which are compared with
/// the mean of the two; and it is a cell like the others too, so that its own ratio tells what two measurements of one thing
/// differ by. Each round has an order of its own, so that nobody always comes after the same neighbour.
///
/// # Errors
///
/// Rows could not be written.
pub fn compare(
    groups: &[Group],
    plan: &Plan,
    progress: &mut impl Progress,
) -> std::io::Result<Outcome> {
    let start = Instant::now();
    let mut outcome = Outcome { rows: Vec::new(), wrong: Vec::new(), rounds_done: 0 };
    let mut right: Vec<Turns<'_>> = Vec::new();
    for group in groups {
        let mut turns = Turns { cells: Vec::new(), itself: Vec::new(), rounds: 0 };
        for cell in &group.cells {
            if progress.is_stopped() {
                break;
            }
            match check(cell, plan) {
                Ok(()) => turns.cells.push(Right { cell, measured: Measured::default() }),
                Err(what) => outcome.wrong.push(Wrong::of(cell, what)),
            }
            progress.step(cell);
        }
        right.push(turns);
    }
    let gate = Quiet::new(plan.estimate(groups).mul_f64(FOR_REPEATS));
    let mut goes_on = !progress.is_stopped();
    while goes_on {
        goes_on = false;
        for turns in &mut right {
            let more = plan.goes_on(turns.rounds, turns.within(), start);
            if turns.cells.is_empty() || !more {
                continue;
            }
            goes_on |= measure(&gate, turns, plan, &mut outcome.wrong, progress);
            turns.cells.retain(|Right { cell, measured }| match measured.wrong() {
                Some(what) => {
                    outcome.wrong.push(Wrong::of(cell, what));
                    false
                }
                None => true,
            });
            if progress.is_stopped() {
                break;
            }
        }
        goes_on &= !progress.is_stopped();
        if goes_on {
            outcome.rounds_done = rounds(&right);
            progress.round(&rows(&right, plan), &outcome.wrong, outcome.rounds_done)?;
        }
    }
    outcome.rounds_done = rounds(&right);
    outcome.rows = rows(&right, plan);
    Ok(outcome)
}

/// Measures each cell of a group once. Whether all were.
fn measure(
    gate: &Quiet,
    turns: &mut Turns<'_>,
    plan: &Plan,
    wrong: &mut Vec<Wrong>,
    progress: &mut impl Progress,
) -> bool {
    let reference = turns.cells[0].cell;
    let once = |cell: &Cell| gate.measure(cell, plan.settings(cell, turns.rounds));
    let beside = || once(reference).map(|quiet| quiet.sample.ops_per_s);
    let mut order: Vec<usize> = (0..turns.cells.len()).collect();
    fastrand::Rng::with_seed(plan.seed.wrapping_add(turns.rounds as u64)).shuffle(&mut order);
    let mut references = vec![beside()];
    for few in order.chunks(BESIDE) {
        let mut measured = Vec::new();
        for &place in few {
            if progress.is_stopped() {
                return false;
            }
            let cell = turns.cells[place].cell;
            measured.push((place, once(cell)));
            progress.step(cell);
        }
        references.push(beside());
        let [.., before, after] = &references[..] else { unreachable!("one before the first few") };
        for (place, quiet) in measured {
            let Right { cell, measured } = &mut turns.cells[place];
            match (before, after, quiet) {
                (Ok(before), Ok(after), Ok(quiet)) => measured.add(quiet, (before + after) / 2.0),
                (_, _, Err(what)) => wrong.push(Wrong::of(cell, what)),
                (Err(what), ..) | (_, Err(what), _) => {
                    wrong.push(Wrong::of(reference, what.clone()));
                }
            }
        }
    }
    let references: Vec<f64> = references.into_iter().flatten().collect();
    turns.itself.extend(over_neighbours(&references));
    turns.rounds += 1;
    true
}

/// Each value but the first and the last, over the mean of the two beside it.
fn over_neighbours(values: &[f64]) -> impl Iterator<Item = f64> {
    values.windows(3).map(|near| near[1] / ((near[0] + near[2]) / 2.0).max(f64::MIN_POSITIVE))
}

/// The rounds that all groups have.
fn rounds(right: &[Turns<'_>]) -> usize {
    let some = right.iter().filter(|turns| !turns.cells.is_empty());
    some.map(|turns| turns.rounds).min().unwrap_or(0)
}

fn rows(right: &[Turns<'_>], plan: &Plan) -> Vec<Row> {
    let of = |turns: &Turns<'_>| -> Vec<Row> {
        let rows = turns
            .cells
            .iter()
            .filter_map(|Right { cell, measured }| measured.row(cell, plan.histograms));
        let mut rows: Vec<Row> = rows.collect();
        // The first cell of a group is what the others were measured beside.
        if let Some(reference) = rows.first_mut() {
            (reference.is_reference, reference.itself) = (true, Itself::of(&turns.itself));
        }
        rows
    };
    right.iter().flat_map(of).collect()
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
        let sample = cell.measure(Settings {
            duration,
            warm_up: Duration::ZERO,
            rate: None,
            thorough: true,
            ..settings
        })?;
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
    last: std::cell::Cell<Look>,
    left: std::cell::Cell<Duration>,
}

/// A measurement, with what the gate said before and after it.
pub(super) struct Looked {
    pub(super) sample: Sample,
    /// The worse of the two.
    pub(super) look: Look,
    pub(super) is_quiet: bool,
}

impl Quiet {
    fn new(left: Duration) -> Self {
        let gate = Gate::new();
        Quiet { last: std::cell::Cell::new(gate.look()), gate, left: std::cell::Cell::new(left) }
    }

    /// Measures between two looks at the gate; repeats a few times where the machine was busy.
    fn measure(&self, cell: &Cell, settings: Settings) -> Result<Looked, String> {
        let mut last = None;
        for turn in 0..=REPEATS {
            if turn > 0 {
                let Some(left) = self.left.get().checked_sub(settings.duration) else { break };
                self.left.set(left);
            }
            let before = self.last.get();
            let sample = cell.measure(settings)?;
            self.last.set(self.gate.look());
            let look = before.worse(self.last.get());
            let is_quiet = self.gate.is_open(look);
            last = Some(Looked { sample, look, is_quiet });
            if is_quiet {
                break;
            }
        }
        last.ok_or_else(|| "not measured".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_compared_with_itself_before_and_after() {
        let of = |values: &[f64]| over_neighbours(values).collect::<Vec<_>>();
        assert_eq!(of(&[1.0, 4.0, 3.0, 1.0]), [2.0, 1.2]);
        assert_eq!([of(&[1.0, 2.0]), of(&[])], [[0.0; 0]; 2]);
    }
}
