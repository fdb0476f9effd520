//! Figures in words, the same in all experiments. What was not measured is a dash.

use crate::results::{Row, row::Interval};

const NOTHING: &str = "-";

/// `0.81 (0.78-0.83)`: a ratio with its 95% interval.
pub(super) fn ratio(row: Option<&Row>) -> String {
    row.map_or(NOTHING.into(), |row| format!("{:.2} ({})", row.ratio, interval(Some(row))))
}

/// `0.78-0.83`: the 95% interval of a ratio.
pub(super) fn interval(row: Option<&Row>) -> String {
    row.map_or(NOTHING.into(), |row| format!("{:.2}-{:.2}", row.ratio_low, row.ratio_high))
}

/// `0.61 (0.58-0.66)`: throughput while the long transaction is open over that before and after.
pub(super) fn open(row: Option<&Row>) -> String {
    let told = row.and_then(|row| Some((row.while_open?, row.while_open_interval?)));
    told.map_or(NOTHING.into(), |(middle, [low, high])| format!("{middle:.2} ({low:.2}-{high:.2})"))
}

/// `1 thread`, `2 threads`.
pub(crate) fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// `29.9x`.
pub(super) fn times(number: Option<f64>) -> String {
    number.map_or(NOTHING.into(), |number| match number {
        number if number < 100.0 => format!("{number:.2}x"),
        number => format!("{number:.0}x"),
    })
}

/// `73%`.
pub(super) fn percent(row: Option<&Row>, of: fn(&Row) -> f64) -> String {
    row.map_or(NOTHING.into(), |row| format!("{:.0}%", of(row) * 100.0))
}

/// A time in nanoseconds, told in what suits it.
pub(super) fn time(row: Option<&Row>, of: fn(&Row) -> f64) -> String {
    row.map_or(NOTHING.into(), |row| match of(row) {
        nanos if nanos < 1e3 => format!("{nanos:.0} ns"),
        nanos if nanos < 1e6 => format!("{:.1} µs", nanos / 1e3),
        nanos => format!("{:.1} ms", nanos / 1e6),
    })
}

/// How often a caller had to wait for another, in a measurement.
pub(super) fn waited(row: Option<&Row>) -> String {
    row.map_or(NOTHING.into(), |row| crate::tables::thousands(row.lock_waits))
}

/// `0.31 µs to 14.2 µs`: what an operation takes before and after the long transaction, and while it is open.
pub(super) fn lengthened(row: Option<&Row>) -> String {
    let told = row.and_then(|row| {
        let third = row.series.len() / 3;
        let mean = |parts: &mut dyn Iterator<Item = &Interval>| {
            let speeds: Vec<f64> = parts.map(|part| part.ops_per_s).collect();
            speeds.iter().sum::<f64>() / speeds.len() as f64
        };
        let open = mean(&mut row.series.iter().skip(third).take(third));
        let closed =
            mean(&mut row.series.iter().take(third).chain(row.series.iter().skip(2 * third)));
        let micros = |speed: f64| row.threads as f64 * 1e6 / speed;
        (open > 0.0 && closed > 0.0)
            .then(|| format!("{:.2} to {:.2} µs", micros(closed), micros(open)))
    });
    told.unwrap_or_else(|| NOTHING.into())
}
