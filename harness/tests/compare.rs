//! Comparison: it finds a pairing that gives wrong answers, and the program prints what it should.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
    time::Duration,
};

use harness::compare::{
    cell::{Sample, Settings},
    long_transaction, page_scan,
};
use serde_json::Value;
use snapshot_api::{
    BeginError, Facts, ListSnapshot, Off, Restore, RestoreError, SessionId, Snapshot,
    SnapshotStrategy, Threshold, ThresholdFacts, ThresholdStrategy, Timestamp, Xid,
    dev::models::{LockedSet, LockedThreshold},
    sync::{AtomicU64, Ordering},
};

/// More threads than cores: some scanner comes too late now and then.
const CROWDED: Settings = Settings { duration: Duration::from_millis(300), threads: 6, seed: 1 };

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

fn scan<T: ThresholdStrategy>(bug: Bug, threshold: &T) -> Sample {
    let strategy = page_scan::fresh::<Wrong>(&bug).expect("an empty state");
    page_scan::run(&strategy, threshold, CROWDED)
}

#[test]
fn right_pairings_stay_right_under_a_crowd() {
    for _ in 0..3 {
        assert_eq!(scan(Bug::None, &LockedThreshold::default()).wrong, [""; 0]);
        assert_eq!(scan(Bug::None, &Off).wrong, [""; 0]);
        let strategy = long_transaction::fresh::<Wrong>(&Bug::None).expect("an empty state");
        assert_eq!(long_transaction::run(&strategy, &Off, CROWDED).wrong, [""; 0]);
    }
}

/// Rows that a pruner removed are never accepted: here nobody tells the reader, and the scan finds it out.
#[test]
fn a_scan_that_accepts_pruned_rows_is_found() {
    // A snapshot older than the threshold's age needs a scanner that was off its core for so long, or a kept one.
    assert!(is_found(|| scan(Bug::TakesTooOld, &TellsNobody::default())));
}

#[test]
fn a_snapshot_that_misses_a_running_id_is_found() {
    assert!(is_found(|| scan(Bug::MissesTheOldest, &Off)), "page-scan");
    assert!(
        is_found(|| {
            let strategy =
                long_transaction::fresh::<Wrong>(&Bug::MissesTheOldest).expect("an empty state");
            long_transaction::run(&strategy, &Off, CROWDED)
        }),
        "standby-long-transaction"
    );
}

fn harness(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harness")).args(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

const FEW: [&str; 6] = ["compare", "--quick", "--snapshot", "locked-set", "--threshold", "seqlock"];

#[test]
fn rows_have_the_fields_of_the_table_and_are_on_disk() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare-out");
    let output =
        harness(&[&FEW[..], &["--json", "--out", folder.to_str().expect("UTF-8")]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    let rows: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON on each line"))
        .collect();
    let names: Vec<String> = rows
        .iter()
        .map(|row| {
            ["workload", "snapshot", "threshold"]
                .map(|field| row[field].as_str().unwrap_or(""))
                .join(" ")
        })
        .collect();
    assert_eq!(
        names,
        [
            "page-scan boolean-array(original) off",
            "page-scan locked-set seqlock",
            "standby-long-transaction boolean-array(original) off",
            "standby-long-transaction locked-set seqlock",
        ]
    );
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
        assert_eq!(row["workload"] == "standby-long-transaction", row["while_open"].is_number());
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
        .args(["--out", folder.to_str().expect("UTF-8")])
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
    assert_eq!(rows().lines().count(), 5);
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

#[test]
fn bad_arguments_end_with_2_and_one_clear_message() {
    let blocked = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare-blocked");
    fs::write(&blocked, "a file where a folder should be").expect("a file");
    let blocked = blocked.to_str().expect("UTF-8");
    for (args, says) in [
        (&["--threads", "0"][..], "0 is not in 1..=512"),
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
        (&["--out", blocked], "compare-blocked"),
    ] {
        let output = harness(&[&["compare", "--quick"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(says), "{args:?}: {}", text(&output.stderr));
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
