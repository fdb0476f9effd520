//! `harness verify`: every strategy that can play a standby, on every recording.

use std::{
    io::{self, Write},
    path::PathBuf,
    time::{Duration, Instant},
};

use comfy_table::{CellAlignment, Table, presets};
use indicatif::ProgressBar;
use serde::Serialize;
use snapshot_api::Standby;

use super::progress::progress;
use crate::{
    cli::{Failure, Verdict},
    interrupt::Interrupt,
    names::chosen,
    recordings::{BUILT_IN, Recording},
    registry::{STANDBYS, StandbyVisitor, choice, visit_standby},
    trace::TraceError,
    verify::{Outcome, verify},
};

/// Compare strategies with the snapshots that a real PostgreSQL standby computed.
///
/// Each strategy plays the standby of each recording and has to give every snapshot of the real one: bounds, running ids,
/// overflow flag, and visibility of every id in between.
///
/// Exit code 0 if all is equal, 1 if something differs, 2 if a recording or the command line is wrong; 130 after Ctrl-C, with what
/// was verified until then (a second Ctrl-C ends it at once).
#[derive(clap::Args, Clone, Debug, Default)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Folders with events.txt and snapshots.tsv, each plain or .gz; the built-in recordings if none is given
    #[arg(value_name = "TRACE_DIR")]
    folders: Vec<PathBuf>,

    /// Only these strategies: a name, a name without its variant, or a regular expression; may be given more than once. All
    /// that can play a standby if none is given
    #[arg(long = "strategy", value_name = "NAME|REGEX")]
    strategies: Vec<String>,

    /// Let so many threads take snapshots beside the replay, and judge each: it must be a state between its call and its
    /// return
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    readers: u16,

    /// Print one JSON object a line instead of a table
    #[arg(long)]
    json: bool,
}

/// A row of the result.
#[derive(Clone, Debug, Serialize)]
struct Line<'a> {
    trace: &'a str,
    strategy: &'a str,
    events: u64,
    snapshots: u64,
    mismatches: u64,
    readers: u16,
    concurrent_snapshots: u64,
    concurrent_mismatches: u64,
    duration_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_difference: Option<String>,
}

/// Verifies one strategy on one recording.
struct Verify<'a> {
    recording: &'a Recording,
    readers: usize,
}

impl StandbyVisitor for Verify<'_> {
    type Output = Result<Outcome, TraceError>;

    fn visit<S: Standby + 'static>(self, config: S::Config) -> Self::Output {
        verify::<S>(self.recording, config, self.readers)
    }
}

/// Below the options: lines of a doc comment would run together.
const EXAMPLES: &str = "\
Examples:
  harness verify
  harness verify --readers 2 --strategy boolean-array
  harness verify my-trace/ --strategy '^(linked-list|skip)' --json";

/// Runs the subcommand.
///
/// # Errors
///
/// An unknown strategy, a folder without a recording, a recording that is not as it should be, or output that cannot be
/// written.
pub fn run(args: &Args) -> Result<Verdict, Failure> {
    let known = choice(STANDBYS.to_vec(), &args.strategies);
    let strategies = chosen("strategy that can play a standby", &args.strategies, &known)?;
    let mut recordings: Vec<Recording> = Vec::new();
    for folder in &args.folders {
        recordings.push(Recording::in_folder(folder)?);
    }
    if recordings.is_empty() {
        recordings.extend_from_slice(BUILT_IN);
    }
    Interrupt::catch()?;
    let bar = progress((recordings.len() * strategies.len()) as u64);
    let mut report = Report::new(args.json);
    let all = all(&recordings, &strategies, args.readers, &bar, &mut report);
    // Before any message, also that of an error.
    bar.finish_and_clear();
    all?;
    let interrupted = report.cells < recordings.len() * strategies.len();
    let verdict = report.finish(args.readers > 0, interrupted)?;
    if interrupted {
        let (done, all) = (report.cells, recordings.len() * strategies.len());
        eprintln!(
            "interrupted: {done} of {all} verified, each a strategy on a recording; different: {}",
            report.differences.len()
        );
    }
    Ok(verdict)
}

