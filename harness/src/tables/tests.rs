use super::*;
use crate::results::{
    Wrong,
    row::{Latency, Parameter, Shares},
    sample::{header, row, standby, wrong},
};

const REFERENCE: &str = "boolean-array(original)";

fn sections(rows: &[Row], wrong: &[Wrong]) -> Vec<Section> {
    let describe = |name: &str| (name == "page-scan").then(|| "scans of a table".to_owned());
    let header = header();
    Source { header: &header, rows, wanted: &|_| true, wrong, describe: &describe }.sections()
}

/// The one section's text, each line in words.
fn words(rows: &[Row], wrong: &[Wrong]) -> Vec<String> {
    let sections = sections(rows, wrong);
    assert_eq!(sections.len(), 1);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    sections[0].text().lines().map(words).collect()
}

fn point(page_work: f64, threads: usize, row: Row) -> Row {
    let parameters = [("page-work", page_work), ("pages", 256.0)];
    let parameters =
        parameters.map(|(name, value)| (name.to_owned(), Parameter::Number(value))).into();
    Row { parameters, threads, ..row }
}

#[test]
fn several_thresholds_are_columns() {
    let rows = [
        row(REFERENCE, "off", 1.0),
        row(REFERENCE, "mutex", 0.5),
        Row { noisy: true, ..row("csn", "off", 2.0) },
        Row { breaks: vec!["law 7".into()], ..row("torn", "mutex", 3.0) },
        Row { breaks: vec!["law 7".into()], ..row("worn", "mutex", 3.0) },
        row("empty", "off", 10.0),
        Row { peer: true, ..row("rwlock-btreeset", "off", 0.25) },
    ];
    assert_eq!(
        words(&rows, &[wrong("csn", "mutex"), Wrong { threads: 4, ..wrong("csn", "rcu") }]),
        [
            "page-scan: scans of a table",
            "2 threads, 7 rounds of 120 ms.",
            "Throughput as a multiple of boolean-array(original) with the threshold off (1 000 000 operations/s).",
            "snapshot off mutex take% vis% thr% p50 ns p99 ns",
            "boolean-array(original) 1.00 0.50 50 25 12 100 200",
            "csn 2.00~ wrong 50 25 12 100 200",
            "torn† - 3.00 - - - - -",
            "worn† - 3.00 - - - - -",
            "off the shelf, to compare with:",
            "rwlock-btreeset 0.25 - 50 25 12 100 200",
            "no strategy, the harness alone:",
            "empty 10.00 - 50 25 12 100 200",
            "take%, vis%, thr%, p50 ns, p99 ns: with the threshold off.",
            "The reference against itself: 1.00 (0.95 to 1.05, 7 times). Half of the ratios are known within ±5%: two that differ by less \
             may do so by chance.",
            "The harness alone takes 10% of the reference's time an operation.",
            "† torn and worn break law 7: measured for comparison alone.",
            "The machine was busy in 1 of 7 rows (~): stop what else runs, and measure again.",
            "wrong: csn × mutex: id 7 is visible",
        ]
    );
}

#[test]
fn one_threshold_leaves_room_for_all_that_is_known() {
    let full = Row {
        shares: Shares { waiting: Some(0.75), ..row("csn", "off", 1.0).shares },
        intended: Some(Latency { p99_ns: 12_345, max_ns: 12_345, ..Latency::default() }),
        late: Some(1.0),
        skipped: Some(2.0),
        fairness: 0.5,
        lock_waits: 1234.0,
        bytes: Some(2560),
        lag_ms: Some(4.0),
        beside_per_s: Some(5000.0),
        too_old: Some(0.25),
        while_open: Some(0.5),
        ..row("csn", "off", 2.0)
    };
    let lines = words(&[row(REFERENCE, "off", 1.0), full], &[]);
    let all = "take% vis% thr% wait% p50 ns p99 ns fair waits open lag ms old% beside/s intended p99 late skipped KiB";
    assert_eq!(lines[3], format!("snapshot ratio interval {all}"));
    assert_eq!(
        lines[4],
        "boolean-array(original) 1.00 0.95–1.05 50 25 12 - 100 200 1.00 0 - - - - - - - -"
    );
    assert_eq!(
        lines[5],
        "csn 2.00 1.90–2.10 50 25 12 75 100 200 0.50 1 234 0.50 4.0 25 5 000 12 345 1 2 2.5"
    );
    // What no row has is no column; where the thresholds differ they are told.
    let rows = [row(REFERENCE, "off", 1.0), row("csn", "mutex", 2.0)];
    let lines = words(&rows, &[wrong("locked-set", "mutex")]);
    assert_eq!(
        lines[3..7],
        [
            "snapshot threshold ratio interval take% vis% thr% p50 ns p99 ns fair waits",
            "boolean-array(original) off 1.00 0.95–1.05 50 25 12 100 200 1.00 0",
            "csn mutex 2.00 1.90–2.10 50 25 12 100 200 1.00 0",
            "locked-set mutex wrong - - - - - - - -",
        ]
    );
}

