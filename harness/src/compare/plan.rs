//! [`Plan`]: how often cells are measured, how long, and when it is enough.

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use super::{cell::Cell, course::Settings, gate::Gate};
use crate::{loads::Point, registry::breaks, results::row::EMPTY};

/// How often and how long.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plan {
    /// How often each cell is measured, at least.
    pub rounds: usize,
    /// When it is enough after that; none where it is at once.
    pub until: Option<Until>,
    /// How long the check before takes, at most; that of a replay goes to its end.
    pub check: Duration,
    /// How long the threads work before anything counts, in each measurement.
    pub warm_up: Duration,
    /// Operations that are due a second; none where each begins when the last is over.
    pub rate: Option<f64>,
    /// For everything random; each round has one of its own.
    pub seed: u64,
    /// Whether each thread stays on a core of its own.
    pub pinned: bool,
    /// Whether rows hold whole histograms of times.
    pub histograms: bool,
}

/// When it is enough.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Until {
    /// A load is measured until half of its ratios are known so finely: half of the 95% interval, as a part of the ratio.
    pub within: f64,
    /// No round begins when so much time has passed since the start.
    pub limit: Duration,
}

/// All pairings under one point of a load.
#[derive(Debug)]
pub struct Group {
    /// The point.
    pub point: Rc<Point>,
    /// The pairings. The first is what the others are multiples of.
    pub cells: Vec<Cell>,
}

/// After so many cells the reference is measured anew: an eighth of a second, in which the machine's mood changes little.
pub(super) const BESIDE: usize = 3;

impl Group {
    /// How long a round of it takes, about: with the reference and the gate, after such a warm-up each.
    fn round(&self, warm_up: Duration) -> Duration {
        let measured = self.cells.len() + self.cells.len().div_ceil(BESIDE) + 1;
        (Duration::from_millis(self.point.millis) + warm_up + Gate::TAKES) * measured as u32
    }
}

/// As a rule.
pub const WARM_UP: Duration = Duration::from_millis(2);

impl Plan {
    /// So many rounds after a short warm-up each, on threads that stay on their cores.
    pub fn new(rounds: usize, seed: u64) -> Self {
        let check = Duration::from_millis(50);
        Plan {
            rounds,
            until: None,
            check,
            warm_up: WARM_UP,
            rate: None,
            seed,
            pinned: true,
            histograms: false,
        }
    }

    /// How a cell is measured in a round.
    pub(super) fn settings(&self, cell: &Cell, round: usize) -> Settings {
        Settings {
            warm_up: self.warm_up,
            duration: Duration::from_millis(cell.point.millis),
            threads: cell.point.threads,
            seed: self.seed.wrapping_add(round as u64),
            rate: self.rate,
            checked: cell.snapshot != EMPTY && breaks(cell.snapshot).is_empty(),
            thorough: false,
            pinned: self.pinned,
        }
    }

    /// Whether a load needs another round after so many, which have made half of its ratios known so finely.
    pub(super) fn goes_on(&self, rounds: usize, within: f64, since: Instant) -> bool {
        let finer = |until: Until| within > until.within && since.elapsed() < until.limit;
        rounds < self.rounds || self.until.is_some_and(finer)
    }

    /// How long it takes, about; at most, where it ends when it is enough.
    pub fn estimate(&self, groups: &[Group]) -> Duration {
        let least = self.checks(groups) + self.round(groups) * self.rounds as u32;
        self.until.map_or(least, |until| least.max(until.limit))
    }

    /// How many steps it has: checks and measurements, as many as there is time for.
    pub fn steps(&self, groups: &[Group]) -> u64 {
        let cells: usize = groups.iter().map(|group| group.cells.len()).sum();
        let left = self.estimate(groups).saturating_sub(self.checks(groups)).as_secs_f64();
        let fit = left / self.round(groups).as_secs_f64().max(f64::MIN_POSITIVE);
        (cells * (1 + self.rounds.max(fit.round() as usize))) as u64
    }

    fn round(&self, groups: &[Group]) -> Duration {
        groups.iter().map(|group| group.round(self.warm_up)).sum()
    }

    fn checks(&self, groups: &[Group]) -> Duration {
        let of = |group: &Group| {
            Duration::from_millis(group.point.millis).min(self.check) * group.cells.len() as u32
        };
        groups.iter().map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_goes_on_until_it_is_fine_or_the_time_is_up() {
        let plan = Plan::new(7, 1);
        let now = Instant::now();
        assert!(plan.goes_on(6, 0.0, now) && !plan.goes_on(7, f64::INFINITY, now));
        let until = |limit| Plan { until: Some(Until { within: 0.03, limit }), ..plan };
        let long = until(Duration::from_secs(3_600));
        assert!(long.goes_on(6, 0.0, now) && long.goes_on(7, 0.031, now));
        assert!(!long.goes_on(7, 0.03, now));
        let over = until(Duration::ZERO);
        assert!(over.goes_on(6, 1.0, now) && !over.goes_on(7, 1.0, now));
    }
}
