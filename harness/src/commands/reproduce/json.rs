//! Experiments for programs: one object a line.

use std::io::{self, Write};

use serde::Serialize;

use super::Done;
use crate::{
    reproduce::{Experiment, experiment::Measured, points::Scale},
    results::{Header, Row},
};

/// What the field `format` of the first line says.
const FORMAT: &str = "snapshot-harness reproduction";
/// The version of the format. It rises when a field is taken away or changes its meaning; a new field does not raise it.
const VERSION: u64 = 1;

/// The first line.
#[derive(Serialize)]
struct First<'a> {
    format: &'static str,
    version: u64,
    program_version: &'a str,
    command: &'a [String],
    date: Option<&'a str>,
    os: &'a str,
    arch: &'a str,
    kernel: Option<&'a str>,
    cpu: Option<&'a str>,
    cores: usize,
    seed: u64,
}

/// One experiment.
#[derive(Serialize)]
struct One<'a> {
    experiment: &'a str,
    about: &'a str,
    source: &'a str,
    report: &'a str,
    real: &'a str,
    here: &'a str,
    rounds_done: usize,
    loads: Vec<Rows<'a>>,
    direction: &'a str,
    now: &'a str,
    claims: Vec<Told<'a>>,
    wrong: Vec<String>,
    limits: &'a [&'a str],
    verdict: &'a str,
}

/// The rows of one load: the first is what the ratios of the others are multiples of.
#[derive(Serialize)]
struct Rows<'a> {
    title: &'a str,
    rows: Vec<&'a Row>,
}

#[derive(Serialize)]
struct Told<'a> {
    direction: &'a str,
    found: &'a str,
    verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

/// One experiment as `--list --json` has it.
#[derive(Serialize)]
struct Listed<'a> {
    experiment: &'a str,
    about: &'a str,
    source: &'a str,
}

/// What there is.
pub(super) fn list<'a>(
    out: &mut impl Write,
    experiments: impl Iterator<Item = &'a Experiment>,
) -> io::Result<()> {
    for Experiment { name, about, source, .. } in experiments {
        line(out, &Listed { experiment: name, about, source })?;
    }
    Ok(())
}

/// How it is measured.
pub(super) fn header(out: &mut impl Write, header: &Header, scale: &Scale) -> io::Result<()> {
    let Header { program_version, command, os, arch, .. } = header;
    let first = First {
        format: FORMAT,
        version: VERSION,
        program_version,
        command,
        date: header.date.as_deref(),
        os,
        arch,
        kernel: header.kernel.as_deref(),
        cpu: header.cpu.as_deref(),
        cores: scale.cores,
        seed: scale.seed,
    };
    line(out, &first)
}

/// One experiment.
pub(super) fn print(out: &mut impl Write, done: &Done<'_>) -> io::Result<()> {
    let Done { experiment, titles, groups, outcome, judgement } = done;
    let loads = titles.iter().zip(groups).map(|(title, group)| Rows {
        title,
        rows: Measured::of(group, &outcome.rows).rows().to_vec(),
    });
    let claims = judgement.claims.iter().map(|claim| Told {
        direction: &claim.direction,
        found: &claim.found,
        verdict: claim.verdict.says(),
        why: claim.verdict.why(),
    });
    let one = One {
        experiment: experiment.name,
        about: experiment.about,
        source: experiment.source,
        report: experiment.report,
        real: experiment.real,
        here: experiment.here,
        rounds_done: outcome.rounds_done,
        loads: loads.collect(),
        direction: judgement.direction,
        now: &judgement.now,
        claims: claims.collect(),
        wrong: outcome.wrong.iter().map(ToString::to_string).collect(),
        limits: experiment.limits,
        verdict: judgement.verdict().says(),
    };
    line(out, &one)
}

fn line(out: &mut impl Write, object: &impl Serialize) -> io::Result<()> {
    writeln!(out, "{}", serde_json::to_string(object)?)?;
    out.flush()
}
