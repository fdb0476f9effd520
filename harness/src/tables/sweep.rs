//! The table of a sweep: a line for each point, a column for each pairing.

use super::{
    Column, Grid, Group, Line, Section, Source, WRONG,
    columns::{INTENDED, LAG, OPEN},
    ratio,
    section::BREAKS,
    thousands,
};
use crate::results::{Differing, Labels, Load, Row, row::LoadKey};

/// More pairings than this do not fit beside each other.
const MOST: usize = 8;

/// Whether a table of these points is narrow enough.
pub(super) fn fits(source: &Source<'_>, points: &[Load<'_>]) -> bool {
    pairings(source, points).len() <= MOST
}

/// A pairing that has a column.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Pairing {
    snapshot: String,
    threshold: String,
    breaks: bool,
}

/// All but the reference, which is 1 by definition, and the harness alone: they have columns of their own.
fn pairings(source: &Source<'_>, points: &[Load<'_>]) -> Vec<Pairing> {
    let mut found: Vec<(Group, Pairing)> = Vec::new();
    let mut enter = |group: Group, snapshot: &str, threshold: &str, breaks: bool| {
        let (snapshot, threshold) = (snapshot.to_owned(), threshold.to_owned());
        let pairing = Pairing { snapshot, threshold, breaks };
        if !found.iter().any(|(_, known)| *known == pairing) {
            found.push((group, pairing));
        }
    };
    let rows = points.iter().flat_map(|load| &load.rows);
    for row in rows.filter(|row| !source.is_reference(row) && !row.is_empty()) {
        enter(Group::of(row), &row.snapshot, &row.threshold, !row.breaks.is_empty());
    }
    let keys: Vec<LoadKey> = points.iter().map(|load| load.rows[0].load_key()).collect();
    for wrong in source.wrong.iter().filter(|wrong| keys.contains(&wrong.load_key())) {
        let known =
            |row: &&&Row| row.snapshot == wrong.snapshot && row.threshold == wrong.threshold;
        // A pairing that was right at another point has its column.
        if !points.iter().flat_map(|load| &load.rows).any(|row| known(&row)) {
            enter(Group::Strategies, &wrong.snapshot, &wrong.threshold, false);
        }
    }
    found.sort_by_key(|(group, _)| *group);
    found.into_iter().map(|(_, pairing)| pairing).collect()
}

/// The section of all points of a load.
pub(super) fn section(source: &Source<'_>, points: &[Load<'_>], labels: &Labels<'_>) -> Section {
    let rows: Vec<&Row> = points.iter().flat_map(|load| load.rows.iter().copied()).collect();
    let mut section = Section::new(source, points[0].workload(), &rows);
    let none = Differing::default();
    let sweep = Sweep {
        source,
        points,
        pairings: pairings(source, points),
        differing: labels.differing(points[0].workload()).unwrap_or(&none),
    };
    section.grids.push(sweep.ratios());
    for column in Column::used(&[OPEN, LAG, INTENDED], &rows) {
        section.grids.push(sweep.of(&column));
        section.columns.push(column);
    }
    section
}

struct Sweep<'a> {
    source: &'a Source<'a>,
    points: &'a [Load<'a>],
    pairings: Vec<Pairing>,
    differing: &'a Differing<'a>,
}

impl Sweep<'_> {
    /// Beside the pairings the reference's own throughput, and what the harness alone takes of its time.
    fn ratios(&self) -> Grid {
        let shares: Vec<Option<f64>> =
            self.keys().map(|key| self.source.harness_share(&key)).collect();
        let some = shares.iter().any(Option::is_some);
        let mut more = vec!["reference/s"];
        more.extend(some.then_some("harness%"));
        let cell = |load: &Load<'_>, pairing: &Pairing| match find(load, pairing) {
            Some(row) => ratio(row),
            None if self.source.is_wrong(
                &load.rows[0].load_key(),
                &pairing.snapshot,
                &pairing.threshold,
            ) =>
            {
                WRONG.into()
            }
            None => "-".into(),
        };
        let mut grid = self.grid(&more, cell);
        let places = self.differing.parameters.len() + usize::from(self.differing.threads);
        for ((line, key), share) in grid.lines.iter_mut().zip(self.keys()).zip(shares) {
            let Line::Cells(cells) = line else { continue };
            let reference = self.source.reference(&key).map(|row| thousands(row.ops_per_s));
            let share = share.map(|share| format!("{:.0}", share * 100.0));
            let told = [Some(reference), some.then_some(share)];
            let told = told.into_iter().flatten().map(|told| told.unwrap_or_else(|| "-".into()));
            cells.splice(places..places, told);
        }
        grid
    }

    /// Something else of the same pairings, and of the reference.
    fn of(&self, column: &Column) -> Grid {
        let said = |row: Option<&Row>| row.and_then(|row| column.of(row));
        let cell = |load: &Load<'_>, pairing: &Pairing| {
            said(find(load, pairing)).unwrap_or_else(|| "-".into())
        };
        let mut grid = self.grid(&["reference"], cell);
        let places = self.differing.parameters.len() + usize::from(self.differing.threads);
        for (line, key) in grid.lines.iter_mut().zip(self.keys()) {
            let Line::Cells(cells) = line else { continue };
            cells.insert(places, said(self.source.reference(&key)).unwrap_or_else(|| "-".into()));
        }
        grid.caption = Some(format!("{}:", column.name));
        grid
    }

    fn keys(&self) -> impl Iterator<Item = LoadKey> {
        self.points.iter().map(|load| load.rows[0].load_key())
    }

    /// The values of what differs, then a cell for each pairing; between them the header has room for `more`.
    fn grid(&self, more: &[&str], cell: impl Fn(&Load<'_>, &Pairing) -> String) -> Grid {
        let mut header: Vec<String> =
            self.differing.parameters.iter().copied().map(String::from).collect();
        header.extend(self.differing.threads.then(|| "threads".into()));
        let words = 0;
        header.extend(more.iter().copied().map(String::from));
        header.extend(self.pairings.iter().map(|pairing| self.name(pairing)));
        let line = |load: &Load<'_>| {
            let value = |name: &&str| {
                load.parameters().get(*name).map_or_else(|| "-".into(), ToString::to_string)
            };
            let mut cells: Vec<String> = self.differing.parameters.iter().map(value).collect();
            cells.extend(self.differing.threads.then(|| load.threads().to_string()));
            cells.extend(self.pairings.iter().map(|pairing| cell(load, pairing)));
            Line::Cells(cells)
        };
        Grid { caption: None, header, words, lines: self.points.iter().map(line).collect() }
    }

    /// Without the threshold, where all have the same.
    fn name(&self, pairing: &Pairing) -> String {
        let Pairing { snapshot, threshold, breaks } = pairing;
        let mark = if *breaks { BREAKS } else { "" };
        match self.pairings.iter().all(|other| other.threshold == *threshold) {
            true => format!("{snapshot}{mark}"),
            false => format!("{snapshot}{mark} × {threshold}"),
        }
    }
}

fn find<'a>(load: &Load<'a>, pairing: &Pairing) -> Option<&'a Row> {
    let is_it =
        |row: &&&Row| row.snapshot == pairing.snapshot && row.threshold == pairing.threshold;
    load.rows.iter().find(is_it).copied()
}
