//! `harness compare`: what each pairing costs.

use std::{
    io::{self, Write},
    path::PathBuf,
    thread,
    time::Duration,
};

use comfy_table::{CellAlignment, Table, presets};
use indicatif::ProgressBar;

use super::progress::progress;
use crate::{
    cli::{Failure, Verdict},
    compare::run::{Cell, Outcome, Plan, Progress, Workload, Wrong, compare, steps},
    registry::{THRESHOLDS, Unknown, choice, snapshots, usual},
    results::{Header, Row, Writer, baseline},
};

/// Measure every pairing of a snapshot strategy and a threshold strategy.
///
/// Each pairing is first checked under its load: one that gives a wrong answer is reported and not timed. Then all are
/// measured in turn, and again in the opposite order. A cell of the table is the throughput as a multiple of the load's
/// reference in the same round, boolean-array(original) with the threshold off: what PostgreSQL had when the reports were
/// written. Exit code 0, 1 if a pairing is wrong, 2 if the command line is.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Three short rounds: a first look
    #[arg(long)]
    quick: bool,

    /// Every variant of each strategy, not its first one alone
    #[arg(long)]
    all: bool,

    /// Threads that are measured; a writer or replayer comes on top. As many as there are cores for page-scan, one less for
    /// standby-long-transaction, if it is not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,

    /// Only this snapshot strategy, with all its variants where none is named, beside the reference; may be given more
    /// than once
    #[arg(long = "snapshot", value_name = "NAME")]
    snapshots: Vec<String>,

    /// Only this threshold strategy beside the reference; may be given more than once
    #[arg(long = "threshold", value_name = "NAME")]
    thresholds: Vec<String>,

    /// Only this load; may be given more than once
    #[arg(long = "workload", value_name = "NAME")]
    workloads: Vec<String>,

    /// Write results.jsonl into this folder, anew after each round, for harness diff and harness rank
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Keep the results as the baseline of this name when all rounds are done, in $CARGO_TARGET_DIR/harness/NAME, or in
    /// target/harness/NAME of the current folder, for harness diff and harness rank
    #[arg(long, value_name = "NAME", value_parser = baseline::name)]
    save: Option<String>,

    /// For everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print one JSON object a line instead of tables
    #[arg(long)]
    json: bool,
}

/// What other pairings are multiples of.
const REFERENCE: (&str, &str) = ("boolean-array(original)", "off");

/// Runs the subcommand.
///
/// # Errors
///
/// Results that cannot be written.
pub fn run(args: &Args) -> Result<Verdict, Failure> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (rounds, millis) = if args.quick { (3, 60) } else { (7, 120) };
    let plan = Plan {
        rounds,
        duration: Duration::from_millis(millis),
        check: Duration::from_millis(50),
        threads: args.threads.map(usize::from),
        cores,
        seed: args.seed,
    };
    let cells = cells(args)?;
    let header = Header::new(plan.cores, plan.rounds, plan.seed, REFERENCE);
    let writer = |folder: PathBuf| Writer::new(&folder, header.clone());
    let file = args.out.clone().map(writer).transpose()?;
    let saved = args.save.as_ref().map(|name| writer(baseline::folder().join(name))).transpose()?;
    file.as_ref().map(Writer::clear).transpose()?;
    let bar = progress(steps(cells.len(), &plan));
    let mut course = Course { bar, file, rounds_done: 0 };
    let outcome = compare(&cells, &plan, &mut course)?;
    course.bar.finish_and_clear();
    if let Some(saved) = saved {
        saved.write(&outcome.rows, plan.rounds)?;
        eprintln!("saved: {}", saved.file().display());
    }
    let mut out = io::stdout().lock();
    if args.json {
        for row in &outcome.rows {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
    } else {
        print(&mut out, &outcome, &plan)?;
    }
    for wrong in &outcome.wrong {
        eprintln!("wrong: {wrong}");
    }
    Ok(if outcome.wrong.is_empty() { Verdict::Good } else { Verdict::Bad })
}

