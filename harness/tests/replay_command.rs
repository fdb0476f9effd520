//! `harness replay` as a command: files and pipes, its rows, its choices, and how it ends on bad input.

mod common;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use harness::registry::STANDBYS;

const EVERY_RECORD: &[u8] = include_bytes!("../recordings/w11_every_record/events.txt.gz");
const DUMP: &[u8] =
    include_bytes!("../recordings/pg_waldump_raw/w11_every_record.pg_waldump.txt.gz");

fn harness(args: &[&str], input: Option<&[u8]>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
    command.arg("replay").args(args).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that ends before it has read all closes the pipe.
    let _ = stdin.write_all(input.unwrap_or_default());
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A file of this test, gone at its end.
struct File(PathBuf);

impl File {
    fn new(name: &str, content: &[u8]) -> Self {
        let name = format!("replay-{}-{name}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, content).unwrap();
        File(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // A file that stays behind in the target folder harms nobody.
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn files_and_pipes_plain_and_gzipped() {
    let text = common::gunzip(EVERY_RECORD);
    let (plain, zipped) = (File::new("events.txt", &text), File::new("events.gz", EVERY_RECORD));
    for (args, input) in [
        ([plain.path(), "--every", "9"], None),
        ([zipped.path(), "--every", "9"], None),
        (["-", "--every", "9"], Some(&text[..])),
        (["-", "--format", "events"], Some(EVERY_RECORD)),
        (["-", "--format", "waldump"], Some(DUMP)),
        (["-", "--every", "0"], Some(DUMP)),
    ] {
        let output = harness(&args, input);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", err(&output));
        assert_eq!(err(&output), "", "no bar where there is no terminal");
        let told = out(&output);
        let file = if input.is_some() { "standard input" } else { args[0] };
        assert!(told.starts_with(&format!("{file}: ")), "{told}");
        for strategy in STANDBYS {
            assert_eq!(told.matches(&format!("\n {strategy} ")).count(), 2, "{strategy}: {told}");
        }
        assert!(
            told.ends_with("all equal to locked-set, at every snapshot and at the end\n"),
            "{told}"
        );
    }
}

#[test]
fn json_lines() {
    let output = harness(&["-", "--json", "--every", "10", "--rounds", "1"], Some(EVERY_RECORD));
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let told = out(&output);
    let mut lines =
        told.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let about = lines.next().unwrap();
    assert_eq!((&about["kind"], &about["format"]), (&"input".into(), &"events".into()));
    let (before, events) =
        (about["events_before_ready"].as_u64().unwrap(), about["events"].as_u64().unwrap());
    assert_eq!(before + events, 1_823);
    assert_eq!(about["lines"], 1_824);
    for speed in
        ["parse_mb_per_s", "parse_ns_per_line", "parse_to_line_walk", "parse_to_line_count"]
    {
        assert!(about[speed].as_f64().unwrap() > 0.0, "{speed}");
    }
    let rows: Vec<serde_json::Value> = lines.collect();
    let names: Vec<&str> = rows.iter().map(|row| row["strategy"].as_str().unwrap()).collect();
    assert_eq!(names[0], "machine");
    assert_eq!(names[1..], *STANDBYS);
    for row in &rows {
        assert_eq!(
            (row["events"].as_u64(), row["snapshots"].as_u64()),
            (Some(events), Some(events / 10))
        );
        assert_eq!(row["kind"], "strategy");
        assert!(
            row["events_per_s"].as_f64().unwrap() > 0.0
                && row["ns_per_event"].as_f64().unwrap() > 0.0
        );
        let at = |field| row[field].as_u64().unwrap();
        assert!(at("ns_per_snapshot_p50") <= at("ns_per_snapshot_p99"));
        assert!(at("bytes_held") > 0 && at("bytes_held") <= at("bytes_held_max"));
        assert!(row.get("difference").is_none());
    }
    for row in &rows[1..] {
        assert!(
            row["bytes_held"].as_u64() > rows[0]["bytes_held"].as_u64(),
            "more than the machine"
        );
        assert_eq!(row["equal"], true);
        assert_eq!(row["window_mean"], rows[1]["window_mean"]);
        assert_eq!(row["running_max"], rows[1]["running_max"]);
        let array = row["strategy"].as_str().unwrap().contains("boolean-array");
        assert_eq!(row["span_mean"].is_number() && row["span_max"].is_number(), array);
    }
    assert!(rows[0]["equal"].is_null() && rows[0]["window_max"].is_null());
}

#[test]
fn strategies_by_name() {
    let args = ["-", "--json", "--strategy", "boolean-array", "--strategy", "boolean-array(15.2)"];
    let told = out(&harness(&args, Some(EVERY_RECORD)));
    let variants = STANDBYS.iter().filter(|name| name.starts_with("boolean-array(")).count();
    assert_eq!(told.lines().count(), 2 + variants, "each once: {told}");
    let args = ["-", "--json", "--rounds", "1", "--strategy", "^(linked-list|csn)"];
    let told = out(&harness(&args, Some(EVERY_RECORD)));
    let found =
        STANDBYS.iter().filter(|name| name.starts_with("linked-list") || name.starts_with("csn"));
    assert_eq!(told.lines().count(), 2 + found.count(), "{told}");
    let output = harness(&["-", "--strategy", "[a"], Some(EVERY_RECORD));
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(2), ""));
    assert_eq!(
        err(&output),
        "harness: no strategy that can play a standby is called \"[a\", nor is it a regular expression: at character 1: \
         unclosed character class\n"
    );
    let output = harness(&["-", "--strategy", "loked-set"], Some(EVERY_RECORD));
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("nearest: locked-set; known: "), "{}", err(&output));
}

#[test]
fn bad_input_ends_with_2() {
    let bad = b"0/28 init 100 100\n0/68 comit 100\n";
    let never = b"0/28 init 100 100\n0/68 assign 100\n";
    let file = File::new("bad.txt", bad);
    for (args, input, message) in [
        (&["-"][..], &b""[..], "standard input: expected at least one line of content"),
        (&["-"], bad, "standard input:2: expected one blank and a known kind"),
        (&[file.path()], b"", "bad.txt:2: expected one blank and a known kind"),
        (&["-"], &EVERY_RECORD[..700], "the gzip stream breaks here"),
        (&["-"], b"hello\n", "standard input:1: expected a line of events.txt"),
        (&["-"], &b"0/28 init 100 100"[..], "the file is cut off"),
        (&["-"], never, "at none of its 2 events a standby accepts queries"),
        (
            &["-", "--format", "waldump"],
            bad,
            "standard input:1: expected a record of pg_waldump (rmgr: ...) at column 1\n  | 0/28 init",
        ),
        (&["-", "--format", "events"], DUMP, "standard input:1: expected a line of events.txt"),
        (&["/nowhere/at/all"], b"", "/nowhere/at/all: cannot read: "),
        (&["-", "--every", "x"], b"", "--every"),
        (&["-", "--rounds", "0"], b"", "--rounds"),
        (&["-", "--format", "csv"], b"", "--format"),
        (&[], b"", "<FILE>"),
    ] {
        let output = harness(args, Some(input));
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", out(&output));
        assert!(err(&output).contains(message), "{args:?}: {}", err(&output));
        assert_eq!(out(&output), "", "nothing half-written");
    }
}
