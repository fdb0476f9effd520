//! `report`: Markdown out of small files, and into others.

use std::fs;

use serde_json::{Value, json};

use crate::{Folder, SCAN, STANDBY, err, file, header, out, row};

const REFERENCE: &str = "boolean-array(original)";

fn rows() -> Vec<Value> {
    vec![
        row(SCAN, REFERENCE, "off", [0.9, 1.0, 1.1]),
        row(SCAN, "csn", "off", [1.9, 2.0, 2.1]),
        row(SCAN, "csn", "mutex", [0.9, 1.0, 1.1]),
        row(STANDBY, REFERENCE, "off", [0.9, 1.0, 1.1]),
        row(STANDBY, "csn", "off", [3.9, 4.0, 4.1]),
    ]
}

fn folder(name: &str) -> Folder {
    Folder::new(name)
        .file("results/results.jsonl", file(&header(), &rows()))
        .file("README.md", format!("# Mine\n\n{}\n{}end\n", place(""), place(" scan")))
}

fn place(name: &str) -> String {
    format!("<!-- results: begin{name} -->\nold\n<!-- results: end{name} -->\n")
}

#[test]
fn report_prints_markdown() {
    let printed = folder("report").prints(&["report"]);
    let expected = [
        "Measured 2023-02-17T06:30:00Z, 2 cores of Some CPU (linux, x86_64), 7 rounds of 120 ms, by `harness compare --out old`.",
        "",
        "**page-scan: scans of a table, ",
    ];
    assert!(printed.starts_with(&expected.join("\n")), "{printed}");
    for says in [
        "| csn                     | 2.00 |  1.00 |",
        "|-------------------------|-----:|------:|",
        "\n**standby-long-transaction: snapshots of a standby",
        "| csn                     |  4.00 | 3.90–4.10 |",
        "take%: share of the threads' time in take; vis%: in visibility tests; ",
        "The reference against itself: 1.00 (0.90 to 1.10, 7 times).",
    ] {
        assert!(printed.contains(says), "{says:?} in {printed}");
    }
    assert!(!printed.contains("\n\n\n") && printed.ends_with(".\n"), "{printed}");
}

#[test]
fn report_shows_the_rows_that_are_wanted() {
    let folder = folder("report-some");
    let printed = folder.prints(&[
        "report",
        "results/results.jsonl",
        "--workload",
        SCAN,
        "--threshold",
        "mutex",
    ]);
    assert!(printed.contains("| csn      |  1.00 |") && !printed.contains(STANDBY), "{printed}");
    assert!(printed.contains("(1 000 000 operations/s)"), "the reference still is one: {printed}");
    folder.refuses(
        &["report", "--snapshot", "cns"],
        "no snapshot strategy is called or matches \"cns\"; nearest: csn",
    );
    folder.refuses(&["report", "nothing"], "no file, folder or baseline is called \"nothing\"");
}

/// A sweep is one table, its points the lines.
#[test]
fn report_shows_a_sweep() {
    let at = |threads: u64, row: Value| {
        let mut row = row;
        row["threads"] = threads.into();
        row
    };
    let rows = [
        at(1, row(SCAN, REFERENCE, "off", [0.9, 1.0, 1.1])),
        at(1, row(SCAN, "csn", "off", [1.9, 2.0, 2.1])),
        at(2, row(SCAN, REFERENCE, "off", [0.9, 1.0, 1.1])),
        at(2, row(SCAN, "csn", "off", [2.9, 3.0, 3.1])),
    ];
    let folder = Folder::new("report-sweep").file("results.jsonl", file(&header(), &rows));
    let printed = folder.prints(&["report", "results.jsonl"]);
    let table = "| threads | reference/s |  csn |\n\
                 |--------:|------------:|-----:|\n\
                 |       1 |   1 000 000 | 2.00 |\n\
                 |       2 |   1 000 000 | 3.00 |\n";
    assert!(printed.contains(table), "{printed}");
}

/// As the file says; a file from before leaves it to the program, which knows its own loads.
#[test]
fn report_says_what_loads_do() {
    let rows = [
        row(SCAN, REFERENCE, "off", [0.9, 1.0, 1.1]),
        row("mine", REFERENCE, "off", [0.9, 1.0, 1.1]),
    ];
    let mut told = header();
    told["about_loads"] = json!({ SCAN: "", "mine": "what *my* sessions do" });
    let folder = Folder::new("report-about")
        .file("told.jsonl", file(&told, &rows))
        .file("before.jsonl", file(&header(), &rows));
    let titles = |name: &str| -> Vec<String> {
        let printed = folder.prints(&["report", name]);
        printed.lines().filter(|line| line.starts_with("**")).map(String::from).collect()
    };
    assert_eq!(titles("told.jsonl"), ["**page-scan**", r"**mine: what \*my\* sessions do**"]);
    let before = titles("before.jsonl");
    assert!(before[0].starts_with("**page-scan: scans of a table, "), "{before:?}");
    assert_eq!(before[1..], ["**mine**"]);
    told["about_loads"] = json!({ "mine": 7 });
    let folder = folder.file("bad.jsonl", file(&told, &rows));
    folder.refuses(
        &["report", "bad.jsonl"],
        "bad.jsonl:1: expected about_loads in the header to say in a text",
    );
}

