//! Whatever is wrong with a trace is said with file, line and what was expected, and nothing panics.

mod common;

use std::io::{Cursor, Read};

use common::{error, gunzip, gzip, numbered};
use harness::{
    locked_set::LockedSet,
    oracle::RowReader,
    standby::Rule,
    trace::{LINE_LIMIT, Problem, TraceError, TraceReader},
};

/// The error that reading these bytes ends with.
fn reading(bytes: impl Into<Vec<u8>>) -> TraceError {
    let mut reader = TraceReader::new(Cursor::new(bytes.into()), "trace").unwrap();
    loop {
        match reader.next_event() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("read to the end"),
            Err(error) => return error,
        }
    }
}

/// A good line, then this one.
fn line(line: &str) -> TraceError {
    reading(format!("0/28 init 100 100\n{line}\n"))
}

#[test]
fn malformed_lines() {
    let kinds = "expected one blank and a known kind";
    let xid = "expected a transaction id from 3 to 4294967295";
    let end = "expected the end of the line";
    for (text, column, message) in [
        ("", 1, "expected an LSN"),
        ("garbage", 1, "expected an LSN"),
        ("0/ assign 100", 1, "expected an LSN"),
        ("0/123456789 assign 100", 1, "expected an LSN"),
        ("0/G0 assign 100", 1, "expected an LSN"),
        (" 0/68 assign 100", 1, "expected an LSN"),
        ("0/68", 5, kinds),
        ("0/68 ", 5, kinds),
        ("0/68 assign", 5, kinds),
        ("0/68 vanish 100", 5, kinds),
        ("0/68  assign 100", 5, kinds),
        ("0/68\tassign 100", 5, kinds),
        ("0/68 ASSIGN 100", 5, kinds),
        ("0/68 assign ", 13, xid),
        ("0/68 assign 0", 13, xid),
        ("0/68 assign 1", 13, xid),
        ("0/68 assign 2", 13, xid),
        ("0/68 assign 4294967296", 13, xid),
        ("0/68 assign 42949672950", 13, xid),
        ("0/68 assign 99999999999999999999999", 13, xid),
        ("0/68 assign -5", 13, xid),
        ("0/68 assign 5x", 14, end),
        ("0/68 assign 5 6", 14, end),
        ("0/68 assign 5 ", 14, end),
        ("0/68 assign 5\r", 14, end),
        ("0/68 commit 100 2", 17, xid),
        ("0/68 commit 100 101 ", 21, xid),
        ("0/68 abort 100,101", 15, end),
        ("0/68 prepare x", 14, xid),
        ("0/68 commit_prepared 0", 22, xid),
        ("0/68 abort_prepared", 5, kinds),
        ("0/68 assignment 100", 20, "expected at least one subtransaction"),
        ("0/68 checkpoint_online 100", 27, "expected  "),
        ("0/68 checkpoint_online 4294967297 100", 24, "expected a 64-bit transaction id"),
        ("0/68 checkpoint_online 18446744073709551616 100", 24, "expected a 64-bit transaction id"),
        ("0/68 checkpoint_online 100 1", 28, "or 0 for none"),
        ("0/68 checkpoint_shutdown 100 100", 29, "expected 0, since nothing runs"),
        ("0/68 init_shutdown 100", 23, "expected  "),
        ("0/68 running_xacts 100 99 100 2 0 0", 30, "expected 0 or 1"),
        ("0/68 running_xacts 100 99 100 0 0", 34, "expected  "),
        ("0/68 running_xacts 100 99 100 0 1 0", 36, "expected as many ids as XCNT and SUBXCNT say"),
        (
            "0/68 running_xacts 100 99 90 0 0 0 90",
            35,
            "expected as many ids as XCNT and SUBXCNT say",
        ),
        ("0/68 running_xacts 100 99 90 0 4294967295 4294967295 90", 53, "as many ids"),
        ("0/68 running_xacts 100 99 90 0 x 0", 32, "expected a decimal number"),
    ] {
        let error = line(text);
        let told = error.to_string();
        assert_eq!(error.line(), Some(2), "{told}");
        assert!(
            matches!(error.problem(), Problem::Malformed { column: at, .. } if *at == column),
            "{told}"
        );
        assert!(told.starts_with("trace:2: expected "), "{told}");
        assert!(told.contains(message), "{told}: expected {message:?} in it");
        assert_eq!(error.text(), text.escape_default().to_string());
    }
}

