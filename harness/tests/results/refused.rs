//! Files that are none, and files of nothing.

use std::fs;

use crate::{Folder, SCAN, file, header, lines, row};

#[test]
fn files_that_are_none_are_refused() {
    let good = file(&header(), &[row(SCAN, "bitmap", "off", [1.9, 2.0, 2.1])]);
    let version = good.replace("\"version\":2", "\"version\":1");
    let (_, headless) = good.split_once('\n').expect("two lines");
    let broken = good.replace("\"ratio\":2.0", "\"ratio\":\"2\"");
    let twice = format!("{good}{headless}");
    let folder = Folder::new("bad").file("good.jsonl", &good).file("folder/other.txt", "");
    for (text, says) in [
        ("", "bad.jsonl: the file is empty; expected a header and rows"),
        (&version, "bad.jsonl:1: expected version 2 of the format, found 1"),
        (headless, "bad.jsonl:1: expected the header of a file of results"),
        (
            &broken,
            "bad.jsonl:2: expected a row of results; invalid type: string \"2\", expected f64",
        ),
        (
            &good.replace("\"fairness\":1.0", "\"fairness\":2.0"),
            "bad.jsonl:2: expected fairness between 0 and 1, found 2",
        ),
        (&twice, "bad.jsonl:3: expected one row for each workload"),
        (
            &good[..good.len() - 30],
            "bad.jsonl:2: expected a row of results; the file was cut off within this line",
        ),
        (&good[..20], "bad.jsonl:1: expected the header of a file of results"),
        (&good.replace("}\n", "}}\n"), "bad.jsonl:1: expected the header"),
        ("PK\u{3}\u{4}\n", "bad.jsonl:1: expected the header"),
    ] {
        fs::write(folder.0.join("bad.jsonl"), text).expect("a file");
        for args in [
            &["diff", "bad.jsonl", "good.jsonl"][..],
            &["diff", "good.jsonl", "bad.jsonl", "--json"],
            &["rank", "bad.jsonl"],
            &["report", "bad.jsonl"],
        ] {
            folder.refuses(args, says);
        }
    }
    folder.refuses(&["rank", "folder"], "folder: expected results.jsonl in this folder");
    folder.refuses(
        &["rank", "no/such/file.jsonl"],
        "no/such/file.jsonl: no such file; expected results.jsonl",
    );
    folder.refuses(&["rank"], "no file, folder or baseline is called \"results\"; there are no baselines in target/harness");
    folder.refuses(&["diff", "good.jsonl"], "<NEW>");
    let without_last_end = Folder::new("no-end").file("good.jsonl", good.trim_end());
    assert_eq!(lines(&without_last_end.prints(&["rank", "good.jsonl", "--json"])).len(), 3);
}

#[test]
fn files_of_no_rows_are_no_mistake() {
    let folder = Folder::new("no-rows").file("none.jsonl", file(&header(), &[]));
    assert!(
        folder.prints(&["rank", "none.jsonl"]).ends_with("No rows: there is nothing to rank.\n")
    );
    assert_eq!(folder.prints(&["rank", "none.jsonl", "--json"]), "");
    assert!(
        folder.prints(&["diff", "none.jsonl", "none.jsonl"]).contains("\n0 rows in both: 0 faster")
    );
    assert_eq!(folder.prints(&["diff", "none.jsonl", "none.jsonl", "--json"]), "");
    folder
        .refuses(&["diff", "none.jsonl", "none.jsonl", "--fail-below", "0.9"], "nothing to judge");
    folder.refuses(
        &["rank", "none.jsonl", "--workload", SCAN],
        "no workload is called or matches \"page-scan\"; there are no rows",
    );
}
