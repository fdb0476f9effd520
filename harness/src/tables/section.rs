//! [`Section`]: tables with what stands above and below them.

use super::{Column, Grid, Source, as_markdown, grid::plain, thousands};
use crate::{
    results::{
        Header, Row, rounds,
        row::{Itself, LoadKey, Parameter},
    },
    stats::median,
    warnings::warnings,
};

/// One or more tables of a load.
#[derive(Clone, Debug)]
pub struct Section {
    /// What the load is called among the others, and what it does.
    pub title: String,
    /// How it was measured, and what the numbers are.
    pub about: Vec<String>,
    /// The tables.
    pub grids: Vec<Grid>,
    /// What a reader should know of the numbers.
    pub notes: Vec<String>,
    /// The columns whose names a reader may not know.
    pub columns: Vec<Column>,
}

impl Section {
    /// For a terminal.
    pub fn text(&self) -> String {
        let mut lines = vec![plain(&self.title)];
        lines.extend(self.about.iter().map(|line| plain(line)));
        lines.extend(self.grids.iter().map(Grid::text));
        lines.extend(self.notes.iter().map(|line| plain(line)));
        lines.join("\n") + "\n"
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let words = |lines: &[String]| {
            lines.iter().map(|line| as_markdown(line)).collect::<Vec<_>>().join("\n")
        };
        let mut parts = vec![format!("**{}**", as_markdown(&self.title)), words(&self.about)];
        parts.extend(self.grids.iter().map(Grid::markdown));
        parts.push(words(&self.notes));
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n") + "\n"
    }

    /// A section whose tables are still to come, of these rows: those that are shown of one or more points of a load.
    pub(super) fn new(source: &Source<'_>, label: &str, rows: &[&Row]) -> Self {
        let does = rows.first().and_then(|row| (source.describe)(&row.workload));
        let mut points: Vec<LoadKey> = rows.iter().map(|row| row.load_key()).collect();
        points.sort();
        points.dedup();
        let mut notes = Vec::new();
        notes.extend(spread(source, &points, rows));
        notes.extend(overhead(source, &points));
        notes.extend(broken(rows));
        notes.extend(warnings(rows, source.header.cores));
        Section {
            title: does.map_or_else(|| label.to_owned(), |does| format!("{label}: {does}")),
            about: vec![conditions(rows), unit(source, &points)],
            grids: Vec::new(),
            notes,
            columns: Vec::new(),
        }
    }
}

/// What the columns of these sections mean, a line for each.
pub fn legend(sections: &[Section]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for column in sections.iter().flat_map(|section| &section.columns) {
        let line = format!("{}: {}", column.name, column.says);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Threads, time and parameters, as far as they are the same in all rows.
fn conditions(rows: &[&Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut words = Vec::new();
    if rows.iter().all(|row| row.threads == first.threads) {
        words.push(match first.threads {
            1 => "1 thread".into(),
            threads => format!("{threads} threads"),
        });
    }
    words.extend(rounds(rows.iter().copied()));
    let everywhere = |(name, value): &(&String, &Parameter)| {
        rows.iter().all(|row| row.parameters.get(*name) == Some(*value))
    };
    let fixed = first.parameters.iter().filter(everywhere);
    let fixed: Vec<String> = fixed.map(|(name, value)| format!("{name}={value}")).collect();
    if !fixed.is_empty() {
        words.push(fixed.join(" "));
    }
    format!("{}.", words.join(", "))
}

/// What a ratio is a multiple of.
fn unit(source: &Source<'_>, points: &[LoadKey]) -> String {
    let Header { reference_snapshot, reference_threshold, .. } = source.header;
    let reference = points.iter().find_map(|point| source.reference(point));
    let (snapshot, threshold) = reference
        .map_or((reference_snapshot, reference_threshold), |row| (&row.snapshot, &row.threshold));
    let unit = format!("Throughput as a multiple of {snapshot} with the threshold {threshold}");
    match points {
        [point] => match source.reference(point) {
            Some(row) => format!("{unit} ({} operations/s).", thousands(row.ops_per_s)),
            None => format!("{unit}."),
        },
        _ => format!("{unit} at the same point."),
    }
}

/// What the way of measuring makes of one thing that is measured twice, and how finely the rows are known.
fn spread(source: &Source<'_>, points: &[LoadKey], rows: &[&Row]) -> Option<String> {
    let references = points.iter().filter_map(|point| source.reference(point));
    let itself = references.map(against_itself);
    let farthest = itself.max_by(|one, two| off(*one).total_cmp(&off(*two)))?;
    let Itself { ratio, low, high, times } = farthest;
    let at_worst = if points.len() > 1 { " at worst" } else { "" };
    let known = rows
        .iter()
        .map(|row| (row.ratio_high - row.ratio_low) / 2.0 / row.ratio.max(f64::MIN_POSITIVE));
    let percent = 100.0 * median(&mut known.collect::<Vec<_>>());
    Some(format!(
        "The reference against itself: {ratio:.2} ({low:.2} to {high:.2}, {times} times){at_worst}. Half of the ratios are known \
         within ±{percent:.0}%: two that differ by less may do so by chance."
    ))
}

/// Over all of its measurements; of a few cells over its own row.
fn against_itself(row: &Row) -> Itself {
    let own = Itself {
        ratio: row.ratio,
        low: row.ratio_low,
        high: row.ratio_high,
        times: row.rounds.len(),
    };
    row.itself.unwrap_or(own)
}

/// How far the interval reaches from 1.
fn off(itself: Itself) -> f64 {
    (1.0 - itself.low).max(itself.high - 1.0)
}

/// What of the reference is not the reference.
fn overhead(source: &Source<'_>, points: &[LoadKey]) -> Option<String> {
    let [point] = points else { return None };
    let percent = source.harness_share(point)? * 100.0;
    Some(format!("The harness alone takes {percent:.0}% of the reference's time an operation."))
}

/// Follows the name of who breaks a law.
pub(super) const BREAKS: &str = "†";

/// A line for each set of laws, with all who break just these.
fn broken(rows: &[&Row]) -> Vec<String> {
    let mut breakers: Vec<(&[String], Vec<&str>)> = Vec::new();
    for row in rows.iter().filter(|row| !row.breaks.is_empty()) {
        match breakers.iter_mut().find(|(laws, _)| *laws == row.breaks) {
            Some((_, names)) if names.contains(&row.snapshot.as_str()) => {}
            Some((_, names)) => names.push(&row.snapshot),
            None => breakers.push((&row.breaks, vec![&row.snapshot])),
        }
    }
    let line = |(laws, names): (&[String], Vec<&str>)| {
        let plural = if names.len() == 1 { "s" } else { "" };
        let (names, laws) = (names.join(" and "), laws.join(", "));
        format!("{BREAKS} {names} break{plural} {laws}: measured for comparison alone.")
    };
    breakers.into_iter().map(line).collect()
}
