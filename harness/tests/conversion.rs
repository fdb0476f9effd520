//! The text of `pg_waldump` gives the events that were recorded beside it, but for what that text does not hold.

use harness::trace::{Event, Format, Kind, RunningXacts, TraceReader};

mod common;

const W4: (&[u8], &[u8]) = (
    include_bytes!("../recordings/pg_waldump_raw/w4_prepared.pg_waldump.txt.gz"),
    include_bytes!("../recordings/w4_prepared/events.txt.gz"),
);
const W11: (&[u8], &[u8]) = (
    include_bytes!("../recordings/pg_waldump_raw/w11_every_record.pg_waldump.txt.gz"),
    include_bytes!("../recordings/w11_every_record/events.txt.gz"),
);

/// What the text does not hold is taken out.
fn comparable(event: &Event<'_>) -> Option<String> {
    match event.kind {
        Kind::Init { .. } | Kind::InitShutdown { .. } | Kind::InitPrepared(_) => None,
        Kind::RunningXacts(running) => {
            let kind = Kind::RunningXacts(RunningXacts { subxids: &[], ..running });
            Some(Event { kind, ..*event }.to_string())
        }
        _ => Some(event.to_string()),
    }
}

fn lines(mut reader: TraceReader) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        lines.extend(comparable(&event));
    }
    lines
}

fn check((dump, events): (&'static [u8], &'static [u8])) {
    let expected = lines(TraceReader::new(events, "events").unwrap());
    assert!(expected.len() > 1000);
    let plain = std::io::Cursor::new(common::gunzip(dump));
    for mut reader in [
        TraceReader::new(dump, "gzip").unwrap(),
        TraceReader::new(plain.clone(), "plain").unwrap(),
        TraceReader::new(Trickle(plain, 0), "a few bytes at a time").unwrap(),
    ] {
        assert_eq!(reader.format().unwrap(), Some(Format::WalDump));
        let converted = lines(reader);
        for (converted, expected) in converted.iter().zip(&expected) {
            assert_eq!(converted, expected);
        }
        assert_eq!(converted.len(), expected.len());
    }
}

/// A pipe that gives what it has at hand.
struct Trickle(std::io::Cursor<Vec<u8>>, usize);

impl std::io::Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = (self.1 + 1) % 7;
        let most = buffer.len().min(1 + 37 * self.1);
        self.0.read(&mut buffer[..most])
    }
}

#[test]
fn w4_prepared() {
    check(W4);
}

#[test]
fn w11_every_record() {
    check(W11);
}

#[test]
fn events_are_printed_as_they_were_read() {
    let text = common::gunzip(W11.1);
    let mut reader = TraceReader::new(W11.1, "events").unwrap();
    let mut printed = String::new();
    while let Some(event) = reader.next_event().unwrap() {
        printed += &format!("{event}\n");
    }
    // Positions are padded in some files and not in others.
    let unpadded = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.replacen("0/0", "0/", 1) + "\n").collect::<String>()
    };
    assert_eq!(unpadded(&printed), unpadded(std::str::from_utf8(&text).unwrap()));
}

/// A standby that starts from the text alone, at its first checkpoint, comes to the same running ids once what ran at
/// the start has ended.
#[test]
fn a_standby_starts_from_text_alone() {
    let dump = TraceReader::new(W4.0, "dump").unwrap();
    let events = TraceReader::new(W4.1, "events").unwrap();
    let mut from_dump = common::play::<harness::locked_set::LockedSet>(dump, ()).unwrap();
    let mut from_events = common::play::<harness::locked_set::LockedSet>(events, ()).unwrap();
    let expected = common::look(&mut from_events).unwrap();
    let got = common::look(&mut from_dump).unwrap();
    assert_eq!(got.list(), expected.list());
}

/// pg_waldump says so in its first line when it was told to start where no record does.
#[test]
fn a_start_between_records_is_no_record() {
    let note = "first record is after 0/3104D950, at 0/3104D958, skipping over 8 bytes\n";
    let record = format!("{HEAD}290042, lsn: 0/3104D958, prev 0/3104D908, desc: COMMIT\n");
    let read = |text: String| lines(TraceReader::new(std::io::Cursor::new(text), "text").unwrap());
    assert_eq!(read(format!("{note}{record}")), read(record));
}

const HEAD: &str = "rmgr: Transaction len (rec/tot):     34/    34, tx:     ";

fn one(desc: &str, tx: &str) -> Vec<String> {
    let text = format!("{HEAD}{tx}, lsn: 0/3104D958, prev 0/3104D908, desc: {desc}\n");
    lines(TraceReader::new(std::io::Cursor::new(text), "one line").unwrap())
}

#[test]
fn forms_of_other_versions_and_of_users_making() {
    assert_eq!(
        one(
            "COMMIT 2026-11-30 12:00:33 UTC; rels: base/5/16384; subxacts: 101 102; inval msgs: catcache 7",
            "  100"
        ),
        ["0/3104D958 assign 100", "0/3104D958 commit 100 101 102"]
    );
    assert_eq!(
        one("PREPARE gid x; subxacts: 7 oh: 2026-11-30 12:00:33 UTC; subxacts: 101", "100"),
        ["0/3104D958 assign 100", "0/3104D958 prepare 100 101"]
    );
    assert_eq!(one("INVALIDATION ; inval msgs: catcache 7", "100"), ["0/3104D958 assign 100"]);
    assert_eq!(one("COMMIT_PREPARED 99: 2026-11-30", "0"), ["0/3104D958 commit_prepared 99"]);
    let standby = "rmgr: Standby     len (rec/tot):     58/    58, tx:          0, lsn: 0/28, prev 0/0, desc: \
                   RUNNING_XACTS nextXid 110 latestCompletedXid 99 oldestRunningXid 100; 2 xacts: 105 100; \
                   subxid overflowed; 1 subxacts: 106\n";
    let mut reader = TraceReader::new(standby.as_bytes(), "version 16").unwrap();
    let event = reader.next_event().unwrap().unwrap();
    assert_eq!(event.to_string(), "0/28 running_xacts 110 99 100 1 2 1 105 100 106");
}

#[test]
fn details_of_blocks_are_passed_over() {
    let text = format!(
        "{HEAD}100, lsn: 0/28, prev 0/0, desc: INVALIDATION\n\tblkref #0: rel 1663/5/2619 fork main blk 3\n{HEAD}100, \
         lsn: 0/68, prev 0/28, desc: ABORT 2026-11-30 12:00:33 UTC\n"
    );
    let events = lines(TraceReader::new(std::io::Cursor::new(text), "details").unwrap());
    assert_eq!(events, ["0/28 assign 100", "0/68 abort 100"]);
}
