//! Cells that have no row, since an answer was wrong: what each command says of them.

use std::fs;

use crate::{Folder, SCAN, STANDBY, err, file, header, header_with, lines, out, row, wrong};

const REFERENCE: &str = "boolean-array(original)";

/// Nothing is wrong in one file; in the other one pairing of a load, one of all loads, and all of a load.
fn folder(name: &str) -> Folder {
    let rows = [
        row(SCAN, REFERENCE, "off", [0.9, 1.0, 1.1]),
        row(SCAN, "csn", "off", [1.9, 2.0, 2.1]),
        row(SCAN, REFERENCE, "mutex", [0.9, 1.0, 1.1]),
    ];
    let wrong =
        [wrong(SCAN, "csn", "mutex"), wrong(SCAN, "my_array", "off"), wrong(STANDBY, "csn", "off")];
    Folder::new(name)
        .file("good/results.jsonl", file(&header(), &rows))
        .file("bad/results.jsonl", file(&header_with(&wrong), &rows))
}

#[test]
fn report_shows_what_was_wrong() {
    let folder = folder("wrong-report");
    let printed = folder.prints(&["report", "bad"]);
    let words = printed.replace(['|', ' '], "");
    for says in [
        "\ncsn2.00wrong",
        "\nmy_arraywrong-",
        "\nwrong:csn×mutex:id7isvisible\nwrong:my_array×off:id7isvisible\n",
        "\n\nwrong:standby-long-transactioncsn×off:id7isvisible\n",
    ] {
        assert!(words.contains(says), "{says:?} in {words}");
    }
    // Only what is asked for, and also that which is only wrong.
    let printed = folder.prints(&["report", "bad", "--workload", SCAN, "--snapshot", "csn"]);
    let notes: Vec<&str> = printed.lines().filter(|line| line.starts_with("wrong: ")).collect();
    assert_eq!(notes, ["wrong: csn × mutex: id 7 is visible"], "{printed}");
    let printed = folder.prints(&["report", "bad", "--snapshot", "my_array"]);
    assert!(
        printed.ends_with("\n\nNo rows.\n\nwrong: page-scan my_array × off: id 7 is visible\n"),
        "{printed}"
    );
    assert!(!folder.prints(&["report", "good"]).contains("wrong"));
}

#[test]
fn diff_warns_of_the_side_that_has_wrong_cells() {
    let folder = folder("wrong-diff");
    let warned = |args: &[&str]| {
        let output = folder.harness(args);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        err(&output)
    };
    let all = "3 cells were left out for wrong answers, the first page-scan csn × mutex: id 7 is visible\n";
    for (args, expected) in [
        (&["diff", "good", "bad"][..], format!("warning: bad/results.jsonl: {all}")),
        (&["diff", "bad", "good", "--json"], format!("warning: bad/results.jsonl: {all}")),
        (
            &["diff", "good", "bad", "--snapshot", "my_array"],
            "warning: bad/results.jsonl: 1 cell was left out for a wrong answer: \
             page-scan my_array × off: id 7 is visible\n"
                .into(),
        ),
        (&["diff", "good", "bad", "--snapshot", REFERENCE], String::new()),
        (&["diff", "good", "good"], String::new()),
    ] {
        assert_eq!(warned(args), expected, "{args:?}");
    }
}

#[test]
fn rank_says_that_cells_are_wrong() {
    let folder = folder("wrong-rank");
    let says = "\n2 cells were left out for wrong answers, the first page-scan csn × mutex: id 7 is visible\n";
    let ranked = folder.prints(&["rank", "bad", "--workload", SCAN]);
    assert!(ranked.contains(says), "{ranked}");
    assert!(!folder.prints(&["rank", "good"]).contains("left out"));
    let output = folder.harness(&["rank", "bad", "--json", "--workload", SCAN]);
    assert_eq!(err(&output), format!("warning: {}", says.trim_start()));
    assert_eq!(out(&output), folder.prints(&["rank", "good", "--json"]));
    assert!(!lines(&out(&output)).is_empty());
}

#[test]
fn wrong_cells_that_cannot_be_are_refused() {
    let text = file(&header_with(&[wrong(SCAN, "csn", "off")]), &[]);
    let folder = Folder::new("wrong-bad").file("bad.jsonl", "").file("good.jsonl", &text);
    let place = "bad.jsonl:1: expected a cell that was wrong, number 1 of the header's; ";
    for (from, to, says) in [
        ("\"threads\":2,", "", format!("{place}missing field `threads`")),
        ("\"threads\":2", "\"threads\":0", format!("{place}expected threads to be no less than 1")),
        (
            "\"wrong\":[",
            "\"wrong\":7,\"was\":[",
            "bad.jsonl:1: expected wrong in the header to be a list".into(),
        ),
    ] {
        fs::write(folder.0.join("bad.jsonl"), text.replacen(from, to, 1)).expect("a file");
        for args in [
            &["diff", "good.jsonl", "bad.jsonl"][..],
            &["rank", "bad.jsonl"],
            &["report", "bad.jsonl"],
        ] {
            folder.refuses(args, &says);
        }
    }
}
