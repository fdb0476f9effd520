//! The course of a comparison: cells, each checked first, then measured in turn, round by round.

use std::{fmt, time::Duration};

use snapshot_api::{Restore, ThresholdStrategy};

use super::{
    cell::{Sample, Settings},
    gate::Gate,
    long_transaction, page_scan,
    rows::{Measured, row},
};
use crate::{
    registry::{SnapshotVisitor, ThresholdVisitor, Unknown, visit_snapshot, visit_threshold},
    results::Row,
};

/// A load that a pairing is put under.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Workload {
    /// Scans of a table, one look at the threshold a page: both reports on the threshold.
    PageScan,
    /// Snapshots beside a replay, one transaction open for the middle third: the report "Slow standby snapshot".
    LongTransaction,
}

impl Workload {
    /// All of them.
    pub const ALL: [Workload; 2] = [Workload::PageScan, Workload::LongTransaction];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Workload::PageScan => "page-scan",
            Workload::LongTransaction => "standby-long-transaction",
        }
    }

    /// How many threads are measured on so many cores, unless the user says. The replayer works without pause and needs
    /// a core of its own; the writer beside scanners does little.
    pub fn threads(self, cores: usize) -> usize {
        match self {
            Workload::PageScan => cores,
            Workload::LongTransaction => cores.saturating_sub(1).max(1),
        }
    }

    /// Whether the strategy has to be one that can play a standby.
    pub fn needs_standby(self) -> bool {
        self == Workload::LongTransaction
    }
}

/// One measurement of a cell on a fresh instance.
type Measure = Box<dyn Fn(Settings) -> Result<Sample, String>>;

/// A pairing under a load.
pub struct Cell {
    /// The load.
    pub workload: Workload,
    /// Name of the snapshot strategy.
    pub snapshot: &'static str,
    /// Name of the threshold strategy.
    pub threshold: &'static str,
    measure: Measure,
}

impl Cell {
    /// The cell of two names; `None` where the strategy cannot be put under this load.
    ///
    /// # Errors
    ///
    /// Nothing has one of the names.
    pub fn new(
        workload: Workload,
        snapshot: &'static str,
        threshold: &'static str,
    ) -> Result<Option<Self>, Unknown> {
        let measure = visit_snapshot(snapshot, ForSnapshot { workload, threshold })??;
        Ok(measure.map(|measure| Cell { workload, snapshot, threshold, measure }))
    }

    /// Measures once.
    ///
    /// # Errors
    ///
    /// The strategy could not be set up.
    fn measure(&self, settings: Settings) -> Result<Sample, String> {
        (self.measure)(settings)
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} × {}", self.workload.name(), self.snapshot, self.threshold)
    }
}

struct ForSnapshot {
    workload: Workload,
    threshold: &'static str,
}

impl SnapshotVisitor for ForSnapshot {
    type Output = Result<Option<Measure>, Unknown>;

    fn visit<S: Restore + 'static>(self, config: S::Config, standby: bool) -> Self::Output {
        if self.workload.needs_standby() && !standby {
            return Ok(None);
        }
        let paired = ForThreshold { workload: self.workload, restore: Restorer::<S> { config } };
        visit_threshold(self.threshold, paired).map(Some)
    }
}

struct Restorer<S: Restore> {
    config: S::Config,
}

struct ForThreshold<S: Restore> {
    workload: Workload,
    restore: Restorer<S>,
}

impl<S: Restore + 'static> ThresholdVisitor for ForThreshold<S> {
    type Output = Measure;

    fn visit<T: ThresholdStrategy + 'static>(self, new: fn() -> T) -> Measure {
        let ForThreshold { workload, restore: Restorer { config } } = self;
        Box::new(move |settings| {
            let sample = match workload {
                Workload::PageScan => page_scan::fresh::<S>(&config)
                    .map(|strategy| page_scan::run(&strategy, &new(), settings)),
                Workload::LongTransaction => long_transaction::fresh::<S>(&config)
                    .map(|strategy| long_transaction::run(&strategy, &new(), settings)),
            };
            sample.map_err(|refused| refused.to_string())
        })
    }
}

/// How often and how long.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How often each cell is measured.
    pub rounds: usize,
    /// How long one measurement takes.
    pub duration: Duration,
    /// How long the check before takes.
    pub check: Duration,
    /// Threads that are measured; each load's own number where none is given.
    pub threads: Option<usize>,
    /// Cores of this machine.
    pub cores: usize,
    /// For everything random; each round has one of its own.
    pub seed: u64,
}

impl Plan {
    /// The threads that are measured under a load.
    pub fn threads(&self, workload: Workload) -> usize {
        self.threads.unwrap_or_else(|| workload.threads(self.cores))
    }

    fn settings(&self, workload: Workload, round: usize) -> Settings {
        Settings {
            duration: self.duration,
            threads: self.threads(workload),
            seed: self.seed.wrapping_add(round as u64),
        }
    }
}

