//! Comparison: it finds a pairing that gives wrong answers, and the program prints what it should.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
    time::Duration,
};

use harness::{
    compare::{cell::measure, course::Settings, sample::Sample},
    loads::{What, built_in},
};
use serde_json::Value;
use snapshot_api::{
    BeginError, Facts, ListSnapshot, Off, Restore, RestoreError, SessionId, Snapshot,
    SnapshotStrategy, Threshold, ThresholdFacts, ThresholdStrategy, Timestamp, Xid,
    dev::models::{LockedSet, LockedThreshold},
    sync::{AtomicU64, Ordering},
};

/// More threads than cores: some scanner comes too late now and then.
fn crowded() -> Settings {
    Settings::new(Duration::from_millis(300), 6, 1)
}

/// A load that is built in, with its own parameters.
fn load(name: &str) -> What {
    let load = built_in(name).expect("it is built in");
    load.points(6).expect("its own parameters suit it")[0].what.clone()
}

/// Runs until something is wrong, a bounded number of times.
fn is_found(run: impl Fn() -> Sample) -> bool {
    (0..20).any(|_| !run().wrong.is_empty())
}

/// What the strategy below says, but for one bug.
struct Wrong {
    bug: Bug,
    below: LockedSet,
    takes: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Bug {
    #[default]
    None,
    /// The lowest running id is left out.
    MissesTheOldest,
    /// Now and then what ended last is not seen.
    TakesTooOld,
}

impl SnapshotStrategy for Wrong {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        self.below.facts()
    }
    fn snapshot(&self) -> ListSnapshot {
        self.below.snapshot()
    }
    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.below.begin(session, xid)
    }
    fn end(&self, session: SessionId, tree: &[Xid]) {
        self.below.end(session, tree);
    }
    fn take(&self, snapshot: &mut ListSnapshot) {
        let turn = self.takes.fetch_add(1, Ordering::Relaxed);
        if self.bug == Bug::TakesTooOld
            && !turn.is_multiple_of(1_000)
            && snapshot.xmax() > Xid::new(1_000)
        {
            return;
        }
        self.below.take(snapshot);
        if self.bug == Bug::MissesTheOldest {
            let (xmax, list) = (snapshot.xmax(), snapshot.running().skip(1).collect::<Vec<_>>());
            snapshot.refill(xmax).extend(list);
        }
    }
}

impl Restore for Wrong {
    type Config = Bug;

    fn restore(bug: &Bug, latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let below = LockedSet::restore(&(), latest, running)?;
        Ok(Wrong { bug: *bug, below, takes: AtomicU64::new(0) })
    }
}

/// A threshold that pruners follow and that no reader is told of.
#[derive(Default)]
struct TellsNobody(LockedThreshold);

impl ThresholdStrategy for TellsNobody {
    fn facts(&self) -> ThresholdFacts {
        self.0.facts()
    }
    fn timestamp(&self) -> Timestamp {
        Timestamp::ZERO
    }
    fn load(&self) -> Threshold {
        self.0.load()
    }
    fn advance(&self, to: Threshold) {
        self.0.advance(to);
    }
}

fn run<T: ThresholdStrategy>(bug: Bug, threshold: &T, name: &str) -> Sample {
    measure::<Wrong, T>(&bug, threshold, &load(name), crowded()).expect("an empty state")
}

#[test]
fn right_pairings_stay_right_under_a_crowd() {
    for _ in 0..3 {
        let threshold = LockedThreshold::default();
        assert_eq!(run(Bug::None, &threshold, "page-scan").wrong, [""; 0]);
        for name in
            ["page-scan", "standby-long-transaction", "select-only", "mixed", "simple-update"]
        {
            assert_eq!(run(Bug::None, &Off, name).wrong, [""; 0], "{name}");
        }
    }
}

/// Rows that a pruner removed are never accepted: here nobody tells the reader, and the scan finds it out.
#[test]
fn a_scan_that_accepts_pruned_rows_is_found() {
    // A snapshot older than the threshold's age needs a scanner that was off its core for so long, or a kept one.
    assert!(is_found(|| run(Bug::TakesTooOld, &TellsNobody::default(), "page-scan")));
}

#[test]
fn a_snapshot_that_misses_a_running_id_is_found() {
    for name in ["page-scan", "standby-long-transaction", "select-only", "mixed", "simple-update"] {
        assert!(is_found(|| run(Bug::MissesTheOldest, &Off, name)), "{name}");
    }
}

#[test]
fn a_snapshot_in_which_what_has_ended_still_runs_is_found() {
    for name in ["mixed", "simple-update"] {
        assert!(is_found(|| run(Bug::TakesTooOld, &Off, name)), "{name}");
    }
}

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
    let expected: Vec<String> =
        loads.iter().flat_map(|load| pairs.map(|pair| format!("{load} {pair}"))).collect();
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

