//! Tables of results, for a terminal and as Markdown: `compare` and `report` show the same numbers.
//!
//! ```text
//!  rows ──► by load name ──┬─ one point of it ────────────► lines: snapshot strategies
//!                          │                                columns: threshold strategies, or all that is measured of one
//!                          ├─ swept, few pairings ────────► lines: points      columns: pairings
//!                          └─ swept, many pairings ───────► a table for each point
//! ```
//!
//! A point is a load with its parameters and threads. A table says above it what is compared with what; below it, what the
//! reference makes of itself, what the harness alone takes, and what a reader should know before he believes a number.
//!
//! ```
//! use harness::{results::read, tables::{Source, legend}};
//!
//! let results = read("results/results.jsonl".as_ref())?;
//! let source = Source {
//!     header: &results.header,
//!     rows: &results.rows,
//!     wanted: &|row| row.workload == "page-scan",
//!     wrong: &results.wrong,
//!     describe: &|_| None,
//! };
//! let sections = source.sections();
//! for section in &sections {
//!     println!("{}", section.text());
//! }
//! println!("{}", legend(&sections).join("\n"));
//! # Ok::<(), harness::results::ResultsError>(())
//! ```

mod columns;
mod grid;
mod pairings;
mod section;
mod sweep;

pub use columns::Column;
pub use grid::{Grid, Line};
pub use section::{Section, legend};

use std::collections::HashSet;

use crate::results::{
    Header, Labels, Load, Row, Wrong, loads,
    row::{EMPTY, LoadKey},
};

/// What tables are made of.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// How it was measured.
    pub header: &'a Header,
    /// All rows: the reference counts though it is not shown.
    pub rows: &'a [Row],
    /// The rows to show.
    pub wanted: &'a dyn Fn(&Row) -> bool,
    /// The cells to show that have no row, since an answer was wrong.
    pub wrong: &'a [Wrong],
    /// What the load of this name does, in few words.
    pub describe: &'a dyn Fn(&str) -> Option<String>,
}

impl std::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Source { header, rows, wrong, .. } = self;
        f.debug_struct("Source")
            .field("header", header)
            .field("rows", rows)
            .field("wrong", wrong)
            .finish_non_exhaustive()
    }
}

impl<'a> Source<'a> {
    /// The tables, in the order of the rows.
    pub fn sections(&self) -> Vec<Section> {
        let shown: Vec<&Row> = self.rows.iter().filter(|row| (self.wanted)(row)).collect();
        let labels = Labels::new(shown.iter().copied());
        let mut by_name: Vec<(&str, Vec<Load<'_>>)> = Vec::new();
        for load in loads(shown.iter().copied()) {
            match by_name.iter_mut().find(|(name, _)| *name == load.workload()) {
                Some((_, points)) => points.push(load),
                None => by_name.push((load.workload(), vec![load])),
            }
        }
        let mut sections = Vec::new();
        for (_, points) in by_name {
            if points.len() > 1 && sweep::fits(self, &points) {
                let mut section = sweep::section(self, &points, &labels);
                section.notes.extend(self.wrong_at(&points, Some(&labels)));
                sections.push(section);
                continue;
            }
            for load in &points {
                let mut section = pairings::section(self, load);
                section.notes.extend(self.wrong_at(std::slice::from_ref(load), None));
                sections.push(section);
            }
        }
        sections
    }

    /// Whether this row is of the pairing that ratios are multiples of.
    fn is_reference(&self, row: &Row) -> bool {
        // Before rows said it, one reference was that of all loads.
        if self.rows.iter().any(|row| row.is_reference) {
            return row.is_reference;
        }
        let Header { reference_snapshot, reference_threshold, .. } = self.header;
        (&row.snapshot, &row.threshold) == (reference_snapshot, reference_threshold)
    }

    /// The reference's row in a load.
    fn reference(&self, load: &LoadKey) -> Option<&'a Row> {
        self.rows.iter().find(|row| self.is_reference(row) && row.load_key() == *load)
    }

