//! Files of results as their users meet them: what compare writes, diff and rank read, or refuse with one clear message.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};

mod diff;
mod rank;
mod refused;
mod report;
mod saved;
mod wrong;

/// A folder of one test, also cargo's target folder of the program, gone at the test's end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("results-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn file(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        let file = self.0.join(name);
        fs::create_dir_all(file.parent().expect("it lies in the folder")).expect("a folder");
        fs::write(file, text).expect("a file");
        self
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
        command.args(args).current_dir(&self.0).env_remove("CARGO_TARGET_DIR");
        command
    }

    fn harness(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the program starts")
    }

    /// What is printed by a command that ends well.
    fn prints(&self, args: &[&str]) -> String {
        let output = self.harness(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", err(&output));
        out(&output)
    }

    /// A command that ends with 2, prints nothing and says this.
    fn refuses(&self, args: &[&str], says: &str) {
        let output = self.harness(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", err(&output));
        assert!(err(&output).contains(says), "{args:?}: {}\nexpected {says:?} in it", err(&output));
        assert_eq!(out(&output), "", "nothing half-written");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind in the target folder harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON on each line")).collect()
}

fn header() -> Value {
    json!({
        "format": "snapshot-harness results", "version": 2, "program_version": "0.1.0",
        "command": ["compare", "--out", "old"], "kernel": "6.1.0",
        "date": "2023-02-17T06:30:00Z", "os": "linux", "arch": "x86_64", "cpu": "Some CPU", "cores": 2,
        "rounds": 7, "rounds_done": 7, "seed": 1,
        "reference_snapshot": "boolean-array(original)", "reference_threshold": "off",
    })
}

fn row(load: &str, snapshot: &str, threshold: &str, [low, ratio, high]: [f64; 3]) -> Value {
    json!({
        "workload": load, "snapshot": snapshot, "threshold": threshold, "threads": 2,
        "parameters": {}, "millis": 120, "ops_per_s": ratio * 1e6, "rounds": vec![ratio * 1e6; 7],
        "ratio": ratio, "ratio_low": low, "ratio_high": high,
        "shares": { "take": 0.5, "visibility": 0.25, "threshold": 0.125, "other": 0.125 },
        "lock_waits": 0.0, "latency": {
            "mean_ns": 120.0, "stddev_ns": 10.0, "p50_ns": 100, "p95_ns": 150, "p99_ns": 200, "p999_ns": 300, "max_ns": 400
        },
        "fairness": 1.0, "ops_by_thread": [100, 100], "series": [], "noisy": false,
    })
}

/// What a header says of a cell that was wrong where [`row`] is.
fn wrong(load: &str, snapshot: &str, threshold: &str) -> Value {
    json!({
        "workload": load, "snapshot": snapshot, "threshold": threshold, "threads": 2, "parameters": {},
        "what": "id 7 is visible",
    })
}

fn header_with(wrong: &[Value]) -> Value {
    let mut header = header();
    header["wrong"] = wrong.into();
    header
}

fn file(header: &Value, rows: &[Value]) -> String {
    std::iter::once(header).chain(rows).map(|line| format!("{line}\n")).collect()
}

const SCAN: &str = "page-scan";
const STANDBY: &str = "standby-long-transaction";

/// One row became faster, one slower, one may have by chance; each file has one alone.
fn before_and_after(name: &str) -> Folder {
    let old = [
        row(SCAN, "bitmap", "off", [1.9, 2.0, 2.1]),
        row(SCAN, "bitmap", "mutex", [0.9, 1.0, 1.1]),
        row(STANDBY, "bitmap", "off", [1.0, 2.0, 3.0]),
        row(SCAN, "gone-array", "off", [1.0, 1.0, 1.0]),
    ];
    let mut slow = row(SCAN, "bitmap", "mutex", [0.4, 0.5, 0.6]);
    slow["noisy"] = true.into();
    let new = [
        row(SCAN, "bitmap", "off", [3.9, 4.0, 4.1]),
        slow,
        row(STANDBY, "bitmap", "off", [1.0, 1.9, 3.0]),
        row(SCAN, "csn(rising)", "off", [1.0, 1.0, 1.0]),
    ];
    Folder::new(name)
        .file("old/results.jsonl", file(&header(), &old))
        .file("new/results.jsonl", file(&header(), &new))
}
