//! From timed batches to a row: subtraction, pairing, the round in the middle.

use std::time::{Duration, Instant};

use snapshot_api::measure::Fault;

use crate::clock::nanos;
use crate::stats::estimate;

/// How often a cell is measured, and how long each time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Rounds of a cell.
    pub rounds: usize,
    /// How long its operation runs in each, at least one batch.
    pub slice: Duration,
}

/// A cell that is late gets no fewer rounds.
const FEWEST: usize = 3;

/// Rounds until there are enough; fewer where a single one takes far longer than its slice. `one` is told whether the yardstick
/// comes first.
pub(super) fn rounds<T>(
    pace: Pace,
    mut one: impl FnMut(bool) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let start = Instant::now();
    let late = pace.slice * 3 * pace.rounds as u32;
    let mut all = Vec::new();
    while all.len() < pace.rounds && (all.len() < FEWEST || start.elapsed() < late) {
        all.push(one(all.len().is_multiple_of(2))?);
    }
    Ok(all)
}

/// Timed batches, added up.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Batches {
    total: Duration,
    batches: u64,
    calls: u64,
}

impl Batches {
    /// Adds a batch of so many calls.
    pub fn add(&mut self, elapsed: Duration, calls: u64) {
        self.total += elapsed;
        self.batches += 1;
        self.calls += calls;
    }

    /// Nanoseconds a call, less a clock read of so much from every batch.
    pub fn ns(&self, clock: Duration) -> f64 {
        (nanos(self.total) - nanos(clock) * self.batches as f64) / (self.calls as f64).max(1.0)
    }

    /// How much longer a call of these took than one of `without`, in nanoseconds: a clock read is in both. Less than zero where
    /// the difference is below what chance does.
    pub fn ns_beyond(&self, without: &Batches) -> f64 {
        self.ns(Duration::ZERO) - without.ns(Duration::ZERO)
    }
}

/// An operation and its yardstick, measured side by side.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Round {
    /// Nanoseconds a call.
    pub ns: f64,
    /// Nanoseconds of the yardstick.
    pub yardstick_ns: f64,
}

impl Round {
    fn ratio(&self) -> f64 {
        self.ns / self.yardstick_ns
    }
}

/// The round whose ratio is the median, and how sure that is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Middle {
    /// That round.
    pub round: Round,
    /// Its ratio.
    pub ratio: f64,
    /// Lower end of its 95% interval.
    pub low: f64,
    /// Upper end of its 95% interval.
    pub high: f64,
}

/// The round in the middle, the lower of two; `None` where there is none.
pub fn middle(rounds: impl IntoIterator<Item = Round>) -> Option<Middle> {
    let mut rounds: Vec<Round> = rounds.into_iter().collect();
    rounds.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    let round = *rounds.get(rounds.len().checked_sub(1)? / 2)?;
    let ratio = round.ratio();
    let interval = estimate(&rounds.iter().map(Round::ratio).collect::<Vec<_>>());
    Some(Middle { round, ratio, low: interval.low.min(ratio), high: interval.high.max(ratio) })
}

/// The value that a share of the sorted ones does not exceed (nearest rank); 0 where there is none.
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batches(times: &[u64], calls: u64) -> Batches {
        let mut all = Batches::default();
        times.iter().for_each(|&nanos| all.add(Duration::from_nanos(nanos), calls));
        all
    }

    #[test]
    fn the_clock_is_taken_from_every_batch() {
        // (620 + 660 - 2 * 20) / 128
        let all = batches(&[620, 660], 64);
        assert_eq!(all.ns(Duration::from_nanos(20)), 1_240.0 / 128.0);
        assert_eq!(all.ns(Duration::ZERO), 10.0);
        assert_eq!(Batches::default().ns(Duration::from_nanos(20)), 0.0);
    }

    #[test]
    fn a_difference_is_a_call_of_one_less_a_call_of_the_other() {
        let (with, without) = (batches(&[640, 640, 640], 64), batches(&[256, 128], 64));
        assert_eq!(with.ns_beyond(&without), 10.0 - 3.0);
        assert_eq!(without.ns_beyond(&with), 3.0 - 10.0, "chance is not hidden");
    }

    #[test]
    fn the_row_is_the_round_of_the_median_ratio() {
        let round = |ns, yardstick_ns| Round { ns, yardstick_ns };
        // Ratios 4, 2, 9, 3, 1: the machine was slow in one round, for both alike.
        let rounds = [
            round(8.0, 2.0),
            round(6.0, 3.0),
            round(9.0, 1.0),
            round(300.0, 100.0),
            round(1.0, 1.0),
        ];
        let found = middle(rounds).expect("there are some");
        assert_eq!((found.round, found.ratio), (round(300.0, 100.0), 3.0));
        assert!(found.low >= 1.0 && found.low <= 3.0 && found.high >= 3.0 && found.high <= 9.0);
        assert!(found.low < found.high, "they differ");
        let two = middle([round(4.0, 1.0), round(2.0, 1.0)]).expect("there are some");
        assert_eq!((two.ratio, two.round.ns), (2.0, 2.0), "a round that was measured");
        assert_eq!(middle([]), None);
    }

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let sorted: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!([0.5, 0.99, 1.0].map(|share| percentile(&sorted, share)), [100.0, 198.0, 200.0]);
        assert_eq!(percentile(&[7.0], 0.5), 7.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }

    #[test]
    fn late_cells_have_fewer_rounds() {
        let in_time = Pace { rounds: 15, slice: Duration::from_secs(60) };
        let mut order = Vec::new();
        let all = rounds(in_time, |first| {
            order.push(first);
            Ok(())
        });
        assert_eq!(all.map(|all| all.len()), Ok(15));
        assert_eq!(order[..3], [true, false, true], "in turn");
        let late = Pace { slice: Duration::ZERO, ..in_time };
        assert_eq!(rounds(late, |_| Ok(())).map(|all| all.len()), Ok(FEWEST));
    }
}
