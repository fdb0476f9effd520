//! What is wrong with a row's numbers: JSON can say more than can have been measured.
//!
//! That a number is one, and finite, JSON's reader has found out before.

use super::row::{Latency, Row};

/// What is read from two clocks may be that much more than all.
const ROUNDED: f64 = 0.01;

impl Row {
    /// What was expected of its numbers, if they are not like that.
    pub(super) fn fault(&self) -> Option<String> {
        if self.threads == 0 {
            return Some("expected threads to be no less than 1".into());
        }
        if self.ratio_low > self.ratio || self.ratio > self.ratio_high {
            return Some("expected ratio between ratio_low and ratio_high".into());
        }
        if self.itself.is_some_and(|of| of.low > of.ratio || of.ratio > of.high) {
            return Some("expected ratio of itself between low and high".into());
        }
        let negative = self.counts().find(|(_, count)| *count < 0.0);
        if let Some((name, count)) = negative {
            return Some(format!("expected {name} to be no less than 0, found {count}"));
        }
        let beyond = self.parts().find(|(_, part)| !(0.0..=1.0 + ROUNDED).contains(part));
        if let Some((name, part)) = beyond {
            return Some(format!("expected {name} between 0 and 1, found {part}"));
        }
        let latencies = [("latency", Some(&self.latency)), ("intended", self.intended.as_ref())];
        if !self.histogram.is_sorted() {
            return Some("expected the times of histogram to rise".into());
        }
        latencies.into_iter().find_map(|(name, times)| falling(name, times?)).or_else(|| {
            let falls = self.series.iter().any(|part| part.p50_ns > part.p99_ns);
            falls.then(|| {
                "expected p50_ns of a part of the series to be no more than its p99_ns".into()
            })
        })
    }

    fn counts(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let always = [
            ("ops_per_s", self.ops_per_s),
            ("ratio_low", self.ratio_low),
            ("lock_waits", self.lock_waits),
            ("mean_ns", self.latency.mean_ns),
            ("stddev_ns", self.latency.stddev_ns),
        ];
        let sometimes = [
            ("mean_ns of intended", self.intended.map(|times| times.mean_ns)),
            ("stddev_ns of intended", self.intended.map(|times| times.stddev_ns)),
            ("late", self.late),
            ("skipped", self.skipped),
            ("lag_ms", self.lag_ms),
            ("beside_per_s", self.beside_per_s),
            ("while_open", self.while_open),
            ("low of itself", self.itself.map(|itself| itself.low)),
        ];
        let sometimes = sometimes.into_iter().filter_map(|(name, count)| Some((name, count?)));
        let rounds = self.rounds.iter().map(|ops| ("each of rounds", *ops));
        let series = self.series.iter().map(|part| ("ops_per_s of the series", part.ops_per_s));
        always.into_iter().chain(sometimes).chain(rounds).chain(series)
    }

    fn parts(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let shares = &self.shares;
        [
            ("the share take", Some(shares.take)),
            ("the share visibility", Some(shares.visibility)),
            ("the share threshold", Some(shares.threshold)),
            ("the share other", Some(shares.other)),
            ("the share waiting", shares.waiting),
            ("the share off_core", shares.off_core),
            ("fairness", Some(self.fairness)),
            ("too_old", self.too_old),
            ("core_speed", self.core_speed),
        ]
        .into_iter()
        .filter_map(|(name, part)| Some((name, part?)))
    }
}

/// A longer share of the operations takes no less.
fn falling(name: &str, times: &Latency) -> Option<String> {
    let Latency { p50_ns, p95_ns, p99_ns, p999_ns, max_ns, .. } = *times;
    let rising = [p50_ns, p95_ns, p99_ns, p999_ns, max_ns].is_sorted();
    (!rising).then(|| format!("expected the percentiles of {name} to rise, up to max_ns"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{
        row::{Interval, Itself, Shares},
        sample::row,
    };

    fn itself(low: f64, high: f64) -> Itself {
        Itself { ratio: 1.0, low, high, times: 9 }
    }

    fn fault(change: impl FnOnce(&mut Row)) -> String {
        let mut row = row("csn", "off", 1.0);
        assert_eq!(row.fault(), None);
        change(&mut row);
        row.fault().unwrap_or_default()
    }

    #[test]
    fn numbers_that_cannot_be_are_found() {
        let one = |faults: Vec<String>, says: &str| {
            for (place, fault) in faults.iter().enumerate() {
                assert!(fault.contains(says), "{place}: {fault:?} without {says:?}");
            }
        };
        one(
            vec![
                fault(|row| row.ops_per_s = -1.0),
                fault(|row| row.ratio_low = -1.0),
                fault(|row| row.lock_waits = -1.0),
                fault(|row| row.latency.mean_ns = -1.0),
                fault(|row| row.latency.stddev_ns = -1.0),
                fault(|row| row.intended = Some(Latency { mean_ns: -1.0, ..Latency::default() })),
                fault(|row| row.intended = Some(Latency { stddev_ns: -1.0, ..Latency::default() })),
                fault(|row| row.late = Some(-1.0)),
                fault(|row| row.skipped = Some(-1.0)),
                fault(|row| row.lag_ms = Some(-1.0)),
                fault(|row| row.beside_per_s = Some(-1.0)),
                fault(|row| row.while_open = Some(-1.0)),
                fault(|row| row.itself = Some(itself(-1.0, 1.0))),
                fault(|row| row.rounds.push(-1.0)),
                fault(|row| row.series = vec![Interval { ops_per_s: -1.0, ..Interval::default() }]),
            ],
            "to be no less than 0, found -1",
        );
        let shares = |change: fn(&mut Shares)| fault(|row| change(&mut row.shares));
        one(
            vec![
                shares(|shares| shares.take = 1.1),
                shares(|shares| shares.visibility = 1.1),
                shares(|shares| shares.threshold = 1.1),
                shares(|shares| shares.other = 1.1),
                shares(|shares| shares.waiting = Some(1.1)),
                shares(|shares| shares.off_core = Some(1.1)),
                fault(|row| row.fairness = 1.1),
                fault(|row| row.too_old = Some(1.1)),
                fault(|row| row.core_speed = Some(1.1)),
            ],
            "between 0 and 1, found 1.1",
        );
        one(
            vec![shares(|shares| shares.take = -0.1)],
            "the share take between 0 and 1, found -0.1",
        );
        assert_eq!(shares(|shares| shares.waiting = Some(1.005)), "", "two clocks");
        one(vec![fault(|row| row.threads = 0)], "threads to be no less than 1");
        one(
            vec![fault(|row| row.ratio = 2.0), fault(|row| row.ratio = 0.5)],
            "ratio between ratio_low and ratio_high",
        );
        one(
            vec![fault(|row| row.itself = Some(itself(1.1, 1.2)))],
            "ratio of itself between low and high",
        );
        one(
            vec![
                fault(|row| row.latency.p95_ns = 1),
                fault(|row| row.latency.p99_ns = 1),
                fault(|row| row.latency.p999_ns = 1),
                fault(|row| row.latency.max_ns = 1),
                fault(|row| row.latency.p50_ns = u64::MAX),
            ],
            "the percentiles of latency to rise",
        );
        let intended = Latency { p50_ns: 2, ..Latency::default() };
        one(vec![fault(|row| row.intended = Some(intended))], "percentiles of intended");
        one(vec![fault(|row| row.histogram = vec![[2, 1], [1, 9]])], "times of histogram to rise");
        let part = Interval { p50_ns: 2, ..Interval::default() };
        one(vec![fault(|row| row.series = vec![part])], "p50_ns of a part of the series");
    }
}
