//! The course of a run: a share of the time for each strategy, of which the cells get what set-up leaves.

use std::{
    fmt, io, thread,
    time::{Duration, Instant},
};

use snapshot_api::{Restore, ThresholdStrategy, measure::Fault};

pub use super::set_up::Skipped;
use super::{
    operation::OF_THRESHOLDS,
    rounds::Pace,
    rows::Row,
    set_up::{Ready, SetUp, set_up},
    snapshots::{Cells, Wanted},
    thresholds,
};
use crate::{
    compare::gate::{Gate, Look},
    registry::{SnapshotVisitor, ThresholdVisitor, Unknown, visit_snapshot, visit_threshold},
};

/// What is measured, and in what time.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The windows of ids, in rising order.
    pub windows: &'static [u64],
    /// From this window on visibility is tested, at this one takes beside another core.
    pub far: u64,
    /// Rounds of a cell.
    pub rounds: usize,
    /// All strategies together.
    pub total: Duration,
    /// For everything random.
    pub seed: u64,
}

/// How the time is shared out: a snapshot strategy gets so much more than a threshold.
const WEIGHTS: (f64, f64) = (2.5, 0.7);
/// No strategy gets more than so many times the weight in seconds, however few there are.
const MOST: f64 = 3.0;
/// Of its share a strategy may play windows for so long.
const SET_UP: f64 = 0.5;
/// How much of a cell's time its operation runs; the rest is yardsticks, checks and threads.
const RUNS: f64 = 0.75;
/// A cell's slice of a round is never shorter, nor longer.
const SLICE: (Duration, Duration) = (Duration::from_micros(300), Duration::from_millis(10));

/// What happens meanwhile.
pub trait Progress {
    /// So much of the plan's [`steps`] is done; `next` is measured now.
    fn step(&mut self, next: &str);

    /// A strategy's rows are complete.
    ///
    /// # Errors
    ///
    /// They could not be written.
    fn rows(&mut self, rows: &[Row]) -> io::Result<()>;

    /// Whether to end after the place in hand.
    fn ends(&self) -> bool;
}

/// A strategy that gave a wrong answer, or could not be set up.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// Its name.
    pub strategy: &'static str,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.strategy, self.fault)
    }
}

/// What came out.
#[derive(Debug, Default)]
pub struct Outcome {
    /// All rows, strategy by strategy.
    pub rows: Vec<Row>,
    /// Places that a strategy was not brought to.
    pub skipped: Vec<Skipped>,
    /// Strategies without rows.
    pub wrong: Vec<Wrong>,
    /// How many strategies were brought to an end: all, unless [`Progress::ends`] said so before.
    pub done: usize,
}

/// Why a run stopped.
#[derive(Debug)]
pub enum Stop {
    /// Nothing has this name.
    Unknown(Unknown),
    /// Rows could not be written.
    Output(io::Error),
}