#[test]
fn the_first_line_may_be_anything() {
    for text in ["<html>\n", "PGDMP\0\u{1}\n", "\n", "rmgr\n"] {
        let told = reading(text).to_string();
        assert!(told.starts_with("trace:1: expected a line of events.txt"), "{told}");
    }
    let binary: Vec<u8> = (0..=255_u8).cycle().skip(128).take(100_000).collect();
    assert!(matches!(reading(binary).problem(), Problem::Malformed { .. }));
}

#[test]
fn long_lines_are_shortened() {
    let error = line(&format!("0/68 commit 100{}", " 101".repeat(10_000) + "x"));
    assert!(error.to_string().len() < 500, "{error}");
    assert!(error.text().ends_with("(40016 bytes)"), "{error}");
}

#[test]
fn endless_lines_end() {
    struct Endless;
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            buffer.fill(b'7');
            Ok(buffer.len())
        }
    }
    let mut reader = TraceReader::new(Endless, "endless").unwrap();
    let error = reader.next_event().unwrap_err();
    assert!(matches!(error.problem(), Problem::LineTooLong(LINE_LIMIT)), "{error}");
}

#[test]
fn cut_off_and_empty_files() {
    let error = reading("0/28 init 100 100\n0/68 commit 1");
    assert!(matches!(error.problem(), Problem::CutOff), "{error}");
    assert_eq!(
        error.to_string(),
        "trace:2: expected the end of the line: the file is cut off\n  | 0/68 commit 1"
    );
    for empty in ["", "# nothing but words\n"] {
        assert!(matches!(reading(empty).problem(), Problem::Empty));
    }
}

const W11: &[u8] = include_bytes!("../recordings/w11_every_record/events.txt.gz");

#[test]
fn gzip_that_breaks() {
    for length in [3, 10, 500, W11.len() / 2, W11.len() - 1] {
        let error = reading(&W11[..length]);
        assert!(matches!(error.problem(), Problem::Gzip(_)), "{error}");
        assert!(error.to_string().contains("the gzip stream breaks here"), "{error}");
        assert!(error.line().is_some());
    }
    let mut broken = W11.to_vec();
    broken[W11.len() / 2] ^= 0x55;
    broken[W11.len() / 2 + 1] ^= 0x55;
    // What comes out before the checksum may be no line any more.
    assert!(matches!(
        reading(broken).problem(),
        Problem::Gzip(_) | Problem::Malformed { .. } | Problem::GoesBack { .. }
    ));
    let mut checksum = W11.to_vec();
    let at = checksum.len() - 8;
    checksum[at] ^= 1;
    assert!(matches!(reading(checksum).problem(), Problem::Gzip(_)));
    let trailing = [W11, b"tail"].concat();
    assert!(matches!(reading(trailing).problem(), Problem::Gzip(_)));
}

#[test]
fn gzip_in_several_members() {
    let text = gunzip(W11);
    let at = text.len() / 2;
    let members = [gzip(&text[..at]), gzip(&text[at..])].concat();
    let mut reader = TraceReader::new(Cursor::new(members), "members").unwrap();
    let mut events = 0;
    while reader.next_event().unwrap().is_some() {
        events += 1;
    }
    assert_eq!(events, 1823);
}

#[test]
fn positions_that_go_back() {
    let error = reading("0/28 init 100 100\n0/28 assign 100\n0/27 assign 101\n");
    assert!(matches!(error.problem(), Problem::GoesBack { .. }));
    assert_eq!(error.to_string(), "trace:3: expected an LSN not before 0/28\n  | 0/27 assign 101");
    // Padding does not matter, and the end of the range is a position like others.
    let text = "0/28 init 100 100\n0/0000068 assign 100\nFFFFFFFF/FFFFFFFF assign 101\n";
    let mut reader = TraceReader::new(text.as_bytes(), "trace").unwrap();
    let mut last = None;
    while let Some(event) = reader.next_event().unwrap() {
        last = Some(event.to_string());
    }
    assert_eq!(last.unwrap(), "FFFFFFFF/FFFFFFFF assign 101");
}

#[test]
fn files_that_cannot_be_read() {
    let error = TraceReader::open(std::path::Path::new("/no/such/file")).unwrap_err();
    assert!(error.to_string().starts_with("/no/such/file: cannot read: "), "{error}");
    assert_eq!(error.line(), None);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let error = TraceReader::open(folder).expect_err("a folder is no file");
    assert!(matches!(error.problem(), Problem::Io(_)), "{error}");
}