fn all(
    recordings: &[Recording],
    strategies: &[&str],
    readers: u16,
    bar: &ProgressBar,
    report: &mut Report,
) -> Result<(), Failure> {
    for recording in recordings {
        let trace = recording.name();
        for strategy in strategies {
            if Interrupt::asked() {
                return Ok(());
            }
            bar.set_message(format!("{trace}, {strategy}"));
            let begin = Instant::now();
            let visitor = Verify { recording, readers: readers.into() };
            let outcome = visit_standby(strategy, visitor)??;
            bar.suspend(|| report.add(&trace, strategy, readers, &outcome, begin.elapsed()))?;
            bar.inc(1);
        }
    }
    Ok(())
}

/// Collects rows for a table, or prints each as it comes.
struct Report {
    json: bool,
    table: Table,
    /// How many strategies on how many recordings it has.
    cells: usize,
    differences: Vec<String>,
    snapshots: u64,
    concurrent: u64,
}

impl Report {
    fn new(json: bool) -> Self {
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        Report { json, table, cells: 0, differences: Vec::new(), snapshots: 0, concurrent: 0 }
    }

    fn add(
        &mut self,
        trace: &str,
        strategy: &str,
        readers: u16,
        outcome: &Outcome,
        duration: Duration,
    ) -> io::Result<()> {
        self.cells += 1;
        self.snapshots += outcome.snapshots;
        self.concurrent += outcome.concurrent_snapshots;
        let difference = difference(outcome);
        if let Some(difference) = &difference {
            self.differences.push(format!("{trace}, {strategy}: {difference}"));
        }
        if self.json {
            let line = Line {
                trace,
                strategy,
                events: outcome.events,
                snapshots: outcome.snapshots,
                mismatches: outcome.mismatches,
                readers,
                concurrent_snapshots: outcome.concurrent_snapshots,
                concurrent_mismatches: outcome.concurrent_mismatches,
                duration_seconds: duration.as_secs_f64(),
                first_difference: difference,
            };
            let mut text = serde_json::to_string(&line)?;
            text.push('\n');
            return io::stdout().lock().write_all(text.as_bytes());
        }
        let mut row = vec![trace.to_owned(), strategy.to_owned()];
        row.extend([outcome.snapshots, outcome.mismatches].map(|count| count.to_string()));
        if readers > 0 {
            let counts = [outcome.concurrent_snapshots, outcome.concurrent_mismatches];
            row.extend(counts.map(|count| count.to_string()));
        }
        row.push(format!("{:.2} s", duration.as_secs_f64()));
        self.table.add_row(row);
        Ok(())
    }

    fn finish(&mut self, concurrent: bool, interrupted: bool) -> Result<Verdict, Failure> {
        if !self.json {
            let mut header = vec!["trace", "strategy", "snapshots", "mismatches"];
            if concurrent {
                header.extend(["concurrent", "mismatches"]);
            }
            header.push("time");
            self.table.set_header(header);
            for column in self.table.column_iter_mut().skip(2) {
                column.set_cell_alignment(CellAlignment::Right);
            }
            let mut out = io::stdout().lock();
            writeln!(out, "{}", self.table.trim_fmt())?;
            for difference in &self.differences {
                writeln!(out, "{difference}")?;
            }
            match self.differences.len() {
                0 => {
                    let (snapshots, concurrent) = (self.snapshots, self.concurrent);
                    let until = if interrupted { " until then" } else { "" };
                    writeln!(
                        out,
                        "all equal{until}: {snapshots} snapshots, {concurrent} concurrent ones"
                    )?;
                }
                cells => writeln!(out, "different: {cells}")?,
            }
        }
        Ok(match self.differences.is_empty() {
            _ if interrupted => Verdict::Interrupted,
            true => Verdict::Good,
            false => Verdict::Bad,
        })
    }
}

/// What is wrong first, if anything is.
fn difference(outcome: &Outcome) -> Option<String> {
    if let Some(refusal) = &outcome.refusal {
        return Some(refusal.clone());
    }
    if let Some(mismatch) = &outcome.first_mismatch {
        return Some(mismatch.to_string());
    }
    outcome.first_wrong.as_ref().map(|wrong| format!("concurrent snapshot {wrong}"))
}
