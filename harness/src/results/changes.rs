//! Two files row by row: what became faster, what slower, and what may be chance.
//!
//! ```text
//!  old  ──├────┤──────────     intervals overlap: the difference may be chance
//!  new  ─────├────┤───────
//!
//!  old  ──├────┤──────────     they part: a difference
//!  new  ───────────├────┤─
//! ```
//!
//! Ratios are compared, not nanoseconds: each is already a multiple of the reference that was measured a moment before, so that
//! a machine that is slower today moves both sides of it.

use std::collections::{BTreeSet, HashMap};

use super::Row;
use crate::stats::estimate;

/// A row that both files have.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// In the old file.
    pub old: &'a Row,
    /// In the new one.
    pub new: &'a Row,
}

/// What a change is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The new interval lies above the old one.
    Faster,
    /// The new interval lies below the old one.
    Slower,
    /// They have a point in common.
    MaybeChance,
}

impl Change<'_> {
    /// The new ratio over the old one: above 1 is faster. None where the old one is 0.
    pub fn new_over_old(&self) -> Option<f64> {
        (self.old.ratio > 0.0).then(|| self.new.ratio / self.old.ratio)
    }

    /// What the intervals say.
    pub fn verdict(&self) -> Verdict {
        if self.new.ratio_low > self.old.ratio_high {
            Verdict::Faster
        } else if self.new.ratio_high < self.old.ratio_low {
            Verdict::Slower
        } else {
            Verdict::MaybeChance
        }
    }

    /// Whether the intervals have no point in common.
    pub fn intervals_part(&self) -> bool {
        self.verdict() != Verdict::MaybeChance
    }

    /// Whether the ratio changed by so many percent of the smaller one or more, to either side.
    pub fn is_at_least(&self, percent: f64) -> bool {
        let (old, new) = (self.old.ratio, self.new.ratio);
        old.max(new) >= old.min(new) * (1.0 + percent / 100.0)
    }

    /// Whether it is a difference, and the new ratio is less than this part of the old one.
    pub fn fell_below(&self, limit: f64) -> bool {
        self.intervals_part() && self.new_over_old().is_some_and(|times| times < limit)
    }
}

/// All rows of two files.
#[derive(Clone, Debug, Default)]
pub struct Changes<'a> {
    /// Rows of the same load and pairing, in the old file's order.
    pub both: Vec<Change<'a>>,
    /// Rows that the old file alone has.
    pub only_old: Vec<&'a Row>,
    /// Rows that the new file alone has.
    pub only_new: Vec<&'a Row>,
}

impl Changes<'_> {
    /// In what the measurements of paired rows differ that may move a ratio, one phrase each.
    pub fn differences(&self) -> Vec<String> {
        let millis = self.both.iter().map(|change| (change.old.millis, change.new.millis));
        let other: BTreeSet<_> = millis.filter(|(old, new)| old != new).collect();
        let mut all: Vec<String> = other
            .iter()
            .map(|(old, new)| format!("milliseconds a cell: {old} and {new}"))
            .collect();
        // A file from before rows said it has one reference, and its header tells which.
        if self.both.iter().any(|change| change.old.is_reference) {
            let others = self
                .both
                .iter()
                .filter(|Change { old, new }| new.is_reference && !old.is_reference);
            all.extend(others.map(|Change { new, .. }| {
                format!(
                    "reference of {}: {} × {} in new alone",
                    new.workload, new.snapshot, new.threshold
                )
            }));
        }
        all
    }
}

/// Pairs the rows.
pub fn changes<'a>(
    old: impl IntoIterator<Item = &'a Row>,
    new: impl IntoIterator<Item = &'a Row> + Clone,
) -> Changes<'a> {
    let mut left: HashMap<_, &Row> = new.clone().into_iter().map(|row| (row.key(), row)).collect();
    let mut changes = Changes::default();
    for old in old {
        match left.remove(&old.key()) {
            Some(new) => changes.both.push(Change { old, new }),
            None => changes.only_old.push(old),
        }
    }
    changes.only_new = new.into_iter().filter(|row| left.contains_key(&row.key())).collect();
    changes
}

