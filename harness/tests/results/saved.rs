//! What `compare` writes, and baselines.

use std::fs;

use serde_json::{Value, json};

use crate::{Folder, SCAN, STANDBY, err, file, header, lines, out, row};

#[test]
fn baselines_are_found_by_name() {
    let rows = |ratio| file(&header(), &[row(SCAN, "bitmap", "off", [ratio, ratio, ratio])]);
    let folder = Folder::new("baselines")
        .file("target/harness/main/results.jsonl", rows(1.0))
        .file("target/harness/before/results.jsonl", rows(2.0))
        .file("target/harness/half/other.txt", "")
        .file("elsewhere/harness/main/results.jsonl", rows(4.0));
    let times = |args: &[&str], target: &str| {
        let output = folder.command(args).env("CARGO_TARGET_DIR", target).output();
        let output = output.expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        lines(&out(&output))[0]["new_over_old"].clone()
    };
    assert_eq!(times(&["diff", "main", "before", "--json"], ""), 2.0);
    assert_eq!(times(&["diff", "main", "target/harness/before", "--json"], "elsewhere"), 0.5);
    let unknown =
        "no file, folder or baseline is called \"mian\"; nearest: main; known: before, main";
    folder.refuses(&["diff", "mian", "before"], unknown);
    folder.refuses(&["rank", "mian"], unknown);
    // What lies in the current folder is meant first, but only where it holds results.
    let folder = folder.file("main/other.txt", "");
    assert!(folder.prints(&["rank", "main"]).starts_with("target/harness/main/results.jsonl: "));
    let folder = folder.file("main/results.jsonl", rows(3.0));
    assert!(folder.prints(&["rank", "main"]).starts_with("main/results.jsonl: "));
}

/// From the measurement to both commands.
#[test]
fn what_compare_writes_is_read() {
    let folder = Folder::new("whole");
    let few =
        ["compare", "--quick", "--snapshot", "locked-set", "--threshold", "seqlock", "--seed", "7"];
    // The same strategy by a name and by a regular expression is measured once.
    let twice = ["--snapshot", "^lock.d", "--out", "out", "--save", "mine", "--json"];
    let loads = ["--workload", SCAN, "--workload", STANDBY];
    let args = [&few[..], &twice, &loads].concat();
    let output = folder.harness(&args);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(err(&output).contains("saved: target/harness/mine/results.jsonl"), "{}", err(&output));
    let saved = fs::read_to_string(folder.0.join("target/harness/mine/results.jsonl"));
    let saved = saved.expect("the baseline is there");
    assert_eq!(
        saved,
        fs::read_to_string(folder.0.join("out/results.jsonl")).expect("the file is there")
    );
    assert_eq!(fs::read_dir(folder.0.join("out")).expect("the folder is there").count(), 1);
    let (header, rows) = saved.split_once('\n').expect("more than one line");
    assert_eq!(rows, out(&output), "rows only on standard output");
    let rows = lines(rows);
    // The harness alone may stand beside each load.
    let paired = rows.iter().filter(|row| row["snapshot"] != "empty");
    assert_eq!(paired.count(), 4);
    let header: Value = serde_json::from_str(header).expect("JSON");
    for (field, expected) in [
        ("format", json!("snapshot-harness results")),
        ("version", json!(2)),
        ("rounds", json!(3)),
        ("rounds_done", json!(3)),
        ("seed", json!(7)),
        ("os", json!(std::env::consts::OS)),
        ("reference_snapshot", json!("boolean-array(original)")),
        ("reference_threshold", json!("off")),
    ] {
        assert_eq!(header[field], expected, "{field}");
    }
    assert_eq!(header["command"], json!(args));
    let about = header["about_loads"].as_object().expect("what loads do, by name");
    assert_eq!(about.keys().collect::<Vec<_>>(), [SCAN, STANDBY]);
    assert!(about[SCAN].as_str().is_some_and(|about| about.starts_with("scans of a table")));
    assert!(header.get("wrong").is_none(), "nothing was wrong");
    assert!(rows.iter().all(|row| row["millis"].as_u64() > Some(0)));
    assert!(header["cores"].as_u64() > Some(0) && header["date"].is_string());
    let same = lines(&folder.prints(&["diff", "out", "mine", "--json"]));
    assert_eq!(same.len(), rows.len());
    assert!(same.iter().all(|row| row["new_over_old"] == 1.0 && row["intervals_part"] == false));
    // Each of the two pairings has one cell in both loads.
    let ranked = lines(&folder.prints(&["rank", "mine", "--json"]));
    assert_eq!(
        ranked.iter().filter(|line| line["by"] == "pairing" && line["cells"] == 2).count(),
        2
    );
}

/// What a user's own load does goes along in the file: the report needs it no more.
#[test]
fn a_load_of_ones_own_is_described_in_the_report() {
    let folder = Folder::new("own-load");
    let mixed = folder.prints(&["list", "--load", "mixed"]);
    let mine = |line: &str| match line.starts_with("about = ") {
        true => "about = \"what my sessions do\"\n".into(),
        false => format!("{line}\n"),
    };
    let folder = folder.file("mine.toml", mixed.lines().map(mine).collect::<String>());
    folder.prints(&[
        "compare",
        "--quick",
        "--workload",
        "mine.toml",
        "--snapshot",
        "locked-set",
        "--threshold",
        "off",
        "--out",
        "out",
    ]);
    fs::remove_file(folder.0.join("mine.toml")).expect("it is there");
    let printed = folder.prints(&["report", "out"]);
    assert!(printed.contains("\n**mine: what my sessions do**\n"), "{printed}");
}

#[test]
fn a_baseline_has_a_plain_name_and_a_place() {
    let folder = Folder::new("save").file("target", "a file where a folder should be");
    for bad in ["", "../up", "a/b", ".", "a b"] {
        folder.refuses(
            &["compare", "--quick", &format!("--save={bad}")],
            "expected a name of letters",
        );
    }
    folder.refuses(
        &["compare", "--quick", "--save", "main"],
        "harness: target/harness/main/results.jsonl: ",
    );
}

#[test]
fn the_help_says_how_to_begin() {
    let folder = Folder::new("help");
    for (command, says) in [
        (
            "diff",
            &["harness compare --save before", "harness diff before after", "Exit code 0; 1 if"][..],
        ),
        ("rank", &["harness compare --out results && harness rank", "no place"]),
        ("compare", &["--save <NAME>", "harness diff"]),
        ("report", &["--splice README.md --as page-scan", "begin page-scan -->"]),
    ] {
        let help = folder.prints(&[command, "--help"]);
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for says in says {
            assert!(help.contains(says), "{says:?} in {help}");
        }
    }
    let all = folder.prints(&["--help"]);
    assert!(all.contains("  diff ") && all.contains("  rank "), "{all}");
}
