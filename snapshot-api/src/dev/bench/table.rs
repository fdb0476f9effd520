//! The table at the end: medians beside their yardsticks.

use std::fmt::Write;

use super::rows::Label;

/// What the yardsticks' rows have for a strategy.
pub(super) const YARDSTICK: &str = "yardstick";

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    label: Label,
    /// Median over the samples, in nanoseconds a call.
    nanos: f64,
    /// Median of the ratios to the yardstick that was measured behind each sample; `None` where it was not.
    ratio: Option<f64>,
}

impl Row {
    pub(super) fn new(label: Label, samples: Vec<f64>, ratios: Vec<f64>) -> Self {
        Row { label, nanos: median(samples).unwrap_or_default(), ratio: median(ratios) }
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// `None` where nothing was measured.
pub(super) fn render(rows: &[Row]) -> Option<String> {
    // The yardstick that was measured last before the row.
    let nanos_of = |before: usize, name: &str| {
        let is_it = |row: &&Row| row.label.strategy == YARDSTICK && row.label.operation == name;
        rows[..before].iter().rev().find(is_it).map(|row| row.nanos)
    };
    let wide = rows.iter().map(|row| row.label.strategy.chars().count()).max()?;
    let mut table = String::from(
        "Medians in nanoseconds a call; ratios are to the yardstick, measured beside each sample.\n\n",
    );
    let head = format!(
        "{:<wide$}  {:<28} {:<22} {:>12} {:>8}  of",
        "strategy", "operation", "window", "ns", "ratio"
    );
    let _ = writeln!(table, "{head}\n{}", "-".repeat(head.chars().count() + 24));
    for (place_in_run, row) in rows.iter().enumerate() {
        let Label { strategy, operation, place, yardstick } = &row.label;
        let _ = write!(table, "{strategy:<wide$}  {operation:<28} {place:<22} {:>12.2}", row.nanos);
        // One of this project's yardsticks was measured beside; a bench file's own one before.
        let before = || nanos_of(place_in_run, yardstick).map(|unit| row.nanos / unit);
        if let Some(ratio) = row.ratio.or_else(before).filter(|_| strategy != YARDSTICK) {
            let _ = write!(table, " {ratio:>8.2}  {yardstick}");
        }
        table.push('\n');
    }
    Some(table)
}
