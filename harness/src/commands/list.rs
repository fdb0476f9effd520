//! `harness list`: what there is.

use std::io::{self, Write};

use comfy_table::{Table, presets};
use serde::Serialize;
use snapshot_api::{Facts, Restore, ThresholdFacts, ThresholdStrategy, Xid};

use crate::{
    cli::{Failure, Verdict},
    loads::{self, Definition},
    names::chosen,
    recordings::BUILT_IN,
    registry::{
        PEERS, SnapshotVisitor, THRESHOLDS, ThresholdVisitor, breaks, snapshots, visit_snapshot,
        visit_threshold,
    },
};

/// List strategies, peers, workloads and recordings.
///
/// Their names are what the options --snapshot, --threshold, --strategy and --workload of the other commands take. standby: whether
/// it can play a hot standby, as verify and replay have it do. readers, writers: whether they may have to wait for one another.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Print the file of this workload instead, to copy from: harness compare --workload FILE.toml runs what you make of it
    #[arg(long, value_name = "NAME")]
    load: Option<String>,

    /// Print one JSON object a line instead of tables
    #[arg(long)]
    json: bool,
}

/// A line of the list.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Snapshot {
        name: String,
        plays_standby: bool,
        readers: String,
        writers: String,
        take: &'static str,
        is_running: &'static str,
        source: &'static str,
    },
    Peer {
        name: &'static str,
        readers: String,
        writers: String,
        take: &'static str,
        is_running: &'static str,
        breaks: &'static [&'static str],
        source: &'static str,
    },
    Threshold {
        name: String,
        readers: String,
        writers: String,
        pair: String,
        source: &'static str,
    },
    Workload {
        name: &'static str,
        about: String,
        report: String,
    },
    Recording {
        name: String,
    },
}

struct SnapshotFacts;

impl SnapshotVisitor for SnapshotFacts {
    type Output = Result<(Facts, bool), snapshot_api::RestoreError>;

    fn visit<S: Restore + 'static>(self, config: S::Config, standby: bool) -> Self::Output {
        Ok((S::restore(&config, Xid::FROZEN, &[])?.facts(), standby))
    }
}

struct FactsOfThreshold;

impl ThresholdVisitor for FactsOfThreshold {
    type Output = ThresholdFacts;

    fn visit<T: ThresholdStrategy + 'static>(self, new: fn() -> T) -> ThresholdFacts {
        new().facts()
    }
}

/// Runs the subcommand.
///
/// # Errors
///
/// Output that cannot be written.
pub fn run(args: &Args) -> Result<Verdict, Failure> {
    if let Some(word) = &args.load {
        for name in chosen("workload", std::slice::from_ref(word), &loads::names())? {
            write!(io::stdout(), "{}", loads::text(name).unwrap_or_default())?;
        }
        return Ok(Verdict::Good);
    }
    let lines = lines()?;
    let mut out = io::stdout().lock();
    if args.json {
        for line in &lines {
            writeln!(out, "{}", serde_json::to_string(line)?)?;
        }
    } else {
        print(&mut out, &lines)?;
    }
    Ok(Verdict::Good)
}

fn lines() -> Result<Vec<Line>, Failure> {
    let mut lines = Vec::new();
    for name in snapshots() {
        let (facts, plays_standby) = visit_snapshot(name, SnapshotFacts)??;
        lines.push(Line::Snapshot {
            name: name.into(),
            plays_standby,
            readers: facts.readers.to_string(),
            writers: facts.writers.to_string(),
            take: facts.costs.take,
            is_running: facts.costs.is_running,
            source: facts.source,
        });
    }
    for name in PEERS {
        let (facts, _) = visit_snapshot(name, SnapshotFacts)??;
        lines.push(Line::Peer {
            name,
            readers: facts.readers.to_string(),
            writers: facts.writers.to_string(),
            take: facts.costs.take,
            is_running: facts.costs.is_running,
            breaks: breaks(name),
            source: facts.source,
        });
    }
    for name in THRESHOLDS {
        let facts = visit_threshold(name, FactsOfThreshold)?;
        lines.push(Line::Threshold {
            name: (*name).into(),
            readers: facts.readers.to_string(),
            writers: facts.writers.to_string(),
            pair: format!("{:?}", facts.pairing).to_lowercase(),
            source: facts.source,
        });
    }
    lines.extend(loads::names().into_iter().filter_map(|name| {
        let Definition { about, report, .. } = loads::built_in(name)?;
        Some(Line::Workload { name, about, report })
    }));
    lines.extend(
        BUILT_IN.iter().map(|recording| Line::Recording { name: recording.name().to_string() }),
    );
    Ok(lines)
}

fn print(out: &mut impl Write, lines: &[Line]) -> io::Result<()> {
    let table = |header: &[&str]| {
        let mut table = Table::new();
        table.load_preset(presets::NOTHING).set_header(header);
        table
    };
    let mut of_snapshots = table(&["snapshot", "standby", "readers", "writers", "take", "source"]);
    let mut of_peers = table(&["peer", "readers", "writers", "take", "breaks", "source"]);
    let mut of_thresholds = table(&["threshold", "readers", "writers", "pair", "source"]);
    let mut of_workloads = table(&["workload", "what it does", "reproduces"]);
    let mut recordings = Vec::new();
    for line in lines {
        match line {
            Line::Snapshot { name, plays_standby, readers, writers, take, source, .. } => {
                let standby = if *plays_standby { "yes" } else { "no" };
                of_snapshots.add_row([name, standby, readers, writers, take, source]);
            }
            Line::Peer { name, readers, writers, take, breaks, source, .. } => {
                let breaks = if breaks.is_empty() { "nothing".into() } else { breaks.join("\n") };
                of_peers.add_row([name, readers.as_str(), writers, take, &breaks, source]);
            }
            Line::Threshold { name, readers, writers, pair, source } => {
                of_thresholds.add_row([name, readers, writers, pair, *source]);
            }
            Line::Workload { name, about, report } => {
                of_workloads.add_row([name, &about[..], report]);
            }
            Line::Recording { name } => recordings.push(name.as_str()),
        }
    }
    for table in [of_snapshots, of_peers, of_thresholds, of_workloads] {
        writeln!(out, "{}\n", table.trim_fmt())?;
    }
    writeln!(out, "recordings: {}", recordings.join(", "))
}