#[test]
fn the_table_names_the_reference_and_its_own_spread() {
    let output = harness(&[&FEW[..], &["--workload", "page-scan"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(
        printed.contains("as a multiple of boolean-array(original) with the threshold off"),
        "{printed}"
    );
    assert!(printed.contains("The reference against itself: "), "{printed}");
    assert!(!printed.contains("standby-long-transaction"), "{printed}");
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

#[test]
fn a_dry_run_tells_the_points_of_a_sweep_and_measures_nothing() {
    let sweep = ["--threads", "1,2,8", "--page-work", "4,61", "--dry-run"];
    let output = harness(&[&["compare", "--workload", "page-scan"][..], &sweep].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert_eq!(
        printed.lines().filter(|line| line.starts_with(" page-scan")).count(),
        6,
        "{printed}"
    );
    assert!(
        printed.contains("page-work=4 ") && printed.contains("Nothing was measured"),
        "{printed}"
    );
}

#[test]
fn a_load_of_ones_own_is_a_file() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mine.toml");
    let printed = harness(&["list", "--load", "mixed"]);
    fs::write(
        &file,
        text(&printed.stdout).replace("read-share = 0.9", "read-share = [0.25, 0.75]"),
    )
    .expect("it can be written");
    let file = file.to_str().expect("UTF-8");
    let output = harness(&[&FEW[..], &["--workload", file, "--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shares: Vec<_> = rows(text(&output.stdout))
        .iter()
        .map(|row| (row["workload"].to_string(), row["parameters"]["read-share"].as_f64()))
        .collect();
    assert_eq!(shares.len(), 6);
    assert!(
        shares[..3].iter().all(|share| *share == ("\"mine\"".into(), Some(0.25))),
        "{shares:?}"
    );
    assert!(shares[3..].iter().all(|share| share.1 == Some(0.75)), "{shares:?}");
}

#[test]
fn bad_arguments_end_with_2_and_one_clear_message() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let written = |name: &str, text: &str| {
        let file = folder.join(name);
        fs::write(&file, text).expect("a file");
        file.to_str().expect("UTF-8").to_owned()
    };
    let blocked = written("compare-blocked", "a file where a folder should be");
    let broken = written("broken.toml", "kind = \"page-scan\"\nthreads = [1,\n");
    let twin = written("mixed.toml", "kind = \"sessions\"\n");
    for (args, says) in [
        (
            &["--threads", "0"][..],
            "expected a number of threads from 1 to 512, cores, or cores-1, not 0",
        ),
        (&["--threads", "1,two"], "expected a number of threads"),
        (
            &["--snapshot", "boolan-array"],
            "no snapshot strategy is called or matches \"boolan-array\"; nearest: boolean-array(",
        ),
        (
            &["--threshold", "mutexx"],
            "no threshold strategy is called or matches \"mutexx\"; nearest: mutex",
        ),
        (
            &["--workload", "pagescan"],
            "no workload is called or matches \"pagescan\"; nearest: page-scan",
        ),
        (
            &["--workload", "*"],
            "harness: no workload is called \"*\", nor is it a regular expression: at character 1: \
             repetition operator missing expression\n",
        ),
        (&["--out", &blocked], "compare-blocked"),
        (&["--workload", &broken], "broken.toml:2: "),
        (&["--workload", "no-such.toml"], "no-such.toml: "),
        (&["--workload", "mixed", "--workload", &twin], "a load mixed is there"),
        (
            &["--workload", "page-scan", "--slots", "10"],
            "no load that is chosen has a parameter slots",
        ),
        (&["--slots", "10"], "expected a slot for each session"),
        (&["--read-share", "2"], "expected a number from 0 to 1 for read-share, not 2"),
        (&["--set", "pages"], "expected a parameter and its values"),
        (&["--set", "recording=none"], "expected a recording, one of w1_simple_update"),
        (&["--rate", "0"], "expected operations a second"),
        (&["--duration=-1"], "expected seconds"),
        (&["--duration", "0"], "expected seconds from 0.001 to 3600"),
        (&["--rounds", "0"], "0 is not in 1..=10000"),
        (
            &["--workload", "replay", "--snapshot", "proc-array"],
            "no load that is chosen suits proc-array(scattered)",
        ),
        (
            &["--workload", "replay", "--reference", "csn$"],
            "csn cannot play a standby, which replay needs",
        ),
        (
            &["--reference", "boolean-array"],
            "expected one snapshot strategy; boolean-array may be ",
        ),
        (&["--save", "a/b"], "expected a name of letters"),
    ] {
        let output = harness(&[&["compare", "--quick"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stdout));
        let message = text(&output.stderr);
        assert!(message.contains(says), "{args:?}: {message}");
        assert_eq!(text(&output.stdout), "", "{args:?}");
    }
}

#[test]
fn the_list_knows_all_of_them() {
    let printed = harness(&["list"]);
    let table = text(&printed.stdout);
    for name in [
        "boolean-array(15.2)",
        "proc-array(dense)",
        "split-atomic",
        "page-scan",
        "w11_every_record",
    ] {
        assert!(table.contains(name), "{name} in {table}");
    }
    let printed = harness(&["list", "--json"]);
    let kinds: Vec<String> = text(&printed.stdout)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["kind"].to_string())
        .collect();
    for (kind, least) in
        [("\"snapshot\"", 9), ("\"threshold\"", 6), ("\"workload\"", 2), ("\"recording\"", 10)]
    {
        assert!(kinds.iter().filter(|known| *known == kind).count() >= least, "{kind}");
    }
}

/// The name on the command line is the one in the strategy's facts, so that a row of a table can be typed again.
#[test]
fn names_are_the_strategies_own() {
    use harness::registry::{
        SnapshotVisitor, THRESHOLDS, ThresholdVisitor, snapshots, visit_snapshot, visit_threshold,
    };

    struct Name;
    impl SnapshotVisitor for Name {
        type Output = String;
        fn visit<S: Restore + 'static>(self, config: S::Config, _standby: bool) -> String {
            S::restore(&config, Xid::FROZEN, &[]).expect("an empty state").facts().name.into_owned()
        }
    }
    impl ThresholdVisitor for Name {
        type Output = String;
        fn visit<T: ThresholdStrategy + 'static>(self, new: fn() -> T) -> String {
            new().facts().name.into_owned()
        }
    }
    for name in snapshots() {
        assert_eq!(visit_snapshot(name, Name).expect("known"), name);
    }
    for name in THRESHOLDS {
        assert_eq!(visit_threshold(name, Name).expect("known"), *name);
    }
}
