//! `harness rank`: who is best over all loads of a file of results.

use std::{
    collections::BTreeSet,
    io::{self, Write},
    path::PathBuf,
};

use serde::Serialize;

use super::results::{Rows, interval, left_out, table, unless_pipe_closed};
use crate::{
    cli::{Failure, Verdict},
    results::{
        Header, Results, Row, baseline,
        ranking::{By, Standing, breaking, rank},
        read,
    },
};

/// Rank pairings, snapshot strategies and threshold strategies by results of `harness compare`.
///
/// The order is that of the geometric mean of the ratios, over one cell a load for a pairing, over all its pairings for a
/// strategy by itself. A load with other parameters or other threads is another one. A ratio is the throughput as a multiple of
/// the reference's in the same round. Means over different cells do not compare, so that who lacks a cell that another one has
/// (a strategy that cannot play a standby, a pairing that was wrong) has no place: it follows behind those that have all, with
/// its count. --workload ranks it on the load that it has.
///
/// Who is known to break a law is listed by itself, and the empty strategy, which does nothing, is left out.
///
/// A rank is a first look, over loads in a mix that nobody runs. Where the intervals of two overlap, their order may be chance.
///
/// Exit code 0; 2 if the file or the command line is wrong.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// A results.jsonl, a folder that holds one (compare --out), or the name of a baseline (compare --save)
    #[arg(default_value = "results")]
    file: PathBuf,

    #[command(flatten)]
    rows: Rows,

    /// Print one JSON object a line instead of tables
    #[arg(long)]
    json: bool,
}

/// Below the options: lines of a doc comment would run together.
const EXAMPLES: &str = "\
Examples:
  harness compare --out results && harness rank
  harness rank my-baseline --workload page-scan
  harness rank results/results.jsonl --json";

/// Runs the subcommand.
///
/// # Errors
///
/// A file that is no file of results, a name that no row has, output that cannot be written.
pub fn run(args: &Args) -> Result<Verdict, Failure> {
    let results = read(&baseline::find(&args.file)?)?;
    let wanted = args.rows.filter().among(results.names())?;
    let rows: Vec<&Row> = results.rows.iter().filter(|row| wanted.has(*row)).collect();
    let left_out = left_out(&results.wrong, &wanted);
    let mut out = io::stdout().lock();
    let printed = match args.json {
        true => {
            left_out.inspect(|left_out| eprintln!("warning: {left_out}"));
            print_json(&mut out, &rows)
        }
        false => print(&mut out, &results, &rows, left_out),
    };
    unless_pipe_closed(printed)?;
    Ok(Verdict::Good)
}

/// A line of the JSON.
#[derive(Serialize)]
struct Line<'a> {
    by: &'static str,
    place: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<&'a str>,
    geometric_mean_ratio: f64,
    geometric_mean_ratio_low: Option<f64>,
    geometric_mean_ratio_high: Option<f64>,
    share_of_best: Option<f64>,
    cells: usize,
    all_cells: usize,
    noisy_cells: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    breaks: Vec<&'a str>,
}

impl<'a> Line<'a> {
    fn new(by: By, standing: &Standing<'a>) -> Self {
        Line {
            by: match by {
                By::Pairing => "pairing",
                By::Snapshot => "snapshot",
                By::Threshold => "threshold",
            },
            place: standing.place,
            snapshot: standing.snapshot,
            threshold: standing.threshold,
            geometric_mean_ratio: standing.mean,
            geometric_mean_ratio_low: standing.interval.map(|(low, _)| low),
            geometric_mean_ratio_high: standing.interval.map(|(_, high)| high),
            share_of_best: standing.of_best,
            cells: standing.cells,
            all_cells: standing.all_cells,
            noisy_cells: standing.noisy_cells,
            breaks: standing.breaks.iter().copied().collect(),
        }
    }
}

