//! Experiments for people.

use std::io::{self, Write};

use comfy_table::{ColumnConstraint, ContentArrangement};

use super::Done;
use crate::{
    commands::results::table,
    reproduce::{
        Experiment,
        experiment::{Claim, Judgement, Measured},
        judge::Verdict,
        points::Scale,
        words::counted,
    },
    results::{Header, Row},
    tables::{Grid, Line, thousands},
};

/// Most letters in a line of prose.
const WIDTH: usize = 112;
/// Columns in front of prose.
const MARGIN: usize = 16;

/// What there is.
pub(super) fn list<'a>(
    out: &mut impl Write,
    experiments: impl Iterator<Item = &'a Experiment>,
) -> io::Result<()> {
    let lines: Vec<&Experiment> = experiments.collect();
    let longest = lines.iter().map(|experiment| experiment.name.len()).max().unwrap_or(0);
    for Experiment { name, about, .. } in lines {
        writeln!(out, "{name:longest$}  {about}")?;
    }
    Ok(())
}

/// How it is measured.
pub(super) fn header(out: &mut impl Write, header: &Header, scale: &Scale) -> io::Result<()> {
    let Header { cores, cpu, .. } = header;
    let cpu = cpu.as_deref().unwrap_or("unknown processor");
    let seed = scale.seed;
    writeln!(out, "The reports, measured again on {cores} cores ({cpu}), seed {seed}.")?;
    prose(
        out,
        "",
        "A ratio is a throughput over that of the first line, measured shortly before and after; the first line's own is what two \
         measurements of one thing differ by (A/A). Intervals hold 95 of 100. Where time goes is told in percent: take, looks at \
         the threshold (thr), asleep in a lock (wait).",
    )
}

/// One experiment.
pub(super) fn print(out: &mut impl Write, done: &Done<'_>) -> io::Result<()> {
    let Done { experiment, outcome, judgement, .. } = done;
    let Experiment { name, about, source, report, real, here, limits, .. } = experiment;
    writeln!(out, "\n{}\n{name}: {about}", "─".repeat(WIDTH))?;
    prose(out, "report", &format!("{report} (\"{source}\")"))?;
    prose(out, "servers", real)?;
    prose(out, "here", here)?;
    for (title, group) in done.titles.iter().zip(&done.groups) {
        let measured = Measured::of(group, &outcome.rows);
        let rounds = counted(outcome.rounds_done, "round");
        writeln!(out, "\n  {title} ({rounds} of {} ms)", group.point.millis)?;
        let text = grid(&measured).text();
        for line in text.lines() {
            writeln!(out, "   {line}")?;
        }
    }
    writeln!(out, "\n  What must hold")?;
    for Claim { direction, found, verdict } in &judgement.claims {
        let (label, why) = match verdict.why() {
            Some(why) => ("?", format!("; {}: {why}", verdict.says())),
            None => (verdict.says(), String::new()),
        };
        prose(out, label, direction)?;
        prose(out, "", &format!("{found}{why}"))?;
    }
    writeln!(out, "\n  What this machine cannot show")?;
    for limit in *limits {
        prose(out, "", limit)?;
    }
    writeln!(out, "\n  {name}: {}", told(judgement))
}

/// The table at the end.
pub(super) fn summary(out: &mut impl Write, done: &[Done<'_>]) -> io::Result<()> {
    let names = ["experiment", "report", "real servers", "now", "direction", "verdict"];
    let mut lines = table(&names, names.len());
    lines.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH as u16 + 28);
    // A name is typed again: it stands whole.
    for column in lines.column_iter_mut().take(1) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    for Done { experiment, judgement, .. } in done {
        lines.add_row([
            experiment.name,
            experiment.report_in_short,
            experiment.real_in_short,
            &judgement.now,
            judgement.direction,
            &told(judgement),
        ]);
    }
    writeln!(out, "\n{}\n{}", "─".repeat(WIDTH), lines.trim_fmt())
}

/// The verdict with how many directions it is made of.
fn told(judgement: &Judgement) -> String {
    let (held, all) = judgement.held();
    let of = |verdict: fn(Verdict) -> bool| {
        judgement.claims.iter().filter(|claim| verdict(claim.verdict)).count()
    };
    let failed = of(|verdict| verdict == Verdict::DidNotHold);
    let open = all - held - failed;
    let mut told = format!("{} ({held} of {all}", judgement.verdict().says());
    if failed > 0 {
        told.push_str(&format!(", {failed} did not"));
    }
    if open > 0 {
        told.push_str(&format!(", {open} cannot be told"));
    }
    told + ")"
}

/// Words, broken into lines behind a margin.
fn prose(out: &mut impl Write, label: &str, text: &str) -> io::Result<()> {
    let mut line = format!("  {label:<width$}", width = MARGIN - 2);
    let empty = line.len();
    for word in text.split_whitespace() {
        if line.len() > empty && line.chars().count() + word.chars().count() > WIDTH {
            writeln!(out, "{}", line.trim_end())?;
            line = " ".repeat(MARGIN);
        }
        line.push_str(word);
        line.push(' ');
    }
    writeln!(out, "{}", line.trim_end())
}

type Cell = fn(&Row) -> Option<String>;

/// What is shown of a row. A column is left out where no row has something to say.
const COLUMNS: &[(&str, Cell)] = &[
    ("95%", |row| Some(format!("{:.2}-{:.2}", row.ratio_low, row.ratio_high))),
    ("open", |row| row.while_open.map(|times| format!("{times:.2}"))),
    ("95% of it", |row| row.while_open_interval.map(|[low, high]| format!("{low:.2}-{high:.2}"))),
    ("op/s", |row| Some(thousands(row.ops_per_s))),
    ("mean ns", |row| Some(thousands(row.latency.mean_ns))),
    ("stddev ns", |row| Some(thousands(row.latency.stddev_ns))),
    ("p99 ns", |row| Some(thousands(row.latency.p99_ns as f64))),
    ("take%", |row| percent(row.shares.take)),
    ("thr%", |row| percent(row.shares.threshold)),
    ("wait%", |row| percent(row.shares.waiting?)),
    ("waits", |row| Some(thousands(row.lock_waits))),
    ("lag ms", |row| row.lag_ms.map(|millis| format!("{millis:.1}"))),
];

fn percent(part: f64) -> Option<String> {
    Some(format!("{:.0}", part * 100.0))
}

fn grid(measured: &Measured<'_>) -> Grid {
    let rows = measured.rows();
    let reference = measured.reference();
    let used: Vec<&(&str, Cell)> =
        COLUMNS.iter().filter(|(_, of)| rows.iter().any(|row| of(row).is_some())).collect();
    let line = |row: &&Row| {
        let is_reference = reference.is_some_and(|reference| std::ptr::eq(reference, *row));
        let busy = if row.noisy { "~" } else { "" };
        let mut cells = vec![
            format!("{} × {}", row.snapshot, row.threshold),
            format!("{}{:.2}{busy}", if is_reference { "A/A " } else { "" }, row.ratio),
        ];
        cells.extend(used.iter().map(|(_, of)| of(row).unwrap_or_default()));
        Line::Cells(cells)
    };
    let mut header = vec!["pairing".to_owned(), "ratio".to_owned()];
    header.extend(used.iter().map(|(name, _)| (*name).to_owned()));
    Grid { caption: None, header, words: 1, lines: rows.iter().map(line).collect() }
}