/// The reference is measured with its own threshold beside the one that all others have.
#[test]
fn the_references_own_threshold_makes_no_columns() {
    let rows =
        [row(REFERENCE, "off", 1.0), row(REFERENCE, "seqlock", 1.0), row("csn", "seqlock", 2.0)];
    let lines = words(&rows, &[]);
    assert!(lines[3].starts_with("snapshot threshold ratio"), "{lines:?}");
    assert!(lines[5].starts_with("boolean-array(original) seqlock 1.00"), "{lines:?}");
}

/// Beside thresholds stands what is known of the one that most have.
#[test]
fn what_is_told_is_of_the_threshold_that_most_have() {
    let slow = |snapshot, threshold| Row {
        latency: Latency {
            p50_ns: 7,
            p95_ns: 7,
            p99_ns: 7,
            p999_ns: 7,
            max_ns: 7,
            ..Latency::default()
        },
        ..row(snapshot, threshold, 1.0)
    };
    let rows = [
        row(REFERENCE, "off", 1.0),
        slow("csn", "mutex"),
        slow("csn", "rcu"),
        slow("bitmap", "mutex"),
    ];
    let lines = words(&rows, &[]);
    assert_eq!(lines[5], "csn - 1.00 1.00 50 25 12 7 7");
    assert_eq!(lines[7], "take%, vis%, thr%, p50 ns, p99 ns: with the threshold mutex.");
}

#[test]
fn a_sweep_is_a_line_for_each_point() {
    let fast = |row: Row| Row { ops_per_s: 2e6, ..row };
    let rows = [
        point(4.0, 2, row(REFERENCE, "off", 1.0)),
        point(4.0, 2, row("csn", "off", 2.0)),
        point(4.0, 2, row("empty", "off", 4.0)),
        point(4.0, 32, fast(row(REFERENCE, "off", 1.2))),
        point(4.0, 32, row("csn", "off", 3.0)),
        point(4.0, 32, Row { breaks: vec!["law 7".into()], ..row("bitmap", "off", 1.5) }),
    ];
    let parameters = rows[0].parameters.clone();
    assert_eq!(
        words(&rows, &[Wrong { parameters, ..wrong("bitmap", "off") }]),
        [
            "page-scan: scans of a table",
            "7 rounds of 120 ms, page-work=4 pages=256.",
            "Throughput as a multiple of boolean-array(original) with the threshold off at the same point.",
            "threads reference/s harness% csn bitmap†",
            "2 1 000 000 25 2.00 wrong",
            "32 2 000 000 - 3.00 1.50",
            "The reference against itself: 1.20 (1.14 to 1.26, 7 times) at worst. Half of the ratios are known within ±5%: two that differ by less \
             may do so by chance.",
            "† bitmap breaks law 7: measured for comparison alone.",
            "More threads (32) than 2 cores: what is seen is holders of locks that lose their core, not contention. For \
             contention measure where there are more cores.",
            "wrong: bitmap × off at threads=2: id 7 is visible",
        ]
    );
}

#[test]
fn a_sweep_tells_lag_and_the_open_transaction_too() {
    let replay = |value, ratio: f64, snapshot| Row {
        lag_ms: Some(ratio * 10.0),
        ..point(value, 1, standby(snapshot, "off", ratio))
    };
    let rows = [
        replay(1.0, 1.0, REFERENCE),
        replay(1.0, 2.0, "csn"),
        replay(8.0, 1.0, REFERENCE),
        replay(8.0, 3.0, "csn"),
        Row { threshold: "rcu".into(), ..replay(8.0, 4.0, "csn") },
    ];
    let lines = words(&rows, &[]);
    assert_eq!(
        lines[..17],
        [
            "standby-long-transaction",
            "1 thread, 7 rounds of 120 ms, pages=256.",
            "Throughput as a multiple of boolean-array(original) with the threshold off at the same point.",
            "page-work reference/s csn × off csn × rcu",
            "1 1 000 000 2.00 -",
            "8 1 000 000 3.00 4.00",
            "open:",
            "",
            "page-work reference csn × off csn × rcu",
            "1 0.90 0.90 -",
            "8 0.90 0.90 0.90",
            "lag ms:",
            "",
            "page-work reference csn × off csn × rcu",
            "1 10.0 20.0 -",
            "8 10.0 30.0 40.0",
            "The reference against itself: 1.00 (0.95 to 1.05, 7 times) at worst. Half of the ratios are known within ±5%: two that differ by less \
             may do so by chance.",
        ]
    );
    assert_eq!(
        legend(&sections(&rows, &[])),
        [
            "open: throughput while the long transaction is open over that before and after",
            "lag ms: how far the replayer was behind its schedule at worst"
        ]
    );
}

