use std::collections::BTreeMap;

use super::*;
use crate::results::{
    row::{Interval, Itself, Latency, Parameter},
    sample::{self, standby, wrong},
    writer::Writer,
};

/// The file of this header and these rows.
fn file(header: &Header, rows: &[Row]) -> String {
    let mut text = serde_json::to_string(header).expect("a header is JSON") + "\n";
    for row in rows {
        text += &(serde_json::to_string(row).expect("a row is JSON") + "\n");
    }
    text
}

fn told(text: &[u8]) -> (Option<usize>, String) {
    let error = parse(Path::new("f"), text).expect_err("it is not a whole file");
    (error.line(), error.to_string())
}

#[test]
fn what_is_written_is_read() {
    let rows = [sample::row("csn", "off", 1.25), standby("csn", "off", 0.5)];
    let text = file(&sample::header(), &rows);
    let results = parse(Path::new("f"), text.as_bytes()).expect("it is whole");
    assert_eq!((&results.header, &results.rows[..]), (&sample::header(), &rows[..]));
    let without_last_end = parse(Path::new("f"), text.trim_end().as_bytes());
    assert_eq!(without_last_end.expect("the last row is whole"), results);
    let no_rows = parse(Path::new("f"), file(&sample::header(), &[]).as_bytes());
    assert_eq!(no_rows.expect("a header is enough").rows, []);
}

/// What the writer makes of a header, what a load does, rows and what was wrong.
fn written(name: &str, about: Option<&str>, rows: &[Row], wrong: &[Wrong]) -> String {
    let folder = std::env::temp_dir().join(format!("harness-{name}-{}", std::process::id()));
    let writer = Writer::new(&folder, sample::header(), abouts(about)).expect("a folder");
    writer.write(rows, wrong, 7).expect("a file");
    let text = fs::read_to_string(writer.file()).expect("the file is there");
    fs::remove_dir_all(folder).expect("it is ours");
    text
}

fn abouts(about: Option<&str>) -> BTreeMap<String, String> {
    about.into_iter().map(|about| ("page-scan".into(), about.into())).collect()
}

#[test]
fn what_loads_do_is_written_and_read() {
    let rows = [sample::row("bitmap", "off", 1.0)];
    for (name, about) in [("does", Some("scans, \"all\"")), ("mute", Some("")), ("old", None)] {
        let text = written(name, about, &rows, &[]);
        let results = parse(Path::new("f"), text.as_bytes()).expect("it is whole");
        assert_eq!((results.about_loads, &results.rows[..]), (abouts(about), &rows[..]), "{name}");
        assert_eq!(text == file(&sample::header(), &rows), about.is_none(), "{text}");
    }
    let text = written("broken-does", Some("x"), &rows, &[]);
    let (line, told) = told(text.replacen(":\"x\"", ":[1]", 1).as_bytes());
    let says = "f:1: expected about_loads in the header to say in a text what each load does; invalid type: sequence, \
                expected a string\n  | {\"page-scan\":[1]}";
    assert_eq!((line, told.as_str()), (Some(1), says));
}

#[test]
fn cells_that_were_wrong_are_written_and_read() {
    let swept = Wrong {
        parameters: [("order".into(), Parameter::Text("rising".into()))].into(),
        threads: 64,
        ..wrong("csn", "off")
    };
    let (rows, wrong) = ([sample::row("bitmap", "off", 1.0)], [wrong("csn", "off"), swept]);
    let text = written("wrong", None, &rows, &wrong);
    let results = parse(Path::new("f"), text.as_bytes()).expect("it is whole");
    assert_eq!((&results.rows[..], &results.wrong[..]), (&rows[..], &wrong[..]));
    assert_eq!(results.header, sample::header());
    let names: Vec<_> = results.names().map(|names| names.snapshot).collect();
    assert_eq!(names, ["bitmap", "csn", "csn"]);
    // Where nothing was wrong a file is as it always was, and one from before has nothing wrong.
    let right = written("right", None, &rows, &[]);
    assert_eq!(right, file(&sample::header(), &rows));
    assert_eq!(parse(Path::new("f"), right.as_bytes()).expect("it is whole").wrong, []);
}

/// Programs from before knew the header's other fields and rows alone.
#[test]
fn programs_from_before_read_what_is_written() {
    let rows = [sample::row("bitmap", "off", 1.0)];
    let text = written("before", Some("scans"), &rows, &[wrong("csn", "off")]);
    let (first, others) = text.split_once('\n').expect("a header");
    assert_eq!(serde_json::from_str::<Header>(first).expect("a header"), sample::header());
    assert_eq!(serde_json::from_str::<Row>(others).expect("one row"), rows[0]);
}

