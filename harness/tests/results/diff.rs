//! `diff` on small files: tables, JSON, filters, the gate.

use std::process::Stdio;

use serde_json::json;

use crate::{Folder, SCAN, STANDBY, before_and_after, err, file, header, lines, out, row};

#[test]
fn diff_tells_differences_from_chance() {
    let folder = before_and_after("diff");
    let printed = folder.prints(&["diff", "old", "new/results.jsonl"]);
    let cells = |of: &[&str]| {
        let mut rows = printed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        rows.find(|row| row.starts_with(of)).unwrap_or_else(|| panic!("{of:?} in {printed}"))
    };
    assert_eq!(
        cells(&["bitmap", "off", "faster"])[3..],
        [
            "2",
            "2.00",
            "1.90–2.10",
            "4.00",
            "3.90–4.10",
            "2.00",
            "2",
            "000",
            "000",
            "4",
            "000",
            "000"
        ]
    );
    assert_eq!(cells(&["bitmap", "mutex", "slower"])[6..9], ["0.50~", "0.40–0.60", "0.50"]);
    assert_eq!(cells(&["bitmap", "off", "-"])[8], "0.95");
    for says in [
        "only in old: page-scan: gone-array × off, threads: 2, ratio: 1.00\n",
        "only in new: page-scan: csn(rising) × off, threads: 2, ratio: 1.00\n",
        "3 rows in both: 1 faster, 1 slower, 1 that may be chance. Only in old: 1, only in new: 1.",
        "2023-02-17T06:30:00Z, 2 cores of Some CPU (linux, x86_64), 7 rounds of 120 ms",
    ] {
        assert!(printed.contains(says), "{says:?} in {printed}");
    }
    let wide = printed.lines().find(|line| line.trim_start().starts_with("snapshot"));
    assert!(wide.is_some_and(|line| !line.ends_with(' ')), "{printed}");
}

#[test]
fn diff_prints_json_lines() {
    let folder = before_and_after("diff-json");
    let rows = lines(&folder.prints(&["diff", "old", "new", "--json"]));
    assert_eq!(rows.len(), 5);
    assert_eq!(
        rows[0],
        json!({
            "found_in": "both", "workload": SCAN, "snapshot": "bitmap", "threshold": "off", "threads": 2, "parameters": {},
            "new_over_old": 2.0, "intervals_part": true,
            "old_ops_per_s": 2e6, "old_ratio": 2.0, "old_ratio_low": 1.9, "old_ratio_high": 2.1, "old_noisy": false,
            "new_ops_per_s": 4e6, "new_ratio": 4.0, "new_ratio_low": 3.9, "new_ratio_high": 4.1, "new_noisy": false,
        })
    );
    assert_eq!((&rows[1]["new_noisy"], &rows[2]["intervals_part"]), (&json!(true), &json!(false)));
    assert_eq!((&rows[3]["found_in"], &rows[4]["found_in"]), (&json!("old"), &json!("new")));
    assert!(rows[3].get("new_ratio").is_none() && rows[3]["old_ratio"] == 1.0);
    assert!(rows[4].get("old_ratio").is_none() && rows[4]["new_ratio"] == 1.0);
}

#[test]
fn diff_shows_the_rows_that_are_wanted() {
    let folder = before_and_after("diff-some");
    let few = |args: &[&str]| {
        let args = [&["diff", "old", "new", "--json"], args].concat();
        lines(&folder.prints(&args))
            .iter()
            .map(|row| format!("{} {}", row["snapshot"], row["threshold"]).replace('"', ""))
            .collect::<Vec<_>>()
    };
    assert_eq!(few(&["--threshold", "mutex"]), ["bitmap mutex"]);
    assert_eq!(few(&["--workload", STANDBY]), ["bitmap off"]);
    assert_eq!(
        few(&["--snapshot", "csn", "--snapshot", "gone-array"]),
        ["gone-array off", "csn(rising) off"]
    );
    assert_eq!(few(&["--snapshot", "^(csn|gone)"]), ["gone-array off", "csn(rising) off"]);
    assert_eq!(few(&["--workload", "^standby", "--threshold", "off|mutex"]), ["bitmap off"]);
    let changed = few(&["--threshold-percent", "50", "--snapshot", "bitmap"]);
    assert_eq!(changed, ["bitmap off", "bitmap mutex"]);
    let printed = folder.prints(&["diff", "old", "new", "--threshold-percent", "50"]);
    assert!(printed.contains("Not shown: 1 that changed by less than 50%."), "{printed}");
    folder.refuses(
        &["diff", "old", "new", "--snapshot", "bitmup"],
        "no snapshot strategy is called or matches \"bitmup\"; nearest: bitmap; known: bitmap, gone-array, csn(rising)",
    );
    folder.refuses(
        &["rank", "old", "--workload", "pgae"],
        "no workload is called or matches \"pgae\"; nearest: page-scan",
    );
    for command in [&["diff", "old", "new"][..], &["rank", "old"]] {
        folder.refuses(
            &[command, &["--threshold", "mutex("]].concat(),
            "harness: no threshold strategy is called \"mutex(\", nor is it a regular expression: at character 6: unclosed group\n",
        );
    }
}