/// More pairings than fit beside each other.
#[test]
fn a_sweep_of_many_pairings_is_a_table_for_each_point() {
    let of_point = |threads| {
        let others = (0..9).map(|number| row(&format!("strategy-{number}"), "off", 2.0));
        let rows = std::iter::once(row(REFERENCE, "off", 1.0)).chain(others);
        rows.map(move |row| point(4.0, threads, row))
    };
    let rows: Vec<Row> = of_point(1).chain(of_point(2)).collect();
    let all = sections(&rows, &[]);
    let titles: Vec<&str> = all.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(
        titles,
        ["page-scan threads=1: scans of a table", "page-scan threads=2: scans of a table"]
    );
    assert!(all[1].about[0].starts_with("2 threads, "), "{:?}", all[1].about);
    assert_eq!(sections(&rows[..rows.len() - 10], &[])[0].title, "page-scan: scans of a table");
    let few: Vec<Row> = rows.into_iter().filter(|row| row.snapshot != "strategy-0").collect();
    assert_eq!(sections(&few, &[]).len(), 1);
}

/// A load may have a reference of its own: rows say which, whatever the header says.
#[test]
fn rows_say_what_their_load_is_a_multiple_of() {
    let own = Row { is_reference: true, ..row("csn", "off", 1.0) };
    let rows = [row(REFERENCE, "off", 0.5), own, row("bitmap", "off", 2.0)];
    let text = sections(&rows, &[])[0].text();
    assert!(text.contains("as a multiple of csn with the threshold off (1 000 000 "), "{text}");
    assert!(text.contains("against itself: 1.00 (0.95 to 1.05, 7 times)"), "{text}");
}

/// What is not shown still is what the others are multiples of.
#[test]
fn the_reference_and_the_harness_count_though_they_are_not_shown() {
    let rows = [row(REFERENCE, "off", 1.0), row("csn", "off", 2.0), row("empty", "off", 4.0)];
    let header = header();
    let of = |rows: &[Row]| {
        let wanted = |row: &Row| row.snapshot == "csn";
        let source =
            Source { header: &header, rows, wanted: &wanted, wrong: &[], describe: &|_| None };
        source.sections()[0].text()
    };
    let text = of(&rows);
    for says in [
        "(1 000 000 operations/s)",
        "against itself: 1.00 (0.95 to 1.05, 7 times)",
        "alone takes 25%",
    ] {
        assert!(text.contains(says), "{says:?} in {text}");
    }
    assert!(!text.contains("empty"), "{text}");
    // A file may lack them.
    let text = of(&rows[1..2]);
    assert!(text.contains("with the threshold off.\n") && !text.contains("alone"), "{text}");
}

#[test]
fn markdown_has_the_numbers_of_the_text() {
    let rows = [row(REFERENCE, "off", 1.0), row("a_b*", "mutex", 0.5), row("a_b*", "off", 2.0)];
    let markdown = sections(&rows, &[])[0].markdown();
    let expected = [
        "**page-scan: scans of a table**",
        "",
        "2 threads, 7 rounds of 120 ms.",
        "Throughput as a multiple of boolean-array(original) with the threshold off (1 000 000 operations/s).",
        "",
        "| snapshot                |  off | mutex | take% | vis% | thr% | p50 ns | p99 ns |",
        "|-------------------------|-----:|------:|------:|-----:|-----:|-------:|-------:|",
        "| boolean-array(original) | 1.00 |     - |    50 |   25 |   12 |    100 |    200 |",
        r"| a_b\*                   | 2.00 |  0.50 |    50 |   25 |   12 |    100 |    200 |",
        "",
        "take%, vis%, thr%, p50 ns, p99 ns: with the threshold off.",
        "The reference against itself: 1.00 (0.95 to 1.05, 7 times). Half of the ratios are known within ±5%: two that differ by less \
             may do so by chance.",
    ];
    assert_eq!(markdown, expected.join("\n") + "\n");
}

/// Where no cell of a load was right there is no table of it.
#[test]
fn what_was_wrong_of_loads_without_rows_is_told() {
    let rows = [row(REFERENCE, "off", 1.0), standby(REFERENCE, "off", 1.0)];
    let crowded = Wrong { threads: 64, ..wrong("csn", "off") };
    let wrong = [wrong("csn", "off"), crowded];
    let header = header();
    let elsewhere = |wanted: &dyn Fn(&Row) -> bool| {
        let source =
            Source { header: &header, rows: &rows, wanted, wrong: &wrong, describe: &|_| None };
        source.wrong_elsewhere()
    };
    let line = "wrong: page-scan csn × off: id 7 is visible";
    assert_eq!(elsewhere(&|_| true), [line]);
    assert_eq!(elsewhere(&|row| row.threads == 1), [line, line]);
}