    /// The part of the reference's time an operation that the harness alone takes in a load.
    fn harness_share(&self, load: &LoadKey) -> Option<f64> {
        let mut empty = self.rows.iter().filter(|row| row.is_empty() && row.load_key() == *load);
        let first = empty.clone().next()?;
        let off = empty.find(|row| row.threshold == self.header.reference_threshold);
        let ratio = off.unwrap_or(first).ratio;
        (ratio > 0.0).then(|| 1.0 / ratio)
    }

    /// The wrong cells of loads of which nothing is shown, a line for each: no table has room for them.
    pub fn wrong_elsewhere(&self) -> Vec<String> {
        let shown: HashSet<LoadKey> =
            self.rows.iter().filter(|row| (self.wanted)(row)).map(Row::load_key).collect();
        let elsewhere = self.wrong.iter().filter(|wrong| !shown.contains(&wrong.load_key()));
        elsewhere.map(|wrong| format!("{WRONG}: {wrong}")).collect()
    }

    /// What the wrong cells of these points said; with the point, where the points have labels.
    fn wrong_at(&self, points: &[Load<'_>], labels: Option<&Labels<'_>>) -> Vec<String> {
        let keys: HashSet<LoadKey> = points.iter().map(|load| load.rows[0].load_key()).collect();
        let note = |wrong: &Wrong| {
            let Wrong { workload, snapshot, threshold, threads, parameters, what } = wrong;
            let point = labels.map(|labels| labels.point_of(workload, parameters, *threads));
            let at = point.map_or_else(String::new, |point| format!(" at {point}"));
            format!("{WRONG}: {snapshot} × {threshold}{at}: {what}")
        };
        self.wrong.iter().filter(|wrong| keys.contains(&wrong.load_key())).map(note).collect()
    }

    /// Whether this cell gave a wrong answer.
    fn is_wrong(&self, load: &LoadKey, snapshot: &str, threshold: &str) -> bool {
        let of_load = self.wrong.iter().filter(|wrong| wrong.load_key() == *load);
        of_load.into_iter().any(|wrong| wrong.snapshot == snapshot && wrong.threshold == threshold)
    }
}

/// Stands in place of a number, and in front of what was wrong.
const WRONG: &str = "wrong";

/// What stands in a group of lines by itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Group {
    Strategies,
    Peers,
    Empty,
}

impl Group {
    fn of(row: &Row) -> Self {
        match row {
            row if row.snapshot == EMPTY => Group::Empty,
            row if row.peer => Group::Peers,
            _ => Group::Strategies,
        }
    }

    fn heading(self) -> Option<&'static str> {
        match self {
            Group::Strategies => None,
            Group::Peers => Some("off the shelf, to compare with:"),
            Group::Empty => Some("no strategy, the harness alone:"),
        }
    }
}

/// A ratio as it stands in tables.
fn ratio(row: &Row) -> String {
    format!("{:.2}{}", row.ratio, if row.noisy { "~" } else { "" })
}

/// One line of text in which nothing means something to Markdown.
///
/// ```
/// assert_eq!(harness::tables::as_markdown("a_b _c <d>"), r"a_b \_c \<d\>");
/// ```
pub fn as_markdown(text: &str) -> String {
    grid::escaped(&grid::plain(text))
}

/// One line of text as Markdown's code.
///
/// ```
/// assert_eq!(harness::tables::as_code("a `b`"), "`` a `b` ``");
/// ```
pub fn as_code(text: &str) -> String {
    let text = grid::plain(text);
    let runs = text.split(|letter| letter != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    match fence.len() {
        1 => format!("`{text}`"),
        _ => format!("{fence} {text} {fence}"),
    }
}

/// A number without its fraction, with a blank before every three digits.
///
/// ```
/// assert_eq!(harness::tables::thousands(1234567.8), "1 234 568");
/// ```
pub fn thousands(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = String::from(if number <= -0.5 { "-" } else { "" });
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
