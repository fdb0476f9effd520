//! `harness reproduce` as its users meet it: names, fields, exit codes. How fast anything is decides nothing here.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Output, Stdio},
};

use serde_json::Value;

const NAMES: [&str; 5] = [
    "threshold-leader",
    "threshold-replica",
    "slow-standby",
    "standby-long-transaction",
    "shared-snapshot",
];

fn reproduce(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
    command.arg("reproduce").args(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn objects(output: &Output) -> Vec<Value> {
    let lines = text(&output.stdout).lines();
    lines.map(|line| serde_json::from_str(line).expect("JSON on each line")).collect()
}

#[test]
fn the_list_has_a_line_for_each() {
    let output = reproduce(&["--list"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let names: Vec<&str> =
        text(&output.stdout).lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, NAMES);
    let output = reproduce(&["--list", "--json", "^threshold", "shared"]);
    let names: Vec<String> =
        objects(&output).iter().map(|one| one["experiment"].to_string()).collect();
    assert_eq!(names, ["\"threshold-leader\"", "\"threshold-replica\"", "\"shared-snapshot\""]);
}

#[test]
fn bad_arguments_end_with_2_and_one_clear_message() {
    for (args, says) in [
        (
            &["slow-standbi"][..],
            "\"slow-standbi\"; nearest: slow-standby; known: threshold-leader, ",
        ),
        (&["threshold-leader", "["], "no experiment is called \"[\""),
        (&["--threads", "0"], "expected a number of threads from 1 to 512"),
        (&["--duration", "0"], "expected seconds from 0.001 to 3600"),
        (&["--rounds", "0"], "0 is not in 1..=10000"),
        (&["shared-snapshot", "--threads", "100"], "expected a slot for each session"),
    ] {
        let output = reproduce(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says), "{args:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{args:?}");
    }
}

/// Too short to tell anything, which changes no field.
const SHORT: [&str; 6] = ["--rounds", "1", "--duration", "0.01", "--seed", "7"];

#[test]
fn json_has_a_line_that_tells_how_and_one_for_each_experiment() {
    let output = reproduce(&[&SHORT[..], &["--json"]].concat());
    let objects = objects(&output);
    let (first, experiments) = objects.split_first().expect("a first line");
    assert_eq!(first["format"], "snapshot-harness reproduction");
    assert_eq!((&first["version"], &first["seed"]), (&1.into(), &7.into()));
    assert!(first["cores"].is_number() && first["command"].is_array());
    let names: Vec<&Value> = experiments.iter().map(|one| &one["experiment"]).collect();
    assert_eq!(names, NAMES);
    let verdicts = ["held", "did not hold", "cannot be told here"];
    for one in experiments {
        for field in ["about", "source", "report", "real", "here", "direction", "now", "verdict"] {
            assert!(one[field].as_str().is_some_and(|text| !text.is_empty()), "{field} in {one}");
        }
        let list = |field: &str| one[field].as_array().cloned().unwrap_or_default();
        assert!(list("limits").len() >= 2 && list("claims").len() >= 4, "{one}");
        // On a busy host a cell may get no time at all, which is said and drops it out.
        let starved = list("wrong").len();
        for claim in list("claims") {
            let verdict = claim["verdict"].as_str().unwrap_or("");
            assert!(verdicts.contains(&verdict), "{claim}");
            assert_eq!(claim["why"].is_string(), verdict == verdicts[2], "{claim}");
            assert!(claim["direction"].is_string() && claim["found"].is_string(), "{claim}");
        }
        for load in list("loads") {
            let rows = load["rows"].as_array().cloned().unwrap_or_default();
            assert!(rows.len() + starved >= 2, "{load}");
            for row in rows {
                assert!(row["ratio_low"].is_number() && row["ops_per_s"].is_number(), "{row}");
                let open = row["workload"] == "standby-long-transaction";
                assert_eq!(row["while_open_interval"].is_array(), open, "{row}");
            }
        }
    }
    let failed = experiments.iter().any(|one| {
        one["verdict"] == "did not hold"
            || one["wrong"].as_array().is_some_and(|wrong| !wrong.is_empty())
    });
    assert_eq!(output.status.code(), Some(failed.into()), "{}", text(&output.stderr));
}

#[test]
fn people_read_the_report_the_figures_and_the_verdict() {
    let output = reproduce(&[&SHORT[..], &["replica", "--threads", "1,2"]].concat());
    let printed = text(&output.stdout);
    for says in [
        "3,486 profile lines in s_lock",
        "A standby on two cores",
        "\n  1 thread (1 round of 10 ms)\n",
        "\n  2 threads (1 round of 10 ms)\n",
        "csn(rising) × off",
        "A/A ",
        "What must hold",
        "What this machine cannot show",
        "\n  threshold-replica: ",
        " experiment ",
    ] {
        assert!(printed.contains(says), "{says} in {printed}");
    }
    assert!(!printed.contains("threshold-leader"), "{printed}");
}

/// What was measured until then is printed.
#[test]
#[cfg(unix)]
fn ctrl_c_ends_it_with_what_it_has() {
    let mut running = Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(["reproduce", "replica", "--rounds", "10000", "--duration", "0.01", "--threads", "2"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut printed = BufReader::new(running.stdout.take().expect("a pipe"));
    let mut line = String::new();
    // From its first line on the program catches it.
    printed.read_line(&mut line).expect("a line");
    let kill = Command::new("kill").args(["-INT", &running.id().to_string()]).status();
    assert!(kill.expect("kill is there").success());
    let rest: Vec<String> = printed.lines().map_while(Result::ok).collect();
    let output = running.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("stopped; what is shown was measured so far"));
    assert!(rest.iter().any(|line| line.starts_with("  threshold-replica: ")), "{rest:?}");
}
