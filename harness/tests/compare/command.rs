//! The table, a dry run, a load of one's own, and the list of all there is.

use std::{fs, path::Path};

use serde_json::Value;
use snapshot_api::{Restore, ThresholdStrategy, Xid};

use super::{FEW, harness, rows, text};

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
