//! The table of costs: every strategy in every operation, rows that add up, messages that help.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader},
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

use harness::{
    costs::operation::{OF_SNAPSHOTS, OF_THRESHOLDS, Operation},
    registry::{THRESHOLDS, snapshots},
};
use serde_json::Value;

fn harness(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harness")).args(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// The rows of one quick run of everything, and what it says about places that it did not measure.
fn quick_run() -> &'static (Vec<Value>, String) {
    static RUN: OnceLock<(Vec<Value>, String)> = OnceLock::new();
    RUN.get_or_init(|| {
        let output = harness(&["costs", "--quick", "--json"]);
        let notes = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{notes}");
        let lines = text(&output.stdout).lines();
        let rows = lines.map(|line| serde_json::from_str(line).expect("JSON on each line"));
        (rows.collect(), notes.to_owned())
    })
}

fn rows() -> &'static [Value] {
    &quick_run().0
}

fn word<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap_or_else(|| panic!("{field} in {row}"))
}

fn number(row: &Value, field: &str) -> f64 {
    row[field].as_f64().unwrap_or_else(|| panic!("{field} in {row}"))
}

#[test]
fn rows_have_exactly_these_fields() {
    for row in rows() {
        let fields: Vec<&str> =
            row.as_object().expect("an object").keys().map(String::as_str).collect();
        let mut known = [
            "strategy",
            "operation",
            "window",
            "running",
            "distribution",
            "ns",
            "yardstick",
            "yardstick_ns",
            "ratio",
            "ratio_low",
            "ratio_high",
            "bytes_held",
            "noisy",
        ];
        known.sort_unstable();
        assert_eq!(fields, known, "{row}");
        let of_threshold = THRESHOLDS.contains(&word(row, "strategy"));
        for field in ["window", "running", "distribution", "bytes_held"] {
            assert_eq!(row[field].is_null(), of_threshold, "{field} in {row}");
        }
    }
}

/// Where the machine has two cores.
fn is_measured(operation: &Operation) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores > 1 || !operation.name.contains("beside")
}

#[test]
fn every_strategy_is_in_every_operation_at_every_place() {
    let mut places: BTreeMap<[&str; 3], BTreeSet<(u64, &str)>> = BTreeMap::new();
    for row in rows() {
        let name = ["strategy", "operation", "yardstick"].map(|field| word(row, field));
        let place = (
            row["window"].as_u64().unwrap_or_default(),
            row["distribution"].as_str().unwrap_or_default(),
        );
        assert!(places.entry(name).or_default().insert(place), "twice: {row}");
    }
    let all = snapshots();
    let kinds = [(&all[..], &OF_SNAPSHOTS[..]), (THRESHOLDS, &OF_THRESHOLDS[..])];
    let mut wanted = 0;
    for (strategies, operations) in kinds {
        for operation in operations.iter().filter(|operation| is_measured(operation)) {
            for (yardstick, _) in operation.against {
                for strategy in strategies {
                    let name = [*strategy, operation.name, *yardstick];
                    let found = places.entry(name).or_default();
                    let was = found.clone();
                    // On a machine as busy as that the other core may never be there.
                    let busy = "take beside ends p50 needs a core more than was free";
                    for ids in BOTH.iter().filter(|_| operation.name.contains("beside ends")) {
                        let note =
                            format!("{strategy}, {ids}, window 20 000: not measured: {busy}");
                        if quick_run().1.contains(&note) {
                            found.insert((20_000, ids));
                        }
                    }
                    assert_eq!(*found, places_of(operation), "{name:?}, measured: {was:?}");
                    wanted += 1;
                }
            }
        }
    }
    assert_eq!(places.len(), wanted, "and nothing else");
}

const BOTH: [&str; 2] = ["clustered", "uniform"];

/// Where a quick run measures an operation.
fn places_of(operation: &Operation) -> BTreeSet<(u64, &'static str)> {
    let windows: &[u64] = match operation.name {
        _ if OF_THRESHOLDS.contains(operation) => return BTreeSet::from([(0, "")]),
        "is_running hot"
        | "is_running uniform"
        | "take beside ends p50"
        | "take beside ends p99" => &[20_000],
        _ => &[256, 20_000],
    };
    windows.iter().flat_map(|&window| BOTH.map(|ids| (window, ids))).collect()
}