const DUMP: &str =
    "rmgr: Transaction len (rec/tot):     34/    34, tx:        100, lsn: 0/68, prev 0/28, desc: ";

#[test]
fn malformed_lines_of_pg_waldump() {
    for (text, message) in [
        ("rmgr: Heap", "expected len (rec/tot):"),
        (&DUMP.replace("lsn: 0/68", "lsn: 0/"), "expected an LSN"),
        (&DUMP.replace("100", "4294967296"), "expected a 32-bit transaction id"),
        (&DUMP.replace("34/", "x/"), "expected a decimal number"),
        (&DUMP.replace("desc", "dsc"), "expected , desc: "),
        ("pg_waldump: error: could not find a valid record after 0/68", "expected rmgr: "),
        (&format!("{DUMP}COMMIT now; subxacts: 1"), "expected a transaction id"),
        (&format!("{DUMP}COMMIT now; subxacts: 101x"), "expected a blank and an id"),
        (&format!("{DUMP}COMMIT_PREPARED 100"), "expected :"),
        (&format!("{DUMP}ASSIGNMENT xtop 100: subxacts:"), "expected at least one subtransaction"),
        (
            &format!("{}COMMIT now", DUMP.replace("100", "  0")),
            "expected a record whose header carries an id",
        ),
        (
            "rmgr: Standby     len (rec/tot):     58/    58, tx:          0, lsn: 0/68, prev 0/28, desc: RUNNING_XACTS \
             nextXid 100 latestCompletedXid 99 oldestRunningXid 90; 2 xacts: 90",
            "expected as many ids as the count before them says",
        ),
        (
            "rmgr: XLOG        len (rec/tot):    114/   114, tx:          0, lsn: 0/68, prev 0/28, desc: \
             CHECKPOINT_ONLINE redo 0/28; tli 1; xid 0:2; oldest running xid 0; online",
            "expected a transaction id",
        ),
        (
            "rmgr: XLOG        len (rec/tot):    114/   114, tx:          0, lsn: 0/68, prev 0/28, desc: \
             CHECKPOINT_ONLINE redo 0/28; tli 1",
            "expected ; xid ",
        ),
    ] {
        let good = DUMP.replace("0/68", "0/28");
        let error = reading(format!("{good}INVALIDATION \n{text}\n"));
        let told = error.to_string();
        assert!(told.starts_with("trace:2: "), "{told}");
        assert!(told.contains(message), "{told}: expected {message:?} in it");
    }
    let twice = format!("{DUMP}INVALIDATION \n{DUMP}INVALIDATION \n");
    assert!(
        matches!(reading(twice).problem(), Problem::GoesBack { .. }),
        "no two records start at one place"
    );
}

const IDLE: [&str; 2] = ["init 100 90", "running_xacts 100 99 90 0 1 0 90"];

#[test]
fn contradictions_name_their_rule() {
    let starts: [(&[&str], Rule); 3] = [
        (&["assign 100"], Rule::InitFirst),
        (&["running_xacts 100 99 100 0 0 0"], Rule::InitFirst),
        (&["init_shutdown 100 0", "init_prepared 100"], Rule::NextIsNext),
    ];
    for (lines, rule) in starts {
        is_contradiction(lines, rule);
    }
    let after: [(&[&str], Rule); 27] = [
        (&["init 100 90"], Rule::InitOnce),
        (&["init_shutdown 100 0"], Rule::InitOnce),
        (&["init_prepared 95"], Rule::InitPreparedFirst),
        (&["commit 100 100"], Rule::NamedOnce),
        (&["commit 100 103 101 103"], Rule::NamedOnce),
        (&["commit 101 100"], Rule::ParentFirst),
        (&["assignment 101 102 100"], Rule::ParentFirst),
        (&["commit 100", "commit 100"], Rule::EndsOnce),
        (&["commit 100", "abort 100"], Rule::EndsOnce),
        (&["abort 101", "commit 100 101"], Rule::EndsOnce),
        (&["commit 100", "prepare 100"], Rule::EndsOnce),
        (&["commit 89"], Rule::OldestIsOldest),
        (&["assign 100", "running_xacts 101 99 100 0 0 0", "commit 90"], Rule::OldestIsOldest),
        (&["running_xacts 110 99 110 0 0 0", "assign 105"], Rule::OldestIsOldest),
        (&["checkpoint_shutdown 110 0", "commit 90"], Rule::OldestIsOldest),
        (&["prepare 100"], Rule::AssignedFirst),
        (&["prepare 90", "prepare 90"], Rule::PreparedOnce),
        (&["commit_prepared 90"], Rule::PreparedEnd),
        (&["prepare 90", "commit 90"], Rule::PreparedEnd),
        (&["prepare 90", "abort_prepared 90", "commit_prepared 90"], Rule::PreparedEnd),
        (&["running_xacts 100 99 101 0 0 0"], Rule::RunningInRange),
        (&["running_xacts 100 100 90 0 0 0"], Rule::RunningInRange),
        (&["running_xacts 100 99 90 0 1 0 89"], Rule::RunningInRange),
        (&["running_xacts 100 99 90 0 0 1 100"], Rule::RunningInRange),
        (&["assign 105", "checkpoint_shutdown 105 0"], Rule::NextIsNext),
        (&["checkpoint_shutdown 110 0", "checkpoint_shutdown 105 0"], Rule::NextIsNext),
        (&["checkpoint_online 25769803775 0"], Rule::NoLeap),
    ];
    for (lines, rule) in after {
        is_contradiction(&[&IDLE[..], lines].concat(), rule);
    }
}