/// What happens while a comparison runs.
pub trait Progress {
    /// A cell has been checked or measured.
    fn step(&mut self, cell: &Cell);

    /// A round is over, and these are the rows so far.
    ///
    /// # Errors
    ///
    /// They could not be written.
    fn round(&mut self, rows: &[Row]) -> std::io::Result<()>;
}

/// How often a noisy measurement is repeated.
const REPEATS: usize = 2;

/// What came out.
#[derive(Debug)]
pub struct Outcome {
    /// One for each cell that passed its check.
    pub rows: Vec<Row>,
    /// The cells that gave a wrong answer.
    pub wrong: Vec<Wrong>,
}

/// A cell that gave a wrong answer, or could not be set up.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The load.
    pub workload: Workload,
    /// Name of the snapshot strategy.
    pub snapshot: &'static str,
    /// Name of the threshold strategy.
    pub threshold: &'static str,
    /// The first wrong answer.
    pub what: String,
}

impl Wrong {
    fn of(cell: &Cell, what: impl Into<String>) -> Self {
        let Cell { workload, snapshot, threshold, .. } = *cell;
        Wrong { workload, snapshot, threshold, what: what.into() }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} × {}: {}", self.workload.name(), self.snapshot, self.threshold, self.what)
    }
}

/// After so many cells the reference is measured anew, for the next ones to be compared with.
const BESIDE: usize = 6;

/// How many steps a comparison of so many cells has.
pub fn steps(cells: usize, plan: &Plan) -> u64 {
    (cells * (plan.rounds + 1)) as u64
}

/// Checks all cells, then measures those that passed.
///
/// The first cell of each load is its reference. It is measured before every few others, which are compared with that
/// measurement; and it is a cell like the others too, so that its own ratio tells what two measurements of one thing differ
/// by.
///
/// # Errors
///
/// Rows could not be written.
pub fn compare(
    cells: &[Cell],
    plan: &Plan,
    progress: &mut impl Progress,
) -> std::io::Result<Outcome> {
    let gate = Gate::new();
    let mut wrong = Vec::new();
    let mut right = Vec::new();
    for cell in cells {
        let settings = Settings { duration: plan.check, ..plan.settings(cell.workload, 0) };
        match check(cell, settings) {
            Ok(()) => right.push((cell, Measured::default())),
            Err(what) => wrong.push(Wrong::of(cell, what)),
        }
        progress.step(cell);
    }
    for round in 0..plan.rounds {
        for workload in Workload::ALL {
            let of_load = |&place: &usize| right[place].0.workload == workload;
            let mut order: Vec<usize> = (0..right.len()).filter(of_load).collect();
            let Some(&first) = order.first() else { continue };
            let (reference, settings) = (right[first].0, plan.settings(workload, round));
            if round % 2 == 1 {
                order.reverse();
            }
            for few in order.chunks(BESIDE) {
                let beside =
                    quietly(&gate, reference, settings).map(|(sample, _)| sample.ops_per_s);
                for &place in few {
                    let (cell, measured) = &mut right[place];
                    match (&beside, quietly(&gate, cell, settings)) {
                        (Ok(beside), Ok((sample, quiet))) => measured.add(sample, *beside, quiet),
                        (Err(what), _) => wrong.push(Wrong::of(reference, what)),
                        (_, Err(what)) => wrong.push(Wrong::of(cell, what)),
                    }
                    progress.step(cell);
                }
            }
        }
        let broken = |(cell, measured): &(&Cell, Measured)| {
            measured.wrong().map(|what| Wrong::of(cell, what))
        };
        wrong.extend(right.iter().filter_map(broken));
        right.retain(|one| broken(one).is_none());
        progress.round(&rows(&right, plan))?;
    }
    Ok(Outcome { rows: rows(&right, plan), wrong })
}

fn rows(right: &[(&Cell, Measured)], plan: &Plan) -> Vec<Row> {
    let row = |(cell, measured): &(&Cell, Measured)| {
        row(cell, measured, plan.threads(cell.workload), plan.duration)
    };
    right.iter().map(row).collect()
}

fn check(cell: &Cell, settings: Settings) -> Result<(), String> {
    let sample = cell.measure(settings)?;
    match sample.wrong.into_iter().next() {
        Some(what) => Err(what),
        None if sample.ops_per_s > 0.0 => Ok(()),
        None => Err("no operation was done in the time of the check".into()),
    }
}

/// Measures with the gate before and after; repeats a few times where the machine was busy. Also whether it was quiet.
fn quietly(gate: &Gate, cell: &Cell, settings: Settings) -> Result<(Sample, bool), String> {
    let mut last = None;
    for _ in 0..=REPEATS {
        let before = gate.effective_cores();
        let sample = cell.measure(settings)?;
        let quiet = gate.is_open(before.min(gate.effective_cores()));
        last = Some((sample, quiet));
        if quiet {
            break;
        }
    }
    last.ok_or_else(|| "not measured".into())
}
