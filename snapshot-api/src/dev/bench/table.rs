//! The table at the end: medians beside their yardsticks.

use std::fmt::Write;

use super::rows::Label;

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    label: Label,
    /// Median over the samples, in nanoseconds a call.
    nanos: f64,
}

impl Row {
    pub(super) fn new(label: Label, mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        Row { label, nanos: samples[samples.len() / 2] }
    }
}

/// `None` where nothing was measured.
pub(super) fn render(rows: &[Row]) -> Option<String> {
    let yardsticks: Vec<&Row> =
        rows.iter().filter(|row| row.label.strategy == "yardstick").collect();
    let nanos_of =
        |name: &str| yardsticks.iter().find(|row| row.label.operation == name).map(|row| row.nanos);
    let wide = rows.iter().map(|row| row.label.strategy.chars().count()).max()?;
    let mut table = String::from(
        "Medians in nanoseconds a call; ratios are to the yardstick of the same run.\n\n",
    );
    let head = format!(
        "{:<wide$}  {:<28} {:<22} {:>12} {:>8}  of",
        "strategy", "operation", "window", "ns", "ratio"
    );
    let _ = writeln!(table, "{head}\n{}", "-".repeat(head.chars().count() + 24));
    for row in rows {
        let Label { strategy, operation, place, yardstick } = &row.label;
        let _ = write!(table, "{strategy:<wide$}  {operation:<28} {place:<22} {:>12.2}", row.nanos);
        if let Some(unit) =
            nanos_of(yardstick).filter(|unit| *unit > 0.0 && strategy != "yardstick")
        {
            let _ = write!(table, " {:>8.2}  {yardstick} ({unit:.2} ns)", row.nanos / unit);
        }
        table.push('\n');
    }
    Some(table)
}
