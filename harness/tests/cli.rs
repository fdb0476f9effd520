//! The program as its users meet it: exit codes and messages.

mod common;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn harness(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harness")).args(args).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder of this test, gone at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Self {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        for (file, content) in files {
            fs::write(path.join(file), content).unwrap();
        }
        Folder(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind in the target folder harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

const EVENTS: &[u8] = include_bytes!("../recordings/w11_every_record/events.txt.gz");
const ROWS: &[u8] = include_bytes!("../recordings/w11_every_record/snapshots.tsv.gz");

#[test]
fn equal_recordings_end_with_0() {
    let (events, rows) = (common::gunzip(EVENTS), common::gunzip(ROWS));
    let plain = Folder::new("plain", &[("events.txt", &events), ("snapshots.tsv", &rows)]);
    let zipped = Folder::new("zipped", &[("events.txt.gz", EVENTS), ("snapshots.tsv.gz", ROWS)]);
    let output = harness(&["verify", plain.path(), zipped.path(), "--strategy", "locked-set"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(
        out(&output).ends_with("all equal: 3962 snapshots, 0 concurrent ones\n"),
        "{}",
        out(&output)
    );
    assert!(out(&output).contains("mismatches"));
    assert_eq!(err(&output), "", "no bar where there is no terminal");
}

#[test]
fn strategies_by_regular_expression() {
    let folder = Folder::new("regex", &[("events.txt.gz", EVENTS), ("snapshots.tsv.gz", ROWS)]);
    let args =
        ["verify", folder.path(), "--json", "--strategy", "^(locked|bit)", "--strategy", "bitmap"];
    let output = harness(&args);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let strategies: Vec<serde_json::Value> = out(&output)
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["strategy"].clone())
        .collect();
    assert_eq!(strategies, ["locked-set", "bitmap"], "each once");
}

#[test]
fn json_lines() {
    let folder = Folder::new("json", &[("events.txt.gz", EVENTS), ("snapshots.tsv.gz", ROWS)]);
    let output = harness(&["verify", folder.path(), "--json", "--readers", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let mut strategies = Vec::new();
    for line in out(&output).lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["snapshots"], 1981);
        assert_eq!(line["events"], 1823);
        assert_eq!(line["mismatches"], 0);
        assert_eq!(line["readers"], 2);
        assert!(line["concurrent_snapshots"].as_u64().unwrap() >= 2);
        assert_eq!(line["concurrent_mismatches"], 0);
        assert!(line["duration_seconds"].as_f64().unwrap() > 0.0);
        strategies.push(line["strategy"].as_str().unwrap().to_owned());
    }
    assert_eq!(strategies, harness::registry::STANDBYS);
}

#[test]
fn differences_end_with_1() {
    let rows = String::from_utf8(common::gunzip(ROWS)).unwrap();
    // The list of the first row that has one loses its first id.
    let (at, row) = rows
        .lines()
        .enumerate()
        .skip(1)
        .find(|(_, row)| row.split('\t').nth(7).unwrap().contains(','))
        .unwrap();
    let mut fields: Vec<&str> = row.split('\t').collect();
    let (first, rest) = fields[7].split_once(',').unwrap();
    fields[7] = rest;
    let changed = fields.join("\t");
    let mut lines: Vec<&str> = rows.lines().collect();
    lines[at] = &changed;
    let changed = lines.join("\n") + "\n";
    let folder =
        Folder::new("differs", &[("events.txt.gz", EVENTS), ("snapshots.tsv", changed.as_bytes())]);
    let output = harness(&["verify", folder.path(), "--strategy", "locked-set"]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let told = out(&output);
    assert!(told.contains(&format!("at {}: running ids: expected ", fields[0])), "{told}");
    assert!(
        told.contains(&format!(
            " got {} ids, from number 1 on: {first}",
            rest.split(',').count() + 1
        )),
        "{told}"
    );
    assert!(told.ends_with("different: 1\n"), "{told}");
    let output = harness(&["verify", folder.path(), "--json", "--strategy", "locked-set"]);
    assert_eq!(output.status.code(), Some(1));
    let line: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(line["mismatches"], 1);
    assert!(line["first_difference"].as_str().unwrap().contains("running ids"));
}

#[test]
fn bad_input_ends_with_2() {
    let contradiction = b"0/28 init 100 100\n0/68 commit 100\n0/A8 abort 100\n";
    let early = format!(
        "{}{}",
        String::from_utf8(common::gunzip(ROWS)).unwrap().lines().next().unwrap(),
        "\n0/29\t\t\t100\t100\t0\t100\t\t\n"
    );
    for (name, files, message) in [
        ("nothing", vec![], "expected a file events.txt or events.txt.gz in this folder"),
        (
            "no-rows",
            vec![("events.txt", &contradiction[..])],
            "expected a file snapshots.tsv or snapshots.tsv.gz",
        ),
        (
            "contradiction",
            vec![("events.txt", &contradiction[..]), ("snapshots.tsv.gz", ROWS)],
            "events.txt:3: contradicts the records before it (rule ends-once): expected one end of 100",
        ),
        (
            "cut-gzip",
            vec![("events.txt.gz", &EVENTS[..EVENTS.len() / 2]), ("snapshots.tsv.gz", ROWS)],
            "the gzip stream breaks here",
        ),
        (
            "cut-rows",
            vec![("events.txt.gz", EVENTS), ("snapshots.tsv.gz", &ROWS[..ROWS.len() / 2])],
            "the gzip stream breaks here",
        ),
        (
            "early",
            vec![("events.txt.gz", EVENTS), ("snapshots.tsv", early.as_bytes())],
            "snapshots.tsv:2: contradicts the records before it (rule ready-first)",
        ),
    ] {
        let folder = Folder::new(name, &files);
        for readers in ["0", "2"] {
            let output = harness(&["verify", folder.path(), "--readers", readers]);
            assert_eq!(output.status.code(), Some(2), "{name}: {}", out(&output));
            assert!(err(&output).starts_with("harness: "), "{}", err(&output));
            assert!(err(&output).contains(message), "{}: expected {message:?} in it", err(&output));
            assert_eq!(out(&output), "", "nothing half-written");
        }
    }
}

#[test]
fn wrong_command_lines_end_with_2() {
    let output = harness(&["verify", "--strategy", "loked-set"]);
    assert_eq!(output.status.code(), Some(2));
    let told = err(&output);
    assert!(told.contains("nearest: locked-set; known: "), "{told}");
    for known in harness::registry::STANDBYS {
        assert!(told.contains(known), "{told}");
    }
    assert!(told.contains("\"loked-set\""), "{told}");
    let output = harness(&["verify", "--strategy", "(locked"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(out(&output), "");
    assert_eq!(
        err(&output),
        "harness: no strategy that can play a standby is called \"(locked\", nor is it a regular expression: at character 1: \
         unclosed group\n"
    );
    for args in
        [&["verify", "--readers", "x"][..], &["verify", "--readers", "1025"], &["verfy"], &[]]
    {
        assert_eq!(harness(args).status.code(), Some(2), "{args:?}");
    }
    assert_eq!(harness(&["--version"]).status.code(), Some(0));
    assert_eq!(harness(&["verify", "--help"]).status.code(), Some(0));
}
