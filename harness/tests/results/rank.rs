//! `rank` on small files.

use serde_json::{Value, json};

use crate::{Folder, SCAN, STANDBY, before_and_after, file, header, lines, row};

#[test]
fn rank_gives_no_place_to_who_lacks_a_load() {
    let mut noisy = row(STANDBY, "bitmap", "off", [7.9, 8.0, 8.1]);
    noisy["noisy"] = true.into();
    let rows = [
        row(SCAN, "csn", "off", [8.9, 9.0, 9.1]),
        row(SCAN, "linked-list", "off", [2.9, 3.0, 3.1]),
        row(STANDBY, "linked-list", "off", [2.9, 3.0, 3.1]),
        row(SCAN, "bitmap", "off", [1.9, 2.0, 2.1]),
        noisy,
    ];
    let folder = Folder::new("rank").file("results/results.jsonl", file(&header(), &rows));
    let printed = folder.prints(&["rank"]);
    let words: Vec<Vec<&str>> =
        printed.lines().map(|line| line.split_whitespace().collect()).collect();
    let at = |words_of: &[&str]| words.iter().position(|row| row == words_of);
    let head =
        ["snapshot", "threshold", "place", "mean", "interval", "of", "best", "cells", "noisy"];
    let start = at(&head).unwrap_or_else(|| panic!("{printed}"));
    assert_eq!(words[start + 1], ["bitmap", "off", "1", "4.00", "3.90–4.10", "1.00", "2", "1"]);
    assert_eq!(
        words[start + 2],
        ["linked-list", "off", "2", "3.00", "2.93–3.07", "0.75", "2", "0"]
    );
    assert_eq!(
        words[start + 3],
        ["csn", "off", "-", "9.00", "8.90–9.10", "-", "1", "of", "2", "0"]
    );
    assert!(printed.contains("Without a place: who lacks cells"), "{printed}");
    assert!(printed.contains("The machine was busy in 1 of 5 rows"), "{printed}");
    assert!(printed.contains("as a multiple of boolean-array(original) × off\n"), "{printed}");
    let on_one = folder.prints(&["rank", "results/results.jsonl", "--workload", SCAN]);
    assert!(!on_one.contains("Without a place") && !on_one.contains("busy"), "{on_one}");
    let by_expression = folder.prints(&["rank", "results/results.jsonl", "--workload", "^page|x"]);
    assert_eq!(by_expression, on_one);
    let best: Vec<Value> = lines(&folder.prints(&["rank", "--json", "--workload", SCAN]));
    assert_eq!((&best[0]["snapshot"], &best[0]["place"]), (&json!("csn"), &json!(1)));
}

#[test]
fn rank_prints_json_lines() {
    let folder = before_and_after("rank-json");
    let all = lines(&folder.prints(&["rank", "old", "--json"]));
    let by: Vec<&Value> = all.iter().map(|line| &line["by"]).collect();
    assert_eq!(
        by,
        ["pairing", "pairing", "pairing", "snapshot", "snapshot", "threshold", "threshold"]
    );
    let first = &all[0];
    assert_eq!(
        (&first["place"], &first["snapshot"], &first["threshold"]),
        (&json!(1), &json!("bitmap"), &json!("off"))
    );
    assert_eq!(
        (&first["cells"], &first["all_cells"], &first["noisy_cells"]),
        (&json!(2), &json!(2), &json!(0))
    );
    assert_eq!(
        (&first["geometric_mean_ratio"], &first["share_of_best"]),
        (&json!(2.0), &json!(1.0))
    );
    let ends =
        ["geometric_mean_ratio_low", "geometric_mean_ratio_high"].map(|end| first[end].as_f64());
    assert!(ends[0] > Some(1.0) && ends[0] < Some(2.0) && ends[1] > Some(2.0), "{first}");
    assert_eq!((&all[1]["place"], &all[1]["share_of_best"]), (&Value::Null, &Value::Null));
    assert_eq!((&all[1]["cells"], &all[1]["all_cells"]), (&json!(1), &json!(2)));
    assert!(all[3].get("threshold").is_none() && all[5].get("snapshot").is_none());
}

/// A broken strategy gives answers that the others may not give, and the empty one gives none.
#[test]
fn rank_tells_apart_who_breaks_a_law() {
    let mut broken = row(SCAN, "bitmap", "relaxed", [98.0, 99.0, 100.0]);
    broken["breaks"] = json!(["law 7"]);
    let rows = [
        row(SCAN, "bitmap", "off", [1.9, 2.0, 2.1]),
        broken,
        row(SCAN, "empty", "off", [49.0, 50.0, 51.0]),
    ];
    let folder = Folder::new("rank-laws")
        .file("results.jsonl", file(&header(), &rows))
        .file("broken.jsonl", file(&header(), &rows[1..2]))
        .file("empty.jsonl", file(&header(), &rows[2..]));
    let printed = folder.prints(&["rank", "results.jsonl"]);
    let (ranked, apart) = printed.split_once("Not ranked, since it breaks a law:\n").expect("both");
    assert!(ranked.contains("bitmap") && !ranked.contains("relaxed"), "{printed}");
    assert!(!printed.contains("empty") && !printed.contains("Without a place"), "{printed}");
    let words: Vec<&str> = apart.lines().nth(1).unwrap_or("").split_whitespace().collect();
    assert_eq!(words, ["bitmap", "relaxed", "99.00", "98.00–100.00", "1", "law", "7"]);
    let all = lines(&folder.prints(&["rank", "results.jsonl", "--json"]));
    let breaks: Vec<&Value> = all.iter().filter_map(|line| line.get("breaks")).collect();
    assert_eq!((all.len(), breaks), (4, vec![&json!(["law 7"])]));
    let alone = folder.prints(&["rank", "broken.jsonl"]);
    assert!(alone.contains("Not ranked") && !alone.contains("place"), "{alone}");
    let nothing = folder.prints(&["rank", "empty.jsonl"]);
    assert!(nothing.ends_with("No rows: there is nothing to rank.\n"), "{nothing}");
}
