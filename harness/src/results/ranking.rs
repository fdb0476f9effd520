//! Who is best over all: geometric means, best first.
//!
//! A cell is one row, seen from who is ranked: a pairing has one in each load, a snapshot strategy one in each load with each
//! threshold strategy, a threshold strategy one in each load with each snapshot strategy.
//!
//! ```text
//!              page-scan  standby      mean      cells
//!  a × off       2.0        8.0     √16 = 4.0      2     1.
//!  b × off       3.0        3.0      √9 = 3.0      2     2.
//!  c × off       9.0         -            9.0   1 of 2   -   its mean leaves out what it might be bad at
//! ```
//!
//! Geometric, because the order must not hang on which strategy is the reference: with another one all means are divided by the
//! same number. That holds for means over the same cells alone. So only those have a place that have every cell that anybody
//! has; the others follow, without one.
//!
//! A load here is a name with its parameters and its threads. Who breaks a law gives answers that the others may not give, and
//! is told apart ([`breaking`]); the empty strategy gives none and is left out.

use std::collections::{BTreeMap, BTreeSet};

use super::{Row, row::LoadKey};

/// What is ranked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// A snapshot strategy with a threshold strategy, over the loads.
    Pairing,
    /// A snapshot strategy, over loads and threshold strategies.
    Snapshot,
    /// A threshold strategy, over loads and snapshot strategies.
    Threshold,
}

impl By {
    /// All of them.
    pub const ALL: [By; 3] = [By::Pairing, By::Snapshot, By::Threshold];

    /// Whom this row belongs to: snapshot and threshold strategy, the one that is not meant empty.
    fn who(self, row: &Row) -> (&str, &str) {
        match self {
            By::Pairing => (&row.snapshot, &row.threshold),
            By::Snapshot => (&row.snapshot, ""),
            By::Threshold => ("", &row.threshold),
        }
    }

    /// Which of its cells this row is: the load, and the other side of the pairing.
    fn cell(self, row: &Row) -> (LoadKey, &str) {
        let other = match self {
            By::Pairing => "",
            By::Snapshot => &row.threshold,
            By::Threshold => &row.snapshot,
        };
        (row.load_key(), other)
    }
}

/// One line of the ranking.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing<'a> {
    /// From 1; the same for equal means. None for who lacks a cell that another one has.
    pub place: Option<usize>,
    /// The snapshot strategy; none where threshold strategies are ranked.
    pub snapshot: Option<&'a str>,
    /// The threshold strategy; none where snapshot strategies are ranked.
    pub threshold: Option<&'a str>,
    /// Geometric mean of the ratios, a multiple of the reference's throughput.
    pub mean: f64,
    /// The mean's 95% interval; none where a ratio is 0.
    pub interval: Option<(f64, f64)>,
    /// The mean over that of the first; none for who has no place.
    pub of_best: Option<f64>,
    /// How many cells it has.
    pub cells: usize,
    /// How many cells there are.
    pub all_cells: usize,
    /// In how many of its cells the machine was busy.
    pub noisy_cells: usize,
    /// The laws that it is known to break; empty for all that are ranked.
    pub breaks: BTreeSet<&'a str>,
}

/// Those with a place, best first, then the others, best first. Nobody who breaks a law.
pub fn rank<'a>(rows: &[&'a Row], by: By) -> Vec<Standing<'a>> {
    ranked(rows.iter().copied().filter(|row| row.breaks.is_empty()), by)
}

/// The pairings that break a law, best first, none with a place.
pub fn breaking<'a>(rows: &[&'a Row]) -> Vec<Standing<'a>> {
    let broken = rows.iter().copied().filter(|row| !row.breaks.is_empty());
    let placed = ranked(broken, By::Pairing).into_iter();
    placed.map(|standing| Standing { place: None, of_best: None, ..standing }).collect()
}