/// The share of rows that part by chance, where nothing changed and the files are made of so many rounds. None where a file has
/// no round.
///
/// It is tried out: rounds that scatter evenly around one value, the same ones each time.
pub fn share_by_chance(old: usize, new: usize) -> Option<f64> {
    const TRIED: usize = 4_000;
    // More change little.
    const MOST: usize = 20;
    if old.min(new) == 0 {
        return None;
    }
    let mut random = fastrand::Rng::with_seed(1);
    let mut interval = |rounds: usize| {
        // Of twelve evenly spread numbers the sum is spread as errors are.
        let mut round = || (0..12).map(|_| random.f64()).sum::<f64>();
        estimate(&(0..rounds.min(MOST)).map(|_| round()).collect::<Vec<_>>())
    };
    let mut parts = || {
        let (old, new) = (interval(old), interval(new));
        old.high < new.low || new.high < old.low
    };
    Some((0..TRIED).filter(|_| parts()).count() as f64 / TRIED as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{
        row::Parameter,
        sample::{row, standby},
    };

    #[test]
    fn rows_pair_by_load_pairing_and_threads() {
        let crowded = Row { threads: 64, ..row("csn", "off", 1.0) };
        let old = [row("csn", "off", 1.0), row("csn", "mutex", 1.0), standby("csn", "off", 1.0)];
        let new =
            [crowded, standby("csn", "off", 2.0), row("csn", "mutex", 3.0), row("b", "off", 1.0)];
        let changes = changes(&old, &new);
        let times: Vec<_> = changes.both.iter().map(Change::new_over_old).collect();
        assert_eq!(times, [Some(3.0), Some(2.0)]);
        assert_eq!(changes.only_old, [&old[0]]);
        assert_eq!(changes.only_new, [&new[0], &new[3]]);
    }

    #[test]
    fn other_times_of_measurement_are_told_once() {
        let long = |threshold| Row { millis: 500, ..row("csn", threshold, 1.0) };
        let old = [row("csn", "off", 1.0), row("csn", "mutex", 1.0), row("csn", "rcu", 1.0)];
        let new = [long("off"), long("mutex"), row("csn", "rcu", 1.0)];
        assert_eq!(changes(&old, &new).differences(), ["milliseconds a cell: 120 and 500"]);
        assert_eq!(changes(&old, &old).differences(), [""; 0]);
    }

    #[test]
    fn other_references_of_a_load_are_told() {
        let with = |reference: &str| {
            ["csn", "bitmap"]
                .map(|name| Row { is_reference: name == reference, ..row(name, "off", 1.0) })
        };
        let (csn, bitmap) = (with("csn"), with("bitmap"));
        let told = changes(&csn, &bitmap).differences();
        assert_eq!(told, ["reference of page-scan: bitmap × off in new alone"]);
        assert_eq!(changes(&csn, &csn).differences(), [""; 0]);
        assert_eq!(changes(&with("none"), &csn).differences(), [""; 0], "a file from before");
    }

    #[test]
    fn rows_of_other_parameters_do_not_pair() {
        let parameters = |value| [("slots".into(), Parameter::Number(value))].into();
        let [old, new] =
            [1.0, 2.0].map(|value| Row { parameters: parameters(value), ..row("csn", "off", 1.0) });
        let changes = changes([&old], [&new]);
        assert_eq!((changes.both.len(), changes.only_old.len(), changes.only_new.len()), (0, 1, 1));
    }

    fn of(old: [f64; 3], new: [f64; 3]) -> [Row; 2] {
        [old, new].map(|[ratio_low, ratio, ratio_high]| Row {
            ratio_low,
            ratio_high,
            ..row("csn", "off", ratio)
        })
    }

    #[test]
    fn intervals_that_touch_may_be_chance() {
        for (old, new, expected) in [
            ([1.0, 1.1, 1.2], [1.3, 1.4, 1.5], Verdict::Faster),
            ([1.3, 1.4, 1.5], [1.0, 1.1, 1.2], Verdict::Slower),
            ([1.0, 1.1, 1.2], [1.2, 1.4, 1.5], Verdict::MaybeChance),
            ([1.2, 1.4, 1.5], [1.0, 1.1, 1.2], Verdict::MaybeChance),
            ([1.0, 1.1, 2.0], [1.2, 1.4, 1.5], Verdict::MaybeChance),
        ] {
            let [old, new] = &of(old, new);
            let change = Change { old, new };
            assert_eq!(change.verdict(), expected, "{old:?} {new:?}");
            assert_eq!(change.intervals_part(), expected != Verdict::MaybeChance);
        }
    }

    #[test]
    fn what_falls_below_a_limit_parts_too() {
        let below = |old, new, limit| {
            let [old, new] = &of(old, new);
            Change { old, new }.fell_below(limit)
        };
        assert!(below([1.9, 2.0, 2.1], [0.9, 1.0, 1.1], 0.9));
        assert!(!below([1.9, 2.0, 2.1], [0.9, 1.0, 1.1], 0.5), "0.5 is not below 0.5");
        assert!(!below([0.5, 2.0, 2.1], [0.9, 1.0, 1.1], 0.9), "the intervals overlap");
        assert!(!below([0.9, 1.0, 1.1], [1.9, 2.0, 2.1], 0.9), "it rose");
        assert!(!below([0.0, 0.0, 0.0], [1.9, 2.0, 2.1], 0.9), "from nothing it can only rise");
    }

    #[test]
    fn percents_are_of_the_smaller_one() {
        let at_least = |old, new, percent| {
            let (old, new) = (row("csn", "off", old), row("csn", "off", new));
            Change { old: &old, new: &new }.is_at_least(percent)
        };
        assert!(at_least(1.0, 2.0, 100.0) && at_least(2.0, 1.0, 100.0));
        assert!(!at_least(1.0, 2.0, 101.0) && !at_least(2.0, 1.0, 101.0));
        assert!(at_least(1.0, 1.0, 0.0) && at_least(0.0, 1.0, 1e9));
    }

    #[test]
    fn few_rounds_part_by_chance() {
        let near = |old, new, expected: f64, by: f64| {
            let share = share_by_chance(old, new).expect("some rounds");
            assert!((share - expected).abs() <= by, "{old} {new}: {share}");
        };
        // From the least to the most of them: one order in so many.
        near(1, 1, 1.0, 0.0);
        near(3, 3, 2.0 / 20.0, 0.02);
        near(5, 5, 2.0 / 252.0, 0.005);
        // Two 95% intervals part where their middles are 2.8 times as far apart as they scatter.
        near(20, 20, 0.006, 0.004);
        near(1_000_000, 20, 0.006, 0.004);
        assert_eq!([share_by_chance(0, 3), share_by_chance(3, 0)], [None, None]);
    }
}