impl From<Unknown> for Stop {
    fn from(unknown: Unknown) -> Self {
        Stop::Unknown(unknown)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Output(error)
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Unknown(unknown) => fmt::Display::fmt(unknown, f),
            Stop::Output(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl std::error::Error for Stop {}

/// How many steps a run has.
pub fn steps(snapshots: usize, thresholds: usize, plan: &Plan) -> u64 {
    (snapshots * (2 * plan.windows.len() + 1) + thresholds) as u64
}

/// Measures all of them.
///
/// # Errors
///
/// [`Stop`].
pub fn costs(
    snapshots: &[&'static str],
    thresholds: &[&'static str],
    plan: &Plan,
    progress: &mut impl Progress,
) -> Result<Outcome, Stop> {
    let gate = Gate::new();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut outcome = Outcome::default();
    let mut weight = snapshots.len() as f64 * WEIGHTS.0 + thresholds.len() as f64 * WEIGHTS.1;
    let end = Instant::now() + plan.total;
    let mut share = |of: f64| {
        let left = end.saturating_duration_since(Instant::now()).as_secs_f64();
        let share = (left * of / weight).min(of * MOST);
        weight -= of;
        Duration::from_secs_f64(share)
    };
    for &strategy in snapshots {
        if progress.ends() {
            return Ok(outcome);
        }
        let share = share(WEIGHTS.0);
        let visitor =
            OneSnapshot { strategy, plan, share, cores, gate: &gate, progress: &mut *progress };
        match visit_snapshot(strategy, visitor)? {
            Ok(Measured { rows, skipped, whole }) => {
                progress.rows(&rows)?;
                outcome.rows.extend(rows);
                outcome.skipped.extend(skipped);
                if !whole {
                    return Ok(outcome);
                }
            }
            Err(fault) => outcome.wrong.push(Wrong { strategy, fault }),
        }
        outcome.done += 1;
    }
    for &strategy in thresholds {
        if progress.ends() {
            return Ok(outcome);
        }
        progress.step(strategy);
        let slice = slice(share(WEIGHTS.1), OF_THRESHOLDS.len() as u32, plan);
        let pace = Pace { rounds: plan.rounds, slice };
        let before = gate.look();
        match visit_threshold(strategy, OneThreshold { strategy, pace, cores })? {
            Ok(mut rows) => {
                mark(&mut rows, &gate, before);
                progress.rows(&rows)?;
                outcome.rows.extend(rows);
            }
            Err(fault) => outcome.wrong.push(Wrong { strategy, fault }),
        }
        outcome.done += 1;
    }
    Ok(outcome)
}

/// How long an operation runs in a round, if so many cells have this time.
fn slice(time: Duration, cells: u32, plan: &Plan) -> Duration {
    let rounds = plan.rounds as u32 * cells.max(1);
    (time / rounds).mul_f64(RUNS).clamp(SLICE.0, SLICE.1)
}

/// Marks rows that were measured while the machine was busy; returns what it has now.
fn mark(rows: &mut [Row], gate: &Gate, before: Look) -> Look {
    let after = gate.look();
    let noisy = !gate.is_open(before.worse(after));
    rows.iter_mut().for_each(|row| row.noisy = noisy);
    after
}

/// What came out of a snapshot strategy.
#[derive(Debug)]
struct Measured {
    rows: Vec<Row>,
    skipped: Vec<Skipped>,
    /// Whether no place is left.
    whole: bool,
}

struct OneSnapshot<'a, P> {
    strategy: &'static str,
    plan: &'a Plan,
    share: Duration,
    cores: usize,
    gate: &'a Gate,
    progress: &'a mut P,
}

impl<P: Progress> SnapshotVisitor for OneSnapshot<'_, P> {
    type Output = Result<Measured, Fault>;

    fn visit<S: Restore + 'static>(self, config: S::Config, _: bool) -> Self::Output {
        let OneSnapshot { strategy, plan, share, cores, gate, progress } = self;
        let start = Instant::now();
        progress.step(strategy);
        let (mut ready, mut skipped) = (Vec::new(), Vec::new());
        for place in set_up::<S>(strategy, &config, plan.windows, share.mul_f64(SET_UP))? {
            match place {
                SetUp::Ready(one) => ready.push(one),
                SetUp::Skipped(one) => {
                    skipped.push(one);
                    progress.step(strategy);
                }
            }
        }
        let wanted = |ready: &Ready<S>| Wanted {
            visibility: ready.place.window >= plan.far,
            beside: ready.place.window == plan.far && cores > 1,
        };
        let mut cells: u32 = ready.iter().map(|ready| wanted(ready).cells()).sum();
        let mut rows = Vec::new();
        let mut before = gate.look();
        for one in &mut ready {
            if progress.ends() {
                return Ok(Measured { rows, skipped, whole: false });
            }
            let (window, distribution) = (one.place.window, one.place.distribution);
            progress.step(&format!("{strategy} {distribution} {window}"));
            let wanted = wanted(one);
            let left = share.saturating_sub(start.elapsed());
            let pace = Pace { rounds: plan.rounds, slice: slice(left, cells, plan) };
            cells -= wanted.cells();
            let done = rows.len();
            Cells {
                strategy,
                ready: one,
                pace,
                seed: plan.seed,
                rows: &mut rows,
                skipped: &mut skipped,
            }
            .run(wanted)?;
            before = mark(&mut rows[done..], gate, before);
        }
        Ok(Measured { rows, skipped, whole: true })
    }
}

struct OneThreshold {
    strategy: &'static str,
    pace: Pace,
    cores: usize,
}

impl ThresholdVisitor for OneThreshold {
    type Output = Result<Vec<Row>, Fault>;

    fn visit<T: ThresholdStrategy + 'static>(self, new: fn() -> T) -> Self::Output {
        thresholds::run(self.strategy, &new(), self.pace, self.cores)
    }
}

#[cfg(test)]
mod tests;
