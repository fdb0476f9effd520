//! Comparison: it finds a pairing that gives wrong answers, and the program prints what it should.

mod checks;
mod command;
mod refused;
mod rows;

use std::process::{Command, Output};

use serde_json::Value;

fn harness(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harness")).args(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// The reference, one strategy and the harness alone.
const ONE: [&str; 5] = ["compare", "--snapshot", "locked-set", "--threshold", "seqlock"];
/// The same for a moment.
const FEW: [&str; 9] = [
    "compare",
    "--snapshot",
    "locked-set",
    "--threshold",
    "seqlock",
    "--rounds",
    "2",
    "--duration",
    "0.03",
];

fn rows(printed: &str) -> Vec<Value> {
    printed.lines().map(|line| serde_json::from_str(line).expect("JSON on each line")).collect()
}

fn named(row: &Value) -> String {
    let names = ["workload", "snapshot", "threshold"];
    names.map(|field| row[field].as_str().unwrap_or("")).join(" ")
}
