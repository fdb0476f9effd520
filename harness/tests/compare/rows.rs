//! What is measured, as rows: printed, in a file, cut short, at a rate.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use super::{FEW, ONE, harness, named, rows, text};
use serde_json::Value;

#[test]
fn rows_of_all_loads_have_their_fields_and_are_on_disk() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare-out");
    let output =
        harness(&[&FEW[..], &["--json", "--out", folder.to_str().expect("UTF-8")]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    let rows = rows(printed);
    let loads = [
        "page-scan",
        "standby-long-transaction",
        "select-only",
        "mixed",
        "simple-update",
        "replay",
    ];
    let pairs = ["boolean-array(original) off", "locked-set seqlock", "empty off"];
    let own = |load: &str, pair: &str| match load {
        "replay" => format!("{load} {}", pair.replace("original", "15.2")),
        _ => format!("{load} {pair}"),
    };
    let expected: Vec<String> =
        loads.iter().flat_map(|load| pairs.map(|pair| own(load, pair))).collect();
    assert_eq!(rows.iter().map(named).collect::<Vec<_>>(), expected);
    for row in &rows {
        for field in [
            "threads",
            "ops_per_s",
            "ratio",
            "ratio_low",
            "ratio_high",
            "millis",
            "lock_waits",
            "fairness",
        ] {
            assert!(row[field].is_number(), "{field} in {row}");
        }
        for (of, field) in [("shares", "take"), ("latency", "p50_ns"), ("latency", "max_ns")] {
            assert!(row[of][field].is_number(), "{field} in {row}");
        }
        assert!(row["noisy"].is_boolean());
        let is_reference = row["snapshot"].as_str().is_some_and(|name| name.contains("array"));
        assert_eq!(row.get("is_reference").is_some(), is_reference);
        let number = |field: &str| row[field].as_f64().unwrap_or(f64::NAN);
        assert!(number("ops_per_s") > 0.0 && number("ratio_low") <= number("ratio"));
        assert!(number("ratio") <= number("ratio_high"));
        let load = row["workload"].as_str().unwrap_or("");
        assert_eq!(load == "standby-long-transaction", row["while_open"].is_number());
        assert_eq!(load == "standby-long-transaction", row["lag_ms"].is_number());
        assert_eq!(load == "page-scan", row["too_old"].is_number());
        assert!(row["bytes"].is_number(), "the program counts them: {row}");
        assert_eq!(row["series"].as_array().map(Vec::len), Some(12));
        let threads = row["ops_by_thread"].as_array().map(Vec::len);
        assert_eq!(
            threads,
            if load == "replay" { Some(1) } else { row["threads"].as_u64().map(|n| n as usize) }
        );
        let shares = ["take", "visibility", "threshold", "other"];
        let all: f64 = shares.map(|name| row["shares"][name].as_f64().unwrap_or(9.0)).iter().sum();
        let worked = row["rounds"].as_array().is_some_and(|rounds| {
            rounds.iter().all(|round| round.as_f64().is_some_and(|speed| speed > 0.0))
        });
        // Beside other tests a thread may get no core in its time.
        assert!(
            !worked || all > 0.5 && all < 1.5,
            "medians of shares that add up to 1: {all} in {row}"
        );
        assert!(row.get("intended").is_none() && row.get("late").is_none());
    }
    let file = fs::read_to_string(folder.join("results.jsonl")).expect("the file is there");
    let (header, rows) = file.split_once('\n').expect("a header and rows");
    assert!(header.starts_with("{\"format\":\"snapshot-harness results\",\"version\":2,"));
    assert_eq!(rows, printed);
}

/// Seven rounds at least; after them until the ratios are fine, or the time is up. Where there are more than three cells the
/// reference stands between them, and is compared with itself.
#[test]
fn rounds_go_on_until_ratios_are_fine_or_the_time_is_up() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare-until");
    let load = ["compare", "--workload", "mixed", "--snapshot", "locked-set|bitmap"];
    let of = |options: &[&str]| -> (Value, Vec<Value>) {
        let out = ["--json", "--duration", "0.003", "--out", folder.to_str().expect("UTF-8")];
        let output = harness(&[&load[..], &out, options].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let file = fs::read_to_string(folder.join("results.jsonl")).expect("the file is there");
        let header = file.lines().next().expect("a header");
        (serde_json::from_str(header).expect("JSON"), rows(text(&output.stdout)))
    };
    let rounds = |rows: &[Value]| -> Vec<usize> {
        rows.iter().map(|row| row["rounds"].as_array().map_or(0, Vec::len)).collect()
    };
    let (header, fine) = of(&["--within", "100", "--limit", "3600"]);
    let done = rounds(&fine);
    // Other tests run at the same time, and spoil short rounds.
    assert!(done[0] >= 7, "{done:?}");
    assert_eq!((&done, &header["pinned"]), (&vec![done[0]; 5], &true.into()));
    assert_eq!((&header["rounds"], &header["rounds_done"]), (&7.into(), &done[0].into()));
    assert_eq!(fine[0]["itself"]["times"], done[0], "once a round");
    let itself = fine[0]["itself"]["ratio"].as_f64().expect("a ratio");
    assert!((0.1..10.0).contains(&itself), "{itself}");
    assert!(fine[1..].iter().all(|row| row.get("itself").is_none()));
    assert!(fine.iter().all(|row| row["core_speed"].as_f64().is_some_and(|speed| speed > 0.0)));
    let start = Instant::now();
    let (header, late) = of(&["--within", "0.1", "--limit", "2", "--no-pin", "--histograms"]);
    let (done, time) = (rounds(&late), start.elapsed());
    // Nobody ends before the limit. Seven rounds may take longer where the machine is busy.
    assert!(
        time.as_secs() >= 2 && done[0] >= 7 && done == vec![done[0]; 5],
        "{done:?} in {time:?}"
    );
    assert_eq!((&header["pinned"], &header["rounds_done"]), (&false.into(), &done[0].into()));
    assert!(fine[0].get("histogram").is_none() && late[0]["histogram"][0][1].is_u64());
}

/// Whoever stops the program finds the last round's rows, whole.
#[test]
fn what_was_measured_is_readable_when_the_program_is_stopped() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare-stopped");
    let file = folder.join("results.jsonl");
    let mut running = Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(FEW)
        .args(["--workload", "page-scan|standby", "--out", folder.to_str().expect("UTF-8")])
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    // Left over from an earlier run of this test until the program has emptied it.
    let rows = || fs::read_to_string(&file).unwrap_or_default();
    while !rows().is_empty() && running.try_wait().expect("it can be asked").is_none() {}
    while rows().is_empty() && running.try_wait().expect("it can be asked").is_none() {
        std::thread::yield_now();
    }
    running.kill().expect("it can be stopped");
    running.wait().expect("it has ended");
    assert_eq!(rows().lines().count(), 7);
    for row in rows().lines().skip(1) {
        let row: Value = serde_json::from_str(row).expect("JSON on each line");
        assert!(row["ops_per_s"].is_number());
    }
}