fn is_contradiction(lines: &[&str], rule: Rule) {
    let error = error(lines);
    let told = error.to_string();
    let Problem::Contradiction(contradiction) = error.problem() else { panic!("{told}") };
    assert_eq!(contradiction.rule, rule, "{told}");
    assert!(told.contains(&format!("(rule {}): expected ", rule.name())), "{told}");
    assert_eq!(error.line(), Some(lines.len() as u64), "{told}");
    assert!(error.text().ends_with(lines[lines.len() - 1]), "{told}");
    // Without its last line all is well.
    let text = numbered(&lines[..lines.len() - 1]);
    if lines.len() > 1 {
        let reader = TraceReader::new(Cursor::new(text), "shorter").unwrap();
        common::play::<LockedSet>(reader, ()).unwrap();
    }
}

const HEADER: &str = "#lsn\tpg_current_snapshot\ttxid_current_snapshot\txmin\txmax\tsuboverflowed\tnextXid\txip\thidden\n";

#[test]
fn malformed_snapshots() {
    let row = "0/68\t90:100:\t90:100:\t90\t100\t0\t105\t90,95\t97";
    let read = |text: String| {
        let mut rows = RowReader::new(Cursor::new(text), "rows").unwrap();
        loop {
            match rows.next_row() {
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => return Some(error.to_string()),
            }
        }
    };
    assert_eq!(read(format!("{HEADER}{row}\n")), None);
    assert_eq!(read(HEADER.into()), None);
    for (bad, message) in [
        (String::new(), "rows: expected at least one line"),
        (format!("{row}\n"), "rows:1: expected the header"),
        (format!("{HEADER}{row}"), "rows:2: expected the end of the line: the file is cut off"),
        (
            format!("{HEADER}{row}\n{}\n", row.replace("0/68", "0/67")),
            "rows:3: expected an LSN not before 0/68",
        ),
        (format!("{HEADER}{}\n", row.replace('\t', " ")), "rows:2: expected a tab"),
        (format!("{HEADER}{row}\t\n"), "rows:2: expected the end of the line"),
        (format!("{HEADER}0/68\t90:100:\n"), "rows:2: expected a tab"),
        (
            format!("{HEADER}{}\n", row.replace("\t90\t", "\t2\t")),
            "expected a 64-bit transaction id",
        ),
        (
            format!("{HEADER}{}\n", row.replace("\t90\t", "\t101\t")),
            "expected an xmax not below xmin",
        ),
        (format!("{HEADER}{}\n", row.replace("\t0\t", "\t2\t")), "expected 0 or 1"),
        (format!("{HEADER}{}\n", row.replace("90,95", "95,90")), "expected ids in rising order"),
        (format!("{HEADER}{}\n", row.replace("90,95", "90,90")), "expected ids in rising order"),
        (format!("{HEADER}{}\n", row.replace("90,95", "90,100")), "expected ids in rising order"),
        (
            format!("{HEADER}{}\n", row.replace("90,95", "90,,95")),
            "expected a 64-bit transaction id",
        ),
        (format!("{HEADER}{}\n", row.replace("97", "89")), "expected ids in rising order"),
        (format!("{HEADER}{}\n", row.replace("\t100\t", "\t90000\t")), "expected skipped"),
    ] {
        let told = read(bad).expect(message);
        assert!(told.contains(message), "{told}: expected {message:?} in it");
    }
}