#[test]
fn broken_wrong_cells_are_refused_with_their_place() {
    let good = [wrong("csn", "off"), wrong("csn", "rcu")];
    let text = written("broken-wrong", None, &[sample::row("bitmap", "off", 1.0)], &good);
    let last = |from: &str, to: &str| {
        let (before, entry) = text.split_once("\"rcu\"").expect("the second entry");
        format!("{before}\"rcu\"{}", entry.replacen(from, to, 1))
    };
    let second = "f:1: expected a cell that was wrong, number 2 of the header's; ";
    for (text, says) in [
        (last("\"threads\":2,", ""), format!("{second}missing field `threads`\n  | {{")),
        (last("\"threads\":2", "\"threads\":-2"), format!("{second}invalid value: integer `-2`")),
        (last("\"threads\":2", "\"threads\":0"), format!("{second}expected threads to be no less")),
        (
            text.replacen("\"rcu\"", "\"off\"", 1),
            format!("{second}it stands there already\n  | {{"),
        ),
        (
            text.replacen("\"wrong\":[", "\"wrong\":[7,", 1),
            "f:1: expected a cell that was wrong, number 1 of the header's; invalid type: integer `7`, \
             expected struct Wrong\n  | 7"
                .into(),
        ),
        (
            text.replacen("\"wrong\":", "\"wrong\":null,\"was\":", 1),
            "f:1: expected wrong in the header to be a list of cells that have no row\n  | null".into(),
        ),
    ] {
        let (line, told) = told(text.as_bytes());
        assert_eq!(line, Some(1), "{told}");
        assert!(told.starts_with(&says), "{told}\nexpected {says:?} in front");
    }
}

/// Fields that a later version may add are none of our business.
#[test]
fn fields_beside_ours_are_passed_over() {
    let text = file(&sample::header(), &[sample::row("csn", "off", 1.0)]);
    let text: String =
        text.lines().map(|line| line.replacen('{', "{\"more\":[1],", 1) + "\n").collect();
    assert!(parse(Path::new("f"), text.as_bytes()).is_ok());
}

#[test]
fn what_a_row_may_have_is_read_too() {
    let latency =
        Latency { p50_ns: 1, p95_ns: 2, p99_ns: 3, p999_ns: 4, max_ns: 5, ..Latency::default() };
    let full = Row {
        parameters: BTreeMap::from([
            ("slots".into(), Parameter::Number(200.0)),
            ("order".into(), Parameter::Text("rising".into())),
        ]),
        intended: Some(latency),
        late: Some(1.0),
        skipped: Some(2.0),
        bytes: Some(3),
        lag_ms: Some(4.0),
        beside_per_s: Some(5.0),
        too_old: Some(0.5),
        series: vec![Interval { ops_per_s: 1.0, p50_ns: 1, p99_ns: 2 }],
        peer: true,
        breaks: vec!["law 1".into()],
        histogram: vec![[100, 3], [120, 1]],
        core_speed: Some(0.9),
        itself: Some(Itself { ratio: 1.0, low: 0.9, high: 1.1, times: 9 }),
        ..sample::row("csn", "off", 1.0)
    };
    let text = file(&sample::header(), std::slice::from_ref(&full));
    assert_eq!(parse(Path::new("f"), text.as_bytes()).expect("it is whole").rows, [full]);
}

#[test]
fn a_file_tells_how_long_it_was_measured() {
    let about = |rows: Vec<Row>| {
        let (about_loads, wrong) = Default::default();
        let header = sample::header();
        let about = Results { file: "f".into(), header, about_loads, wrong, rows }.about();
        about.split(", threads pinned").last().map(String::from)
    };
    let row = |millis| Row { millis, ..sample::row("csn", "off", 1.0) };
    assert_eq!(about(vec![row(60), row(60)]).as_deref(), Some(", 7 rounds of 60 ms"));
    assert_eq!(about(vec![row(60), row(120)]).as_deref(), Some(", 7 rounds of 60 to 120 ms"));
    let more = Row { rounds: vec![1.0; 9], ..row(60) };
    assert_eq!(about(vec![row(60), more]).as_deref(), Some(", 7 to 9 rounds of 60 ms"));
    assert_eq!(about(vec![]).as_deref(), Some(""));
}