#[test]
fn a_ratio_is_the_time_over_the_yardsticks() {
    for row in rows() {
        let (ratio, yardstick) = (number(row, "ratio"), number(row, "yardstick_ns"));
        assert!(yardstick > 0.0, "{row}");
        let right = number(row, "ns") / yardstick;
        assert!((ratio - right).abs() <= 1e-9 * right.abs().max(1.0), "{row}");
        assert!(number(row, "ratio_low") <= ratio && ratio <= number(row, "ratio_high"), "{row}");
    }
}

#[test]
fn places_are_what_they_say() {
    for row in rows().iter().filter(|row| row["window"].is_u64()) {
        let running = number(row, "running");
        let wanted = if row["window"] == 256 { 64.0 } else { 200.0 };
        assert!((running - wanted).abs() <= wanted * 0.3, "{row}");
    }
}

#[test]
fn the_table_says_what_it_shows() {
    let output =
        harness(&["costs", "--quick", "--snapshot", "locked-set", "--threshold", "seqlock"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    // Those beside another core may be missing.
    let alone = |operation: &&Operation| !operation.name.contains("beside");
    for operation in OF_SNAPSHOTS.iter().chain(&OF_THRESHOLDS).filter(alone) {
        assert!(printed.contains(operation.what), "{} in {printed}", operation.name);
        for (yardstick, goal) in operation.against {
            assert!(printed.contains(&format!("ratio to: {yardstick}, ")), "{yardstick}");
            assert!(goal.is_none_or(|goal| printed.contains(goal)), "{goal:?}");
        }
    }
    for part in ["clustered", "uniform", "20 000", "MB held", "best: locked-set", "ns: nanoseconds"]
    {
        assert!(printed.contains(part), "{part} in {printed}");
    }
    assert!(!printed.contains("boolean-array("), "{printed}");
}

#[test]
fn who_names_one_kind_gets_that_kind() {
    for (args, operations) in [
        (["--snapshot", "locked-set"], &OF_SNAPSHOTS[..]),
        (["--snapshot", "locked.set|^lock"], &OF_SNAPSHOTS[..]),
        (["--threshold", "mutex"], &OF_THRESHOLDS[..]),
    ] {
        let output = harness(&[&["costs", "--quick", "--json"][..], &args].concat());
        let rows = text(&output.stdout);
        let rows = rows.lines().map(|row| serde_json::from_str::<Value>(row).expect("JSON"));
        let found: BTreeSet<String> = rows
            .map(|row| {
                let wanted = if args[0] == "--threshold" { "mutex" } else { "locked-set" };
                assert_eq!(row["strategy"], wanted);
                word(&row, "operation").to_owned()
            })
            .collect();
        let wanted: BTreeSet<String> = operations.iter().map(|one| one.name.to_owned()).collect();
        assert!(found.is_subset(&wanted), "{args:?}: {found:?}");
        // Those beside another core may be missing.
        let alone = wanted.iter().filter(|name| !name.contains("beside"));
        assert!(alone.clone().all(|name| found.contains(name)), "{args:?}: {found:?}");
    }
}

#[test]
fn wrong_names_end_with_2_and_the_nearest() {
    for (args, says) in [
        (
            ["--snapshot", "boolan-array"],
            "no snapshot strategy is called or matches \"boolan-array\"; nearest: boolean-array(",
        ),
        (
            ["--threshold", "mutexx"],
            "no threshold strategy is called or matches \"mutexx\"; nearest: mutex",
        ),
        (
            ["--snapshot", "("],
            "harness: no snapshot strategy is called \"(\", nor is it a regular expression: at character 1: unclosed group\n",
        ),
        (["--seed", "x"], "invalid value 'x' for '--seed <N>'"),
    ] {
        let output = harness(&[&["costs", "--quick"][..], &args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(says), "{args:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{args:?}");
    }
}

#[test]
fn help_tells_what_to_type() {
    let output = harness(&["costs", "--help"]);
    for part in ["harness costs --quick", "--snapshot <NAME|REGEX>", "clustered", "Exit code 0"] {
        assert!(text(&output.stdout).contains(part), "{part}");
    }
}

/// Each strategy's rows come when it is measured, and who has seen enough may leave.
#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut running = Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(["costs", "--quick", "--json", "--threshold", "off", "--threshold", "packed"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    let mut rows = BufReader::new(running.stdout.take().expect("a pipe"));
    rows.read_line(&mut line).expect("a row");
    assert!(line.starts_with("{\"strategy\":\"off\""), "{line}");
    drop(rows);
    let output = running.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}
