//! What `harness replay` prints.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use crate::{
    cli::Verdict,
    nothing::Nothing,
    replay::{History, Input, Looked, Parsing, Timing, held},
    trace::Format,
};

/// About the input: the first object.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename = "input")]
pub(super) struct About {
    file: String,
    format: &'static str,
    text_bytes: usize,
    lines: u64,
    history_bytes: usize,
    events_before_ready: usize,
    events: usize,
    parse_mb_per_s: f64,
    parse_ns_per_line: f64,
    /// Speed of parsing as a part of that of memchr, going from line end to line end.
    parse_to_line_walk: f64,
    /// The same of memchr counting line ends.
    parse_to_line_count: f64,
}

impl About {
    pub(super) fn new(input: &Input, parsing: &Parsing, history: &History) -> Self {
        About {
            file: input.file().into(),
            format: match input.format() {
                Format::Events => "events",
                Format::WalDump => "waldump",
            },
            text_bytes: parsing.bytes,
            lines: parsing.lines,
            history_bytes: history.bytes(),
            events_before_ready: history.before_ready(),
            events: history.after_ready(),
            parse_mb_per_s: parsing.mb_per_s(),
            parse_ns_per_line: parsing.ns_per_line(),
            parse_to_line_walk: parsing.to_walk(),
            parse_to_line_count: parsing.to_count(),
        }
    }
}

/// A strategy's row, or the machine's. What was not measured is null.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(tag = "kind", rename = "strategy")]
pub(super) struct Row {
    strategy: String,
    events: Option<u64>,
    events_per_s: Option<f64>,
    ns_per_event: Option<f64>,
    snapshots: Option<u64>,
    ns_per_snapshot_mean: Option<f64>,
    ns_per_snapshot_p50: Option<u32>,
    ns_per_snapshot_p99: Option<u32>,
    window_mean: Option<f64>,
    window_max: Option<u64>,
    running_mean: Option<f64>,
    running_max: Option<u64>,
    span_mean: Option<f64>,
    span_max: Option<u64>,
    bytes_held: Option<i64>,
    bytes_held_max: Option<i64>,
    equal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<String>,
    #[serde(skip)]
    timing: Option<Timing>,
}

/// The name of the machine's row.
const MACHINE: &str = "machine";

impl Row {
    /// The row of a machine that drives a strategy which does nothing. There is nothing to be equal to.
    pub(super) fn of_machine(history: &History, every: usize) -> Self {
        let bytes = held::<Nothing>(history, (), every);
        Row {
            strategy: MACHINE.into(),
            bytes_held: bytes.map(|bytes| bytes.end),
            bytes_held_max: bytes.map(|bytes| bytes.most),
            ..Row::default()
        }
    }

    pub(super) fn new(strategy: &str, looked: &Looked) -> Self {
        let equal = looked.difference.is_none();
        Row {
            strategy: strategy.into(),
            window_mean: looked.window.mean(),
            window_max: looked.window.max(),
            running_mean: looked.running.mean(),
            running_max: looked.running.max(),
            span_mean: looked.span.mean(),
            span_max: looked.span.max(),
            bytes_held: looked.bytes.map(|bytes| bytes.end),
            bytes_held_max: looked.bytes.map(|bytes| bytes.most),
            equal: Some(equal),
            difference: looked.difference.clone(),
            ..Row::default()
        }
    }

    pub(super) fn strategy(&self) -> &str {
        &self.strategy
    }

    /// Whether it may be timed.
    pub(super) fn is_right(&self) -> bool {
        self.equal != Some(false)
    }

    pub(super) fn is_machine(&self) -> bool {
        self.equal.is_none()
    }

    /// One run.
    pub(super) fn time(&mut self, run: Result<Timing, String>) {
        match run {
            Ok(timing) => {
                self.timing = Some(match self.timing.take() {
                    Some(before) => before.faster(&timing),
                    None => timing,
                });
            }
            Err(refusal) => {
                self.equal = Some(false);
                self.difference = Some(refusal);
            }
        }
    }

    /// All runs are done.
    pub(super) fn finish(&mut self) {
        let Some(timing) = self.timing.take().filter(|_| self.is_right()) else { return };
        self.events = Some(timing.events());
        self.ns_per_event = timing.ns_per_event();
        self.events_per_s = self.ns_per_event.filter(|&ns| ns > 0.0).map(|ns| 1e9 / ns);
        self.snapshots = Some(timing.snapshots());
        let takes = timing.takes();
        self.ns_per_snapshot_mean = takes.map(|takes| takes.mean);
        self.ns_per_snapshot_p50 = takes.map(|takes| takes.p50);
        self.ns_per_snapshot_p99 = takes.map(|takes| takes.p99);
    }
}