#[test]
fn report_goes_into_a_file() {
    let folder = folder("splice");
    let readme = || fs::read_to_string(folder.0.join("README.md")).expect("the file is there");
    let whole = folder.prints(&["report"]);
    let scan = folder.prints(&["report", "--workload", SCAN]);
    let into = ["report", "--splice", "README.md"];
    let into_scan = [&into[..], &["--as", "scan", "--workload", SCAN]].concat();
    let stale = folder.harness(&[&into[..], &["--check"]].concat());
    assert_eq!((stale.status.code(), out(&stale)), (Some(1), String::new()));
    assert!(err(&stale).starts_with("README.md: what stands between"), "{}", err(&stale));
    assert!(readme().contains("\nold\n"), "a check changes nothing");
    assert_eq!(folder.prints(&into), "");
    assert_eq!(folder.prints(&into_scan), "");
    let expected = format!(
        "# Mine\n\n<!-- results: begin -->\n\n{whole}\n<!-- results: end -->\n\n\
         <!-- results: begin scan -->\n\n{scan}\n<!-- results: end scan -->\nend\n"
    );
    assert_eq!(readme(), expected);
    for args in [&into[..], &into_scan] {
        assert_eq!(folder.prints(&[args, &["--check"]].concat()), "");
    }
    assert_eq!(readme(), expected, "again is the same");
    let names: Vec<_> = fs::read_dir(&folder.0)
        .expect("the folder")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(names.len(), 2, "nothing is left beside it: {names:?}");
    // Other results, or a number changed by hand.
    fs::write(folder.0.join("README.md"), expected.replacen("2.00", "9.00", 1)).expect("a file");
    assert_eq!(folder.harness(&[&into[..], &["--check"]].concat()).status.code(), Some(1));
}

#[test]
fn a_file_that_is_unclear_stays_as_it_was() {
    let folder = folder("splice-bad")
        .file("none.jsonl", file(&header(), &[]))
        .file("binary.md", [0xFF, 0xFE, b'\n'])
        .file("bad.md", "");
    for (text, says) in [
        ("# Mine\n", "bad.md: expected a line <!-- results: begin -->, and there is none"),
        (
            "<!-- results: begin -->\n",
            "bad.md: expected a line <!-- results: end -->, and there is none",
        ),
        (
            "<!-- results: end -->\n<!-- results: begin -->\n",
            "bad.md:1: expected <!-- results: begin --> before this",
        ),
        (
            "<!-- results: begin -->\n<!-- results: begin -->\n<!-- results: end -->\n",
            "bad.md:2: expected one <!-- results: begin -->, not a second one",
        ),
        (
            "<!-- results: begin -->\n<!-- results: begin b -->\n<!-- results: end -->\n<!-- results: end b -->\n",
            "bad.md:2: expected <!-- results: end --> before another marker",
        ),
    ] {
        fs::write(folder.0.join("bad.md"), text).expect("a file");
        folder.refuses(&["report", "--splice", "bad.md"], says);
        folder.refuses(&["report", "--splice", "bad.md", "--check"], says);
        assert_eq!(fs::read_to_string(folder.0.join("bad.md")).expect("a file"), text);
    }
    folder.refuses(
        &["report", "--splice", "README.md", "--as", "other"],
        "begin other -->, and there is none; there are",
    );
    folder.refuses(&["report", "--splice", "binary.md"], "binary.md: expected text in UTF-8");
    folder.refuses(&["report", "--splice", "missing.md"], "missing.md: ");
    folder.refuses(
        &["report", "none.jsonl", "--splice", "README.md"],
        "none.jsonl: no row is wanted",
    );
    folder.refuses(&["report", "--as", "scan"], "--splice <FILE>");
    folder.refuses(&["report", "--check"], "--splice <FILE>");
    folder
        .refuses(&["report", "--splice", "README.md", "--as", "a b"], "expected a name of letters");
    assert!(folder.prints(&["report", "none.jsonl"]).ends_with("\n\nNo rows.\n"));
}

/// Whatever a file of results says, the table stays one.
#[test]
fn names_in_a_file_break_no_markdown() {
    let mut header = header();
    header["command"] = json!(["compare", "--out", "a`b\n|"]);
    let rows = [
        row(SCAN, REFERENCE, "off", [0.9, 1.0, 1.1]),
        row(SCAN, "a|b\n<i>", "off", [0.9, 1.0, 1.1]),
    ];
    let folder = Folder::new("report-names").file("results.jsonl", file(&header, &rows));
    let printed = folder.prints(&["report", "results.jsonl"]);
    assert!(printed.contains("by `` harness compare --out 'a`b |' ``.\n"), "{printed}");
    assert!(printed.contains(r"| a\|b \<i\>"), "{printed}");
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_link_and_who_may_read_it() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = folder("splice-link");
    let readme = folder.0.join("README.md");
    fs::set_permissions(&readme, fs::Permissions::from_mode(0o640)).expect("it is ours");
    symlink("README.md", folder.0.join("link.md")).expect("a link");
    assert_eq!(folder.prints(&["report", "--splice", "link.md"]), "");
    let link = fs::symlink_metadata(folder.0.join("link.md")).expect("it is there");
    assert!(link.is_symlink());
    assert_eq!(fs::metadata(&readme).expect("it is there").permissions().mode() & 0o777, 0o640);
    assert!(fs::read_to_string(&readme).expect("it is there").contains("Measured 2023"));
}