#[test]
fn a_gate_fails_for_a_row_that_fell() {
    let folder = before_and_after("gate");
    let gate = |args: &[&str]| {
        let output = folder.harness(&[&["diff", "old", "new"], args].concat());
        (output.status.code(), err(&output))
    };
    let fell = "below 0.9: page-scan: bitmap × mutex, threads: 2: 0.50 of the old ratio\n";
    assert_eq!(gate(&["--fail-below", "0.9"]), (Some(1), fell.into()));
    assert_eq!(gate(&["--fail-below", "0.9", "--json"]).0, Some(1));
    assert_eq!(gate(&["--fail-below", "0.5"]), (Some(0), String::new()));
    // It fell by a twentieth, which may be chance.
    assert_eq!(gate(&["--fail-below", "0.99", "--workload", STANDBY]), (Some(0), String::new()));
    assert_eq!(gate(&["--fail-below", "0.9", "--threshold-percent", "500"]).0, Some(1));
    assert_eq!(gate(&[]).0, Some(0));
    let nothing = ["diff", "old", "new", "--snapshot", "csn", "--fail-below", "0.9"];
    folder.refuses(&nothing, "nothing to judge for --fail-below: no row is in both files");
    for bad in ["0", "-1", "1.1", "90", "x", "NaN", "inf"] {
        folder.refuses(
            &["diff", "old", "new", &format!("--fail-below={bad}")],
            "expected a part of 1",
        );
    }
    for bad in ["-1", "x", "NaN", "inf"] {
        folder.refuses(&["diff", "old", "new", &format!("--threshold-percent={bad}")], "0 or more");
    }
}

/// The gate's answer does not hang on whether anybody reads the table.
#[test]
fn a_reader_that_went_changes_no_exit_code() {
    let folder = before_and_after("pipe");
    for (args, code) in [
        (&["diff", "old", "new"][..], 0),
        (&["diff", "old", "new", "--fail-below", "0.9"], 1),
        (&["diff", "old", "new", "--fail-below", "0.9", "--json"], 1),
        (&["rank", "old"], 0),
        (&["rank", "old", "--json"], 0),
        (&["report", "old"], 0),
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = folder.command(args).stdout(writer).stderr(Stdio::piped()).output();
        let output = run.expect("the program starts");
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", err(&output));
        assert!(!err(&output).contains("harness:") && !err(&output).contains("panicked"));
    }
}

#[test]
fn other_machines_and_settings_are_warned_of() {
    let rows = [row(SCAN, "bitmap", "off", [1.9, 2.0, 2.1])];
    let mut other = header();
    other["cores"] = 64.into();
    other["rounds_done"] = 3.into();
    let folder = Folder::new("machines")
        .file("one.jsonl", file(&header(), &rows))
        .file("two.jsonl", file(&other, &rows));
    let output = folder.harness(&["diff", "one.jsonl", "two.jsonl", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        err(&output).starts_with("warning: measured on different machines"),
        "{}",
        err(&output)
    );
    assert!(err(&output).contains("\n  cores: 2 and 64\n  rounds: 7 and 3\n"), "{}", err(&output));
    assert_eq!(lines(&out(&output)).len(), 1);
    let same = folder.harness(&["diff", "two.jsonl", "two.jsonl"]);
    assert!(err(&same).starts_with("warning: after so few rounds 10% of all rows part by chance"));
    assert_eq!(err(&folder.harness(&["diff", "one.jsonl", "one.jsonl"])), "");
    assert!(
        out(&same).contains("stopped after 3 of 7 rounds, 7 rounds of 120 ms"),
        "{}",
        out(&same)
    );
}

/// A load with other parameters or other threads is another one, and is named by what differs.
#[test]
fn loads_of_one_name_are_told_apart() {
    let with = |slots: u64, threads: u64, ratio: f64| {
        let mut row = row(SCAN, "bitmap", "off", [ratio; 3]);
        row["parameters"] = json!({ "slots": slots, "window": 1000 });
        row["threads"] = threads.into();
        row["millis"] = (60 * threads).into();
        row
    };
    let mut longer = with(1, 2, 2.0);
    longer["millis"] = 500.into();
    let folder = Folder::new("parameters")
        .file("old.jsonl", file(&header(), &[with(1, 2, 1.0), with(1, 4, 1.0), with(9, 2, 1.0)]))
        .file("new.jsonl", file(&header(), &[longer, with(1, 4, 3.0), with(8, 2, 1.0)]));
    let output = folder.harness(&["diff", "old.jsonl", "new.jsonl"]);
    let printed = out(&output);
    for says in [
        "page-scan slots=1 threads=2\n",
        "page-scan slots=1 threads=4\n",
        "only in old: page-scan slots=9 threads=2: bitmap × off, ratio: 1.00\n",
        "only in new: page-scan slots=8 threads=2: bitmap × off, ratio: 1.00\n",
        "7 rounds of 120 to 240 ms",
    ] {
        assert!(printed.contains(says), "{says:?} in {printed}");
    }
    let warned = "warning: measured on different machines or with different settings, which moves ratios too:\n  \
                  milliseconds a cell: 120 and 500\n";
    assert_eq!(err(&output), warned);
    let rows = lines(&folder.prints(&["diff", "new.jsonl", "new.jsonl", "--json"]));
    assert_eq!(rows[2]["parameters"], json!({ "slots": 8.0, "window": 1000.0 }));
}