fn ranked<'a>(rows: impl Iterator<Item = &'a Row>, by: By) -> Vec<Standing<'a>> {
    let rows: Vec<&Row> = rows.filter(|row| !row.is_empty()).collect();
    let mut groups: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
    for row in &rows {
        groups.entry(by.who(row)).or_default().push(row);
    }
    let all_cells = rows.iter().map(|row| by.cell(row)).collect::<BTreeSet<_>>().len();
    let named = |name: &'a str| (!name.is_empty()).then_some(name);
    let mut standings: Vec<Standing> = groups
        .into_iter()
        .map(|((snapshot, threshold), rows)| Standing {
            place: None,
            snapshot: named(snapshot),
            threshold: named(threshold),
            mean: mean(&rows),
            interval: interval(&rows),
            of_best: None,
            cells: rows.len(),
            all_cells,
            noisy_cells: rows.iter().filter(|row| row.noisy).count(),
            breaks: rows.iter().flat_map(|row| &row.breaks).map(String::as_str).collect(),
        })
        .collect();
    let lacks = |standing: &Standing| standing.cells < standing.all_cells;
    standings.sort_by(|a, b| lacks(a).cmp(&lacks(b)).then_with(|| b.mean.total_cmp(&a.mean)));
    let means: Vec<f64> =
        standings.iter().take_while(|one| !lacks(one)).map(|one| one.mean).collect();
    for (standing, mean) in standings.iter_mut().zip(&means) {
        standing.place = Some(1 + means.iter().filter(|better| *better > mean).count());
        standing.of_best = (means[0] > 0.0).then(|| mean / means[0]);
    }
    standings
}

fn mean(rows: &[&Row]) -> f64 {
    (rows.iter().map(|row| row.ratio.ln()).sum::<f64>() / rows.len() as f64).exp()
}

