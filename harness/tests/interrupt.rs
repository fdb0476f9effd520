//! Ctrl-C: what was done is printed and readable, the exit code is 130, and a second one does not wait.
#![cfg(unix)]

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::Value;

/// A program that runs and has printed its first line.
struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
    first: String,
}

impl Running {
    fn start(args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_harness"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut first = String::new();
        out.read_line(&mut first).expect("a line");
        assert!(first.ends_with('\n'), "{args:?} printed nothing");
        Running { child, out, first }
    }

    fn interrupt(&self) {
        let kill = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(kill.expect("kill is there").success());
    }

    /// The exit code, all lines, and the messages.
    fn end(mut self) -> (Option<i32>, Vec<String>, String) {
        let mut out = self.first;
        self.out.read_to_string(&mut out).expect("UTF-8");
        let mut err = String::new();
        let mut messages = self.child.stderr.take().expect("a pipe");
        messages.read_to_string(&mut err).expect("UTF-8");
        let code = self.child.wait().expect("it ends").code();
        assert!(out.ends_with('\n'), "no line is cut off: {out}");
        (code, out.lines().map(Into::into).collect(), err)
    }
}

/// Interrupts after the first line; gives what was printed.
fn interrupted(args: &[&str]) -> (Vec<Value>, String) {
    let running = Running::start(args);
    running.interrupt();
    let (code, lines, err) = running.end();
    assert_eq!(code, Some(130), "{args:?}: {err}");
    assert_eq!(err.lines().filter(|line| line.starts_with("interrupted: ")).count(), 1, "{err}");
    let rows = lines.iter().map(|line| serde_json::from_str(line).expect("JSON on each line"));
    (rows.collect(), err)
}

fn recording() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/big_300k");
    folder.join("events.txt.gz").to_str().expect("UTF-8").into()
}

#[test]
fn verify_prints_what_it_verified() {
    let (rows, err) = interrupted(&["verify", "--json"]);
    let all = harness::registry::STANDBYS.len() * harness::recordings::BUILT_IN.len();
    assert!(rows.len() < all, "{} of {all}", rows.len());
    assert!(err.contains(&format!("interrupted: {} of {all} verified", rows.len())), "{err}");
    assert!(rows.iter().all(|row| row["mismatches"] == 0));
}

#[test]
fn costs_prints_what_it_measured() {
    let (rows, err) = interrupted(&["costs", "--quick", "--json"]);
    let mut strategies: Vec<&Value> = rows.iter().map(|row| &row["strategy"]).collect();
    strategies.dedup();
    let all = harness::registry::snapshots().len() + harness::registry::THRESHOLDS.len();
    assert!(strategies.len() < all, "{strategies:?}");
    let whole = (1..=strategies.len()).rev().take(2);
    let says = |done| err.contains(&format!("interrupted: {done} of {all} strategies"));
    assert!(whole.clone().any(says), "one of {whole:?} in {err}");
}

/// It ends between two strategies, also in the table.
#[test]
fn replay_prints_what_it_compared_and_timed() {
    let file = recording();
    let args = ["replay", &file, "--json", "--rounds", "1000"];
    let (lines, err) = interrupted(&args);
    assert_eq!(lines[0]["kind"], "input");
    let compared = lines.len() - 2;
    let all = harness::registry::STANDBYS.len();
    assert!(
        err.contains(&format!(
            "interrupted: {compared} of {all} strategies compared, 0 of 1000 rounds timed"
        )),
        "{err}"
    );
    assert!(lines[1..].iter().all(|row| row["kind"] == "strategy"), "{lines:?}");
}

/// One strategy compares longer than it takes to press a key again.
#[test]
fn a_second_one_ends_the_program_at_once() {
    let file = recording();
    let mut running = Running::start(&["replay", &file, "--json", "--every", "1"]);
    while running.child.try_wait().expect("it runs").is_none() {
        running.interrupt();
    }
    let (code, lines, err) = running.end();
    assert_eq!((code, lines.len(), err.as_str()), (Some(130), 1, ""), "{lines:?}");
}