/// Two Ctrl-C in a row are the kill of the test above; one lets it say what it has.
#[test]
fn ctrl_c_prints_what_was_measured_so_far() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare-interrupted");
    let _ = fs::remove_dir_all(&folder);
    let file = folder.join("results.jsonl");
    let mut running = Command::new(env!("CARGO_BIN_EXE_harness"))
        .args(ONE)
        .args(["--rounds", "10000", "--duration", "0.03", "--workload", "mixed", "--json", "--out"])
        .arg(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    while fs::read_to_string(&file).unwrap_or_default().is_empty()
        && running.try_wait().expect("it can be asked").is_none()
    {
        std::thread::yield_now();
    }
    let process = running.id().to_string();
    let sent = Command::new("kill").args(["-INT", &process]).status().expect("kill is there");
    assert!(sent.success());
    let output = running.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stderr).contains("of 10000 rounds"), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert_eq!(rows(printed).len(), 3);
    let file = fs::read_to_string(&file).expect("the file is there");
    assert_eq!(file.split_once('\n').expect("a header and rows").1, printed);
}

/// Operations come at a rate, whatever they take.
#[test]
fn an_open_loop_tells_what_was_late_and_what_never_began() {
    let at = |rate: &str, load: &str| {
        let args =
            ["--rate", rate, "--workload", load, "--json", "--duration", "0.1", "--rounds", "2"];
        let output = harness(&[&ONE[..], &args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        rows(text(&output.stdout))
    };
    for row in at("2000", "mixed") {
        let speed = row["ops_per_s"].as_f64().unwrap_or(0.0);
        assert!(
            speed > 500.0 && speed < 2_600.0,
            "as many as are due, on a machine that keeps up: {row}"
        );
        let [service, due] =
            ["latency", "intended"].map(|kind| row[kind]["mean_ns"].as_f64().unwrap_or(0.0));
        assert!(due > 0.0 && due >= service * 0.5, "{due} from when it was due, {service} alone");
        assert!(row["late"].is_number() && row["skipped"].is_number());
    }
    for row in at("1e9", "mixed") {
        let skipped = row["skipped"].as_f64().unwrap_or(0.0);
        assert!(skipped > 1e6, "no machine does a thousand million a second: {row}");
    }
    assert!(at("5000", "page-scan").iter().all(|row| row["intended"].is_object()));
    assert!(at("5000", "replay").iter().all(|row| row["lag_ms"].is_number()));
}