fn print_json(out: &mut impl Write, rows: &[&Row]) -> io::Result<()> {
    let ranked = By::ALL
        .into_iter()
        .flat_map(|by| rank(rows, by).into_iter().map(move |standing| Line::new(by, &standing)));
    let broken = breaking(rows);
    let broken = broken.iter().map(|standing| Line::new(By::Pairing, standing));
    for line in ranked.chain(broken) {
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(())
}

fn print(
    out: &mut impl Write,
    results: &Results,
    rows: &[&Row],
    left_out: Option<String>,
) -> io::Result<()> {
    let header = &results.header;
    writeln!(out, "{}: {}", results.file.display(), results.about())?;
    if let Some(left_out) = left_out {
        writeln!(out, "{left_out}")?;
    }
    if rows.iter().all(|row| row.is_empty()) {
        return writeln!(out, "No rows: there is nothing to rank.");
    }
    writeln!(
        out,
        "mean: geometric mean of the throughput as a multiple of {}\n",
        references(rows, header)
    )?;
    let mut somebody_lacks = false;
    for by in By::ALL {
        let standings = rank(rows, by);
        if standings.is_empty() {
            continue;
        }
        somebody_lacks |= standings.iter().any(|standing| standing.place.is_none());
        let what: &[&str] = match by {
            By::Pairing => &["snapshot", "threshold"],
            By::Snapshot => &["snapshot"],
            By::Threshold => &["threshold"],
        };
        let header = [what, &["place", "mean", "interval", "of best", "cells", "noisy"]].concat();
        let mut table = table(&header, what.len());
        for standing in &standings {
            table.add_row(line(standing));
        }
        writeln!(out, "{}\n", table.trim_fmt())?;
    }
    if somebody_lacks {
        writeln!(
            out,
            "Without a place: who lacks cells that others have. Its mean leaves out what it might be bad at, and compares with no\n\
             other. --workload, --snapshot and --threshold rank those cells alone that all have."
        )?;
    }
    let broken = breaking(rows);
    if !broken.is_empty() {
        let header = ["snapshot", "threshold", "mean", "interval", "cells", "breaks"];
        let mut table = table(&header, 2);
        for standing in &broken {
            let laws: Vec<&str> = standing.breaks.iter().copied().collect();
            let mut line = names(standing);
            line.extend([format!("{:.2}", standing.mean), spread(standing)]);
            line.extend([standing.cells.to_string(), laws.join(", ")]);
            table.add_row(line);
        }
        writeln!(out, "Not ranked, since it breaks a law:\n{}\n", table.trim_fmt())?;
    }
    let noisy = rows.iter().filter(|row| row.noisy).count();
    if noisy > 0 {
        writeln!(
            out,
            "The machine was busy in {noisy} of {} rows (noisy): they count as all others do.",
            rows.len()
        )?;
    }
    writeln!(out, "Where the intervals of two overlap, their order may be chance.")
}

fn line(standing: &Standing<'_>) -> Vec<String> {
    let mut line = names(standing);
    line.extend([
        or_none(standing.place.map(|place| place.to_string())),
        format!("{:.2}", standing.mean),
        spread(standing),
        or_none(standing.of_best.map(|part| format!("{part:.2}"))),
        match standing.place {
            Some(_) => standing.cells.to_string(),
            None => format!("{} of {}", standing.cells, standing.all_cells),
        },
        standing.noisy_cells.to_string(),
    ]);
    line
}

fn names(standing: &Standing<'_>) -> Vec<String> {
    [standing.snapshot, standing.threshold].into_iter().flatten().map(Into::into).collect()
}

fn spread(standing: &Standing<'_>) -> String {
    or_none(standing.interval.map(|(low, high)| interval(low, high)))
}

fn or_none(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".into())
}

/// What ratios are multiples of, in one load or another.
fn references(rows: &[&Row], header: &Header) -> String {
    let references = rows.iter().filter(|row| row.is_reference);
    let names: BTreeSet<String> =
        references.map(|row| format!("{} × {}", row.snapshot, row.threshold)).collect();
    match names.is_empty() {
        true => header.reference(),
        false => names.into_iter().collect::<Vec<_>>().join(" or "),
    }
}