#[test]
fn other_first_lines_are_refused() {
    let with = |from: &str, to: &str| file(&sample::header(), &[]).replace(from, to);
    let row = file(&sample::header(), &[sample::row("csn", "off", 1.0)]);
    let (_, row) = row.split_once('\n').expect("two lines");
    for (text, says) in [
        (
            with("\"version\":2", "\"version\":1"),
            "expected version 2 of the format, found 1; version 0.1.0 of the program",
        ),
        (
            with("\"version\":2", "\"version\":\"2\""),
            "expected version 2 of the format, found \"2\"",
        ),
        (with("\"version\":2,", ""), "expected version 2 of the format, found null"),
        (
            with("snapshot-harness results", "other results"),
            "expected the header of a file of results",
        ),
        (with("\"cores\":2,", ""), "missing field `cores`"),
        (with("\"cores\":2", "\"cores\":-2"), "invalid value: integer `-2`"),
        (row.into(), "not a row; a program that wrote no headers made this"),
        ("[]\n".into(), "expected the header of a file of results"),
        ("# Results\n".into(), "this is no JSON: expected value at column 1"),
        ("\n".into(), "this is no JSON"),
        ("{\"format\":\"snapshot-har".into(), "the file was cut off within this line"),
    ] {
        let (line, told) = told(text.as_bytes());
        assert_eq!(line, Some(1), "{told}");
        assert!(told.contains(says), "{told}\nexpected {says:?} in it");
    }
    assert_eq!(told(b"").0, None);
    assert!(told(b"").1.starts_with("f: the file is empty; expected a header"));
}

#[test]
fn broken_rows_are_refused_with_their_line() {
    let rows = [sample::row("a", "off", 1.0), sample::row("b", "off", 2.0)];
    let with = |from: &str, to: &str| {
        let text = file(&sample::header(), &rows);
        let (before, last) = text.trim_end().rsplit_once('\n').expect("three lines");
        format!("{before}\n{}\n", last.replace(from, to))
    };
    for (text, says) in [
        (with("\"threads\":2,", ""), "expected a row of results; missing field `threads`"),
        (with("\"threads\":2", "\"threads\":-2"), "invalid value: integer `-2`"),
        (with("\"ratio\":2.0", "\"ratio\":null"), "invalid type: null, expected f64"),
        (with("\"ratio\":2.0", "\"ratio\":1e999"), "this is no JSON: number out of range"),
        (with("\"ratio\":2.0", "\"ratio\":3.0"), "expected ratio between ratio_low and ratio_high"),
        (
            with("\"take\":0.5", "\"take\":1.5"),
            "expected the share take between 0 and 1, found 1.5",
        ),
        (with("\"p95_ns\":150", "\"p95_ns\":15"), "expected the percentiles of latency to rise"),
        (with("\"parameters\":{}", "\"parameters\":{\"a\":[]}"), "data did not match any variant"),
        (with("\"ratio\":2.0", "\"ratio\":1.0"), "expected ratio between ratio_low and ratio_high"),
        (
            with("\"ratio_low\":1.9", "\"ratio_low\":-1.9"),
            "expected ratio_low to be no less than 0, found -1.9",
        ),
        (with("\"snapshot\":\"b\"", "\"snapshot\":\"a\""), "not a second one"),
        (
            with("\"noisy\":false}", "\"noisy\":false"),
            "this is no JSON: EOF while parsing an object at column",
        ),
        (with("{", "x{"), "this is no JSON: expected value at column 1"),
        (with("\"b\"", "\"\u{0}\""), "this is no JSON: control character"),
    ] {
        let (line, told) = told(text.as_bytes());
        assert_eq!(line, Some(3), "{told}");
        assert!(
            told.starts_with("f:3: ") && told.contains(says),
            "{told}\nexpected {says:?} in it"
        );
    }
    let mut not_utf8 = file(&sample::header(), &rows).into_bytes();
    let place = not_utf8.iter().rposition(|byte| *byte == b'b').expect("the name");
    not_utf8[place] = 0xFF;
    assert!(told(&not_utf8).1.contains("this is no JSON"));
    let blank = file(&sample::header(), &rows) + "\n";
    assert_eq!(told(blank.as_bytes()).0, Some(4));
}

/// Wherever a file is cut, it is either still whole lines, or refused as cut off in its last line.
#[test]
fn every_cut_within_a_line_is_found() {
    let text = file(&sample::header(), &[sample::row("ä", "off", 1.0), standby("b", "off", 2.0)]);
    for cut in 1..text.len() {
        let bytes = &text.as_bytes()[..cut];
        let whole_lines = bytes.ends_with(b"\n") || text.as_bytes()[cut] == b'\n';
        let result = parse(Path::new("f"), bytes);
        match result {
            Ok(_) => assert!(whole_lines, "cut at {cut}"),
            Err(error) => {
                assert!(!whole_lines, "cut at {cut}: {error}");
                assert_eq!(
                    error.line(),
                    Some(1 + bytes.iter().filter(|byte| **byte == b'\n').count())
                );
                assert!(
                    error.to_string().contains("the file was cut off within this line"),
                    "{error}"
                );
            }
        }
    }
}
