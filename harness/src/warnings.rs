//! Warnings: what a reader should know before he believes a row, and what to do about it.

use crate::{
    results::{Labels, Row},
    stats::median,
};

/// A measurement of fewer operations says little of any.
const FEWEST_OPERATIONS: f64 = 1_000.0;
/// A measurement shorter than this, in milliseconds, is a few time slices of the system.
const SHORTEST: u64 = 20;
/// Of fewer rounds an interval reaches from the least to the most.
const FEWEST_ROUNDS: usize = 5;
/// Cores below so much of their speed are shared.
const SLOW: f64 = 0.95;
/// A round that is so many times the median of all, or so small a part of it, is none of them.
const FAR: f64 = 2.0;
/// Below this, of so many threads one half did nearly all.
const UNFAIR: f64 = 0.5;

/// One line each; none where all is well. The machine had so many cores.
pub fn warnings(rows: &[&Row], cores: usize) -> Vec<String> {
    let of = Rows { rows, labels: Labels::new(rows.iter().copied()) };
    [
        of.busy(),
        of.slow_cores(),
        of.crowded(cores),
        of.short(),
        of.few_operations(),
        of.few_rounds(),
        of.outliers(),
        of.unfair(),
        of.late(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

struct Rows<'a> {
    rows: &'a [&'a Row],
    labels: Labels<'a>,
}

impl<'a> Rows<'a> {
    fn busy(&self) -> Option<String> {
        let noisy = self.rows.iter().filter(|row| row.noisy).count();
        let all = self.rows.len();
        (noisy > 0).then(|| {
            format!("The machine was busy in {noisy} of {all} rows (~): stop what else runs, and measure again.")
        })
    }

    fn slow_cores(&self) -> Option<String> {
        let mut speeds: Vec<f64> = self.rows.iter().filter_map(|row| row.core_speed).collect();
        let slow = Some(median(&mut speeds)).filter(|speed| *speed > 0.0 && *speed < SLOW)?;
        Some(format!(
            "The cores did {:.0}% of what they can do alone: others share their hardware threads (a virtual machine's neighbours), \
             or their clock changes. Ratios are taken between neighbours in time, and their intervals are wider for it.",
            slow * 100.0
        ))
    }

    fn crowded(&self, cores: usize) -> Option<String> {
        let most = self.rows.iter().map(|row| row.threads).max().filter(|most| *most > cores)?;
        Some(format!(
            "More threads ({most}) than {}: what is seen is holders of locks that lose their core, not contention. For \
             contention measure where there are more cores.",
            counted(cores, "core")
        ))
    }

    fn short(&self) -> Option<String> {
        let least =
            self.rows.iter().map(|row| row.millis).min().filter(|least| *least < SHORTEST)?;
        Some(format!(
            "Measurements of {least} ms are a few time slices of the system: {SHORTEST} ms and more tell more."
        ))
    }

    fn few_operations(&self) -> Option<String> {
        let operations = |row: &Row| row.ops_per_s * row.millis as f64 / 1_000.0;
        let few = |row: &&&'a Row| operations(row) < FEWEST_OPERATIONS;
        let (least, others) = self.worst(few, |row| operations(row))?;
        let least_operations = operations(least);
        Some(format!(
            "Only {least_operations:.0} operations in a measurement of {}{others}: measure for longer.",
            self.name(least)
        ))
    }

    fn few_rounds(&self) -> Option<String> {
        let told = self.rows.iter().map(|row| row.rounds.len()).filter(|rounds| *rounds > 0);
        let fewest = told.min().filter(|fewest| *fewest < FEWEST_ROUNDS)?;
        Some(format!(
            "After {} an interval reaches from the least to the most of them: {FEWEST_ROUNDS} and more tell more.",
            counted(fewest, "round")
        ))
    }

    fn outliers(&self) -> Option<String> {
        let far = |row: &Row| farthest(row).map_or(1.0, |times| times.max(1.0 / times));
        let (worst, others) = self.worst(|row| far(row) > FAR, |row| -far(row))?;
        let times = farthest(worst)?;
        Some(format!(
            "A round of {} did {times:.2} of the median of its rounds{others}: something else ran meanwhile; measure again, \
             or more rounds.",
            self.name(worst)
        ))
    }

    fn unfair(&self) -> Option<String> {
        let (worst, others) =
            self.worst(|row| row.threads > 1 && row.fairness < UNFAIR, |row| row.fairness)?;
        Some(format!(
            "The threads of {} were served unevenly, fairness {:.2}{others}: throughput is that of a few of them; see \
             ops_by_thread.",
            self.name(worst),
            worst.fairness
        ))
    }

    fn late(&self) -> Option<String> {
        let missed = |row: &Row| row.late.unwrap_or_default() + row.skipped.unwrap_or_default();
        let (worst, others) = self.worst(|row| missed(row) > 0.0, |row| -missed(row))?;
        Some(format!(
            "{} did not keep up with the rate, {:.0} operations late and {:.0} skipped{others}: intended latencies tell what \
             a caller waits; for the operations alone lower the rate.",
            self.name(worst),
            worst.late.unwrap_or_default(),
            worst.skipped.unwrap_or_default()
        ))
    }

    /// The row of those that are bad whose number is lowest, and how many others there are, in words.
    fn worst(
        &self,
        is_bad: impl Fn(&&&'a Row) -> bool,
        number: impl Fn(&Row) -> f64,
    ) -> Option<(&'a Row, String)> {
        let bad: Vec<&'a Row> = self.rows.iter().filter(is_bad).copied().collect();
        let worst = bad.iter().min_by(|a, b| number(a).total_cmp(&number(b))).copied()?;
        let others = match bad.len() - 1 {
            0 => String::new(),
            others => format!(" (and {} less so)", counted(others, "other row")),
        };
        Some((worst, others))
    }

    fn name(&self, row: &Row) -> String {
        let pairing = format!("{} × {}", row.snapshot, row.threshold);
        match self.labels.point(row) {
            point if point.is_empty() => pairing,
            point => format!("{pairing} ({point})"),
        }
    }
}

/// The round that is farthest from the median of all, as a multiple of it; none where there are too few to tell.
fn farthest(row: &Row) -> Option<f64> {
    if row.rounds.len() < 3 {
        return None;
    }
    let median = median(&mut row.rounds.clone());
    let times = row.rounds.iter().map(|round| round / median).filter(|_| median > 0.0);
    times.max_by(|a, b| a.max(1.0 / a).total_cmp(&b.max(1.0 / b)))
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sample::row;

    fn told(change: impl FnOnce(&mut Row)) -> Vec<String> {
        let mut changed = row("csn", "off", 1.0);
        change(&mut changed);
        warnings(&[&row("bitmap", "off", 1.0), &changed], 2)
    }

    #[test]
    fn nothing_is_said_where_all_is_well() {
        assert_eq!(told(|_| ()), [""; 0]);
        assert_eq!(warnings(&[], 2), [""; 0]);
        // Right at each limit.
        assert_eq!(
            told(|row| {
                row.millis = SHORTEST;
                row.ops_per_s = FEWEST_OPERATIONS * 1_000.0 / SHORTEST as f64;
                row.rounds = vec![2.0, 4.0, 2.0, 2.0, 2.0];
                row.fairness = UNFAIR;
                row.core_speed = Some(SLOW);
                (row.late, row.skipped) = (Some(0.0), Some(0.0));
            }),
            [""; 0]
        );
        // One thread is served alone, and two rounds have no median to be far from.
        assert_eq!(told(|row| (row.threads, row.fairness) = (1, 0.1)), [""; 0]);
        assert!(!told(|row| row.rounds = vec![1.0, 9.0])[0].contains("of its rounds"));
        assert_eq!(told(|row| row.rounds = vec![0.0; 7]), [""; 0]);
    }

    #[test]
    fn each_warning_says_what_to_do() {
        for (told, says) in [
            (
                told(|row| row.noisy = true),
                "The machine was busy in 1 of 2 rows (~): stop what else runs, and measure again.",
            ),
            (
                told(|row| row.core_speed = Some(0.86)),
                "The cores did 86% of what they can do alone: others share their hardware threads",
            ),
            (
                told(|row| row.threads = 32),
                "More threads (32) than 2 cores: what is seen is holders of locks that lose their core",
            ),
            (
                told(|row| row.millis = 19),
                "Measurements of 19 ms are a few time slices of the system: 20 ms and more tell more.",
            ),
            (
                told(|row| row.ops_per_s = 100.0),
                "Only 12 operations in a measurement of csn × off: measure for longer.",
            ),
            (
                told(|row| row.rounds.truncate(3)),
                "After 3 rounds an interval reaches from the least to the most of them: 5 and more tell more.",
            ),
            (
                told(|row| row.rounds[4] *= 0.4),
                "A round of csn × off did 0.40 of the median of its rounds: something else ran",
            ),
            (told(|row| row.rounds[4] *= 2.1), "A round of csn × off did 2.10 of the median"),
            (told(|row| row.rounds[4] = 0.0), "A round of csn × off did 0.00 of the median"),
            (
                told(|row| row.fairness = 0.49),
                "The threads of csn × off were served unevenly, fairness 0.49: throughput is that of a few",
            ),
            (
                told(|row| row.late = Some(3.0)),
                "csn × off did not keep up with the rate, 3 operations late and 0 skipped: intended latencies",
            ),
            (
                told(|row| row.skipped = Some(2.0)),
                "csn × off did not keep up with the rate, 0 operations late and 2",
            ),
        ] {
            let found = told.iter().filter(|line| line.starts_with(says)).count();
            assert_eq!(found, 1, "{says:?} in {told:?}");
            // More threads are another load, with its own warning alone.
            assert_eq!(told.len(), 1, "{told:?}");
        }
    }

    #[test]
    fn the_worst_row_is_named_with_its_point() {
        let unfair = |threads, fairness| Row { threads, fairness, ..row("csn", "off", 1.0) };
        let rows = [unfair(2, 0.4), unfair(3, 0.2), unfair(4, 0.3), unfair(5, 0.9)];
        let told = warnings(&rows.iter().collect::<Vec<_>>(), 8);
        assert_eq!(
            told,
            [
                "The threads of csn × off (threads=3) were served unevenly, fairness 0.20 (and 2 other rows less so): throughput \
              is that of a few of them; see ops_by_thread."
            ]
        );
    }

    #[test]
    fn the_worst_is_the_farthest_the_fewest_and_the_latest() {
        let told = |change: fn(&mut Row, f64)| {
            let rows = [("a", 1.0), ("b", 3.0), ("c", 2.5)].map(|(name, number)| {
                let mut row = row(name, "off", 1.0);
                change(&mut row, number);
                row
            });
            warnings(&rows.iter().collect::<Vec<_>>(), 2).concat()
        };
        assert!(
            told(|row, number| row.ops_per_s = number).contains("measurement of a × off (and 2")
        );
        assert!(told(|row, number| row.late = Some(number)).starts_with("b × off did not keep up"));
        let far = told(|row, number| row.rounds[0] *= number);
        assert!(
            far.starts_with("A round of b × off did 3.00 of") && far.contains("(and 1 other row")
        );
    }
}
