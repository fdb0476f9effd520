//! The table of one point of a load: a line for each snapshot strategy.
//!
//! Where snapshot strategies were measured with several threshold strategies, those are the columns. Where each was measured
//! with one, there is room for all that is known of it.

use super::{
    Column, Grid, Group, Line, Section, Source, WRONG,
    columns::{ALWAYS, LAG, OPEN, SOMETIMES, TIMES},
    ratio,
    section::BREAKS,
};
use crate::results::{Load, Row, row::LoadKey};

/// The section of one point.
pub(super) fn section(source: &Source<'_>, load: &Load<'_>) -> Section {
    let mut section = Section::new(source, &load.label, &load.rows);
    let cells = Cells::new(source, load);
    let (grid, columns) = if cells.snapshots().any(|name| cells.thresholds_of(name) > 1) {
        let (grid, columns, threshold) = matrix(&cells);
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        if !names.is_empty() {
            let names = names.join(", ");
            section.notes.insert(0, format!("{names}: with the threshold {threshold}."));
        }
        (grid, columns)
    } else {
        list(&cells)
    };
    section.grids.push(grid);
    section.columns = columns;
    section
}

/// A cell of the table: it was measured, or was wrong.
struct Cell<'a> {
    group: Group,
    snapshot: &'a str,
    threshold: &'a str,
    row: Option<&'a Row>,
    is_reference: bool,
}

struct Cells<'a> {
    all: Vec<Cell<'a>>,
}

impl<'a> Cells<'a> {
    fn new(source: &Source<'a>, load: &Load<'a>) -> Self {
        let mut all: Vec<Cell<'a>> = load
            .rows
            .iter()
            .map(|row| Cell {
                group: Group::of(row),
                snapshot: &row.snapshot,
                threshold: &row.threshold,
                row: Some(row),
                is_reference: source.is_reference(row),
            })
            .collect();
        let key: LoadKey = load.rows[0].load_key();
        all.extend(source.wrong.iter().filter(|wrong| wrong.load_key() == key).map(|wrong| Cell {
            group: Group::Strategies,
            snapshot: &wrong.snapshot,
            threshold: &wrong.threshold,
            row: None,
            is_reference: false,
        }));
        // Groups in their order, each in the order of the file: the sort is stable.
        all.sort_by_key(|cell| cell.group);
        Cells { all }
    }

    fn snapshots(&self) -> impl Iterator<Item = &'a str> {
        distinct(self.all.iter().map(|cell| cell.snapshot))
    }

    fn thresholds(&self) -> Vec<&'a str> {
        // The reference has its own, which nobody else may have; strategies first, so that a peer's does not lead.
        distinct(self.all.iter().map(|cell| cell.threshold)).collect()
    }

    /// How many thresholds a strategy was measured with, not as the reference.
    fn thresholds_of(&self, snapshot: &str) -> usize {
        let own = self.all.iter().filter(|cell| cell.snapshot == snapshot && !cell.is_reference);
        own.count()
    }

    fn find(&self, snapshot: &str, threshold: &str) -> Option<&Cell<'a>> {
        self.all.iter().find(|cell| (cell.snapshot, cell.threshold) == (snapshot, threshold))
    }

    fn rows(&self) -> Vec<&'a Row> {
        self.all.iter().filter_map(|cell| cell.row).collect()
    }

    fn columns(&self, columns: &[&[Column]]) -> Vec<Column> {
        Column::used(columns.iter().copied().flatten(), &self.rows())
    }
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let mut seen: Vec<&str> = Vec::new();
    names.filter(move |name| {
        let fresh = !seen.contains(name);
        if fresh {
            seen.push(name);
        }
        fresh
    })
}

/// Thresholds as columns; beside them what else is known of the pairings with one of them, which is told too.
fn matrix<'a>(cells: &Cells<'a>) -> (Grid, Vec<Column>, &'a str) {
    let thresholds = cells.thresholds();
    let count = |threshold: &str| {
        cells.all.iter().filter(|cell| cell.threshold == threshold && cell.row.is_some()).count()
    };
    // The first of those that most have.
    let most = thresholds.iter().rev().copied().max_by_key(|threshold| count(threshold));
    let told = most.unwrap_or_default();
    let columns = cells.columns(&[TIMES, &[OPEN, LAG]]);
    let mut grid = Grid { words: 1, ..Grid::default() };
    grid.header = std::iter::once("snapshot")
        .chain(thresholds.iter().copied())
        .chain(columns.iter().map(|column| column.name))
        .map(String::from)
        .collect();
    let mut last = Group::Strategies;
    for snapshot in cells.snapshots() {
        let own = || cells.all.iter().filter(|cell| cell.snapshot == snapshot);
        under_heading(&mut grid, &mut last, own().next().map(|cell| cell.group));
        let mut line = vec![name(snapshot, own().filter_map(|cell| cell.row))];
        line.extend(thresholds.iter().map(|threshold| {
            cells.find(snapshot, threshold).map_or_else(|| "-".into(), throughput)
        }));
        let row = cells.find(snapshot, told).and_then(|cell| cell.row);
        line.extend(columns.iter().map(|column| said(column, row)));
        grid.lines.push(Line::Cells(line));
    }
    (grid, columns, told)
}

/// A line for each pairing, with all that is known of it.
fn list(cells: &Cells<'_>) -> (Grid, Vec<Column>) {
    let columns = cells.columns(&[TIMES, ALWAYS, SOMETIMES]);
    let with_threshold = cells.thresholds().len() > 1;
    let words: &[&str] = if with_threshold { &["snapshot", "threshold"] } else { &["snapshot"] };
    let mut grid = Grid { words: words.len(), ..Grid::default() };
    grid.header = words
        .iter()
        .copied()
        .chain(["ratio", "interval"])
        .chain(columns.iter().map(|column| column.name))
        .map(String::from)
        .collect();
    let mut last = Group::Strategies;
    for cell in &cells.all {
        under_heading(&mut grid, &mut last, Some(cell.group));
        let mut line = vec![name(cell.snapshot, cell.row.into_iter())];
        line.extend(with_threshold.then(|| cell.threshold.to_owned()));
        line.push(throughput(cell));
        line.push(cell.row.map_or_else(
            || "-".into(),
            |row| format!("{:.2}–{:.2}", row.ratio_low, row.ratio_high),
        ));
        line.extend(columns.iter().map(|column| said(column, cell.row)));
        grid.lines.push(Line::Cells(line));
    }
    (grid, columns)
}

/// Before the first line of a group stands what it is.
fn under_heading(grid: &mut Grid, last: &mut Group, group: Option<Group>) {
    let Some(group) = group.filter(|group| group != last) else { return };
    grid.lines.extend(group.heading().map(Line::Heading));
    *last = group;
}

fn name<'a>(snapshot: &str, mut rows: impl Iterator<Item = &'a Row>) -> String {
    let breaks = rows.any(|row| !row.breaks.is_empty());
    format!("{snapshot}{}", if breaks { BREAKS } else { "" })
}

fn throughput(cell: &Cell<'_>) -> String {
    cell.row.map_or_else(|| WRONG.into(), ratio)
}

fn said(column: &Column, row: Option<&Row>) -> String {
    row.and_then(|row| column.of(row)).unwrap_or_else(|| "-".into())
}