/// The cells that are asked for, each load's reference first.
fn cells(args: &Args) -> Result<Vec<Cell>, Unknown> {
    let workloads: Vec<&str> = Workload::ALL.iter().map(|workload| workload.name()).collect();
    let workloads = chosen("workload", &args.workloads, workloads)?;
    let snapshots = if args.snapshots.is_empty() && !args.all {
        usual()
    } else {
        chosen("snapshot strategy", &args.snapshots, choice(snapshots(), &args.snapshots))?
    };
    let thresholds = chosen("threshold strategy", &args.thresholds, THRESHOLDS.to_vec())?;
    let mut cells = Vec::new();
    for workload in
        Workload::ALL.into_iter().filter(|workload| workloads.contains(&workload.name()))
    {
        let mut pairs = vec![REFERENCE];
        for snapshot in &snapshots {
            let all = thresholds.iter().map(|threshold| (*snapshot, *threshold));
            pairs.extend(all.filter(|pair| *pair != REFERENCE));
        }
        for (snapshot, threshold) in pairs {
            cells.extend(Cell::new(workload, snapshot, threshold)?);
        }
    }
    Ok(cells)
}

/// Those of `known` that the names mean; all of them where none is given.
fn chosen(
    kind: &'static str,
    names: &[String],
    known: Vec<&'static str>,
) -> Result<Vec<&'static str>, Unknown> {
    crate::names::chosen(kind, names, &known)
}

/// The bar, and the file that is complete after each round.
struct Course {
    bar: ProgressBar,
    file: Option<Writer>,
    rounds_done: usize,
}

impl Progress for Course {
    fn step(&mut self, cell: &Cell) {
        self.bar.set_message(format!("{cell:?}"));
        self.bar.inc(1);
    }

    fn round(&mut self, rows: &[Row]) -> io::Result<()> {
        self.rounds_done += 1;
        self.file.as_ref().map_or(Ok(()), |file| file.write(rows, self.rounds_done))
    }
}

fn print(out: &mut impl Write, outcome: &Outcome, plan: &Plan) -> io::Result<()> {
    for workload in Workload::ALL {
        let of_load = |row: &&Row| row.workload == workload.name();
        let rows: Vec<&Row> = outcome.rows.iter().filter(of_load).collect();
        let Some(reference) = rows.first() else { continue };
        writeln!(
            out,
            "{}: throughput with {}, as a multiple of {} with the threshold {}\n({} operations/s)",
            workload.name(),
            counted(plan.threads(workload), "thread"),
            reference.snapshot,
            reference.threshold,
            thousands(reference.ops_per_s)
        )?;
        writeln!(out, "{}", table(&rows, workload, &outcome.wrong).trim_fmt())?;
        writeln!(
            out,
            "The reference against itself: {:.2} to {:.2}. What differs by less may be chance.\n",
            reference.ratio_low, reference.ratio_high
        )?;
    }
    writeln!(
        out,
        "{} rounds of {} ms a cell, in turn and back. take%, p50, p99, open: with the threshold off. take%: share of the\n\
         time in take. open: throughput while the long transaction is open over that before and after. ~ the machine was\n\
         busy. Intervals and waits for locks: --json, or --out DIR.",
        plan.rounds,
        plan.duration.as_millis()
    )?;
    if Workload::ALL.iter().any(|workload| plan.threads(*workload) > plan.cores) {
        writeln!(
            out,
            "More threads than the {} cores: what is seen is holders of locks that lose their core, not contention.",
            plan.cores
        )?;
    }
    Ok(())
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn table(rows: &[&Row], workload: Workload, wrong: &[Wrong]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let mut header = vec!["snapshot"];
    header.extend(THRESHOLDS);
    header.extend(["take%", "p50 ns", "p99 ns"]);
    if workload.needs_standby() {
        header.push("open");
    }
    table.set_header(header);
    let mut names: Vec<&str> = rows.iter().map(|row| row.snapshot.as_str()).collect();
    names.dedup();
    let mut listed: Vec<&str> = Vec::new();
    for name in names {
        if listed.contains(&name) {
            continue;
        }
        listed.push(name);
        let find = |threshold: &str| {
            rows.iter().find(|row| row.snapshot == name && row.threshold == threshold)
        };
        let mut line = vec![name.to_owned()];
        line.extend(THRESHOLDS.iter().map(|threshold| match find(threshold) {
            Some(row) => format!("{:.2}{}", row.ratio, if row.noisy { "~" } else { "" }),
            None if wrong.iter().any(|wrong| {
                (wrong.workload, wrong.snapshot, wrong.threshold) == (workload, name, *threshold)
            }) =>
            {
                "wrong".into()
            }
            None => "-".into(),
        }));
        if let Some(off) = find("off") {
            line.push(format!("{:.0}", off.shares.take * 100.0));
            line.extend([off.latency.p50_ns, off.latency.p99_ns].map(|nanos| nanos.to_string()));
            line.extend(off.while_open.map(|open| format!("{open:.2}")));
        }
        table.add_row(line);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

pub(super) fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}