/// On the scale of logarithms the distances to the ends of the intervals add up: plainly within a load, where neighbours share a
/// measurement of the reference and err together, and as squares over the loads, which were measured apart.
fn interval(rows: &[&Row]) -> Option<(f64, f64)> {
    if rows.iter().any(|row| row.ratio <= 0.0) {
        return None;
    }
    let together = |distance: fn(&Row) -> f64| {
        let mut loads: BTreeMap<_, f64> = BTreeMap::new();
        for row in rows {
            *loads.entry(row.load_key()).or_default() += distance(row);
        }
        loads.values().map(|distance| distance.powi(2)).sum::<f64>().sqrt() / rows.len() as f64
    };
    let down = together(|row| (row.ratio / row.ratio_low).ln());
    let up = together(|row| (row.ratio_high / row.ratio).ln());
    let mean = mean(rows);
    Some((mean * (-down).exp(), mean * up.exp()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{
        row::Parameter,
        sample::{row, standby},
    };

    fn places<'a>(standings: &'a [Standing]) -> Vec<(Option<usize>, &'a str, usize)> {
        standings
            .iter()
            .map(|one| (one.place, one.snapshot.or(one.threshold).unwrap_or("nobody"), one.cells))
            .collect()
    }

    fn about(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-9, "{value} is not {expected}");
    }

    #[test]
    fn means_are_geometric_and_who_lacks_a_load_has_no_place() {
        let rows = [
            row("c", "off", 9.0),
            row("b", "off", 3.0),
            standby("b", "off", 3.0),
            row("a", "off", 2.0),
            standby("a", "off", 8.0),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        let standings = rank(&rows, By::Pairing);
        assert_eq!(places(&standings), [(Some(1), "a", 2), (Some(2), "b", 2), (None, "c", 1)]);
        about(standings[0].mean, 4.0);
        about(standings[1].of_best.expect("it has a place"), 0.75);
        assert_eq!((standings[2].of_best, standings[2].all_cells), (None, 2));
        let on_one_load = rank(&rows[..2], By::Pairing);
        assert_eq!(places(&on_one_load), [(Some(1), "c", 1), (Some(2), "b", 1)]);
    }

    #[test]
    fn snapshots_and_thresholds_by_themselves() {
        let rows = [
            row("a", "off", 4.0),
            row("a", "mutex", 1.0),
            row("b", "off", 3.0),
            row("b", "mutex", 3.0),
            row("c", "off", 100.0),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        let snapshots = rank(&rows, By::Snapshot);
        assert_eq!(places(&snapshots), [(Some(1), "b", 2), (Some(2), "a", 2), (None, "c", 1)]);
        assert!(snapshots.iter().all(|one| one.threshold.is_none()));
        let thresholds = rank(&rows, By::Threshold);
        assert_eq!(places(&thresholds), [(Some(1), "off", 3), (None, "mutex", 2)]);
        about(thresholds[0].mean, 1200_f64.cbrt());
    }

    #[test]
    fn equal_means_share_a_place_and_noise_is_counted() {
        let noisy = Row { noisy: true, ..row("b", "off", 2.0) };
        let rows = [row("a", "off", 2.0), noisy, row("c", "off", 1.0)];
        let standings = rank(&rows.iter().collect::<Vec<_>>(), By::Pairing);
        assert_eq!(places(&standings), [(Some(1), "a", 1), (Some(1), "b", 1), (Some(3), "c", 1)]);
        let noisy: Vec<usize> = standings.iter().map(|one| one.noisy_cells).collect();
        assert_eq!(noisy, [0, 1, 0]);
    }

    #[test]
    fn one_load_keeps_its_interval_and_four_halve_it() {
        let one = [row("a", "off", 2.0)];
        let (low, high) = rank(&[&one[0]], By::Pairing)[0].interval.expect("no ratio is 0");
        about(low, 1.9);
        about(high, 2.1);
        let four = [1.0, 2.0, 3.0, 4.0]
            .map(|ratio| Row { threads: ratio as usize, ..row("a", "off", ratio) });
        let one_load = ["off", "mutex", "packed"].map(|threshold| row("a", threshold, 2.0));
        let standing = &rank(&one_load.iter().collect::<Vec<_>>(), By::Snapshot)[0];
        about(standing.interval.expect("no ratio is 0").1, 2.1);
        let standing = &rank(&four.iter().collect::<Vec<_>>(), By::Pairing)[0];
        about(standing.mean, 24_f64.powf(0.25));
        let (_, high) = standing.interval.expect("no ratio is 0");
        about(high / standing.mean, 1.05_f64.sqrt());
    }

    #[test]
    fn loads_of_other_parameters_are_other_cells() {
        let with = |value: f64| {
            let parameters = BTreeMap::from([("slots".into(), Parameter::Number(value))]);
            Row { parameters, ..row("a", "off", value) }
        };
        let rows = [with(2.0), with(8.0), row("b", "off", 9.0)];
        let standings = rank(&rows.iter().collect::<Vec<_>>(), By::Pairing);
        assert_eq!(places(&standings), [(None, "b", 1), (None, "a", 2)]);
        assert_eq!(standings[1].all_cells, 3);
        about(standings[1].mean, 4.0);
        let (_, high) = standings[1].interval.expect("no ratio is 0");
        about((high / standings[1].mean).ln(), 1.05_f64.ln() / 2.0_f64.sqrt());
    }

    #[test]
    fn who_breaks_a_law_is_told_apart_and_the_empty_strategy_is_not_ranked() {
        let breaks = Row { breaks: vec!["law 7".into()], ..row("broken", "off", 9.0) };
        let also = Row { breaks: vec!["law 1".into()], ..standby("broken", "off", 9.0) };
        let rows = [row("empty", "off", 99.0), breaks, also, row("a", "off", 2.0)];
        let rows: Vec<&Row> = rows.iter().collect();
        for by in By::ALL {
            let standings = rank(&rows, by);
            assert_eq!(standings.len(), 1, "{by:?}");
            assert_eq!((standings[0].place, standings[0].all_cells), (Some(1), 1), "{by:?}");
        }
        let broken = breaking(&rows);
        assert_eq!(places(&broken), [(None, "broken", 2)]);
        assert_eq!(broken[0].of_best, None);
        assert_eq!(broken[0].breaks, BTreeSet::from(["law 1", "law 7"]));
    }

    #[test]
    fn a_ratio_of_nothing_is_last_and_nothing_is_not_a_number() {
        let none = Row { ratio_low: 0.0, ratio_high: 0.5, ..row("a", "off", 0.0) };
        let rows = [none, row("b", "off", 0.1)];
        let standings = rank(&rows.iter().collect::<Vec<_>>(), By::Pairing);
        assert_eq!(places(&standings), [(Some(1), "b", 1), (Some(2), "a", 1)]);
        assert_eq!((standings[1].mean, standings[1].interval), (0.0, None));
        assert_eq!(rank(&[&rows[0]], By::Pairing)[0].of_best, None);
        assert_eq!(rank(&[], By::Pairing), []);
    }
}