pub(super) fn verdict(rows: &[Row]) -> Verdict {
    if rows.iter().all(Row::is_right) { Verdict::Good } else { Verdict::Bad }
}

/// Tables for a terminal.
pub(super) fn print(
    out: &mut impl Write,
    about: &About,
    rows: &[Row],
    every: u32,
    runs: &str,
) -> io::Result<()> {
    let About { file, format, events_before_ready, parse_mb_per_s, .. } = about;
    writeln!(
        out,
        "{file}: {} lines of {format}, {:.1} MB; {} events, and {events_before_ready} before a standby accepts queries",
        grouped(about.lines as i64),
        about.text_bytes as f64 / 1e6,
        grouped(about.events as i64),
    )?;
    writeln!(
        out,
        "parsed at {parse_mb_per_s:.0} MB/s, {:.1} ns a line: {:.2} of the speed of memchr from line end to line end, {:.2} of memchr counting line ends\n",
        about.parse_ns_per_line, about.parse_to_line_walk, about.parse_to_line_count,
    )?;
    let mut times = table(&["", "events/s", "ns/event", "snapshots", "ns/snapshot", "p50", "p99"]);
    let mut sizes = table(&[
        "",
        "mean window",
        "max",
        "mean running",
        "max",
        "mean span",
        "max",
        "bytes at end",
        "at most",
    ]);
    for row in rows {
        times.add_row([
            row.strategy.clone(),
            whole(row.events_per_s.map(|value| value as i64)),
            tenths(row.ns_per_event),
            whole(row.snapshots.map(|value| value as i64)),
            tenths(row.ns_per_snapshot_mean),
            whole(row.ns_per_snapshot_p50.map(i64::from)),
            whole(row.ns_per_snapshot_p99.map(i64::from)),
        ]);
        sizes.add_row([
            row.strategy.clone(),
            tenths(row.window_mean),
            whole(row.window_max.map(|value| value as i64)),
            tenths(row.running_mean),
            whole(row.running_max.map(|value| value as i64)),
            tenths(row.span_mean),
            whole(row.span_max.map(|value| value as i64)),
            whole(row.bytes_held),
            whole(row.bytes_held_max),
        ]);
    }
    let each = match every {
        0 => "no snapshots".into(),
        1 => "a snapshot after each event".into(),
        every => format!("a snapshot after every {every} events"),
    };
    writeln!(out, "time, {runs}, {each}\n{}\n", times.trim_fmt())?;
    writeln!(out, "size, means and most at the snapshots\n{}\n", sizes.trim_fmt())?;
    for row in rows {
        if let Some(difference) = &row.difference {
            writeln!(out, "{}: {difference}", row.strategy)?;
        }
    }
    match rows.iter().filter(|row| !row.is_right()).count() {
        _ if rows.iter().all(Row::is_machine) => Ok(()),
        0 => writeln!(out, "all equal to locked-set, at every snapshot and at the end"),
        different => writeln!(out, "different: {different}"),
    }
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn whole(value: Option<i64>) -> String {
    value.map_or_else(|| "-".into(), grouped)
}

fn tenths(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(value) if value >= 1_000.0 => grouped(value.round() as i64),
        Some(value) => format!("{value:.1}"),
    }
}

/// A number with a comma before every three digits.
fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::from(if value < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        let texts = [0, 12, 999, 1_000, 65_536, -1_234_567].map(grouped);
        assert_eq!(texts, ["0", "12", "999", "1,000", "65,536", "-1,234,567"]);
    }

    #[test]
    fn a_difference_is_told_and_bad() {
        let right = Row::new("right", &Looked::default());
        let looked = Looked { difference: Some("after 0/28: xmin".into()), ..Looked::default() };
        let wrong = Row::new("wrong", &looked);
        assert!(right.is_right() && !right.is_machine() && !wrong.is_right());
        assert_eq!(verdict(std::slice::from_ref(&right)), Verdict::Good);
        assert_eq!(verdict(&[right.clone(), wrong.clone()]), Verdict::Bad);

        let mut refusing = right.clone();
        refusing.time(Err("at 0/28: begin refused".into()));
        refusing.finish();
        assert_eq!(verdict(std::slice::from_ref(&refusing)), Verdict::Bad);

        let text = "0/28 init_shutdown 9 0\n";
        let input = Input::new(text.as_bytes(), "example", None).unwrap();
        let history = History::read(&input).unwrap();
        let about = About::new(&input, &Parsing::measure(&input).unwrap(), &history);
        let mut out = Vec::new();
        print(&mut out, &about, &[right, wrong, refusing], 64, "one run").unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("\nwrong: after 0/28: xmin\n"), "{out}");
        assert!(out.contains("\nright: at 0/28: begin refused\ndifferent: 2\n"), "{out}");
    }
}
