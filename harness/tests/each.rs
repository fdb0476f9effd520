//! Four lines at a time or one by one: the same events, the same errors, the same line to blame.

use std::{
    fmt::Write,
    io::{self, Cursor, Read},
    ops::ControlFlow,
    sync::Arc,
};

use harness::{
    standby::{Contradiction, Rule},
    trace::TraceReader,
};

/// Events and the error, if any, up to the event with this number.
type Heard = (Vec<String>, Option<String>);

fn each(text: &[u8], stop: usize) -> Heard {
    let mut reader = TraceReader::of_text(Arc::new(text.to_vec()), "trace");
    let mut events = Vec::new();
    let end = reader.each(|event| {
        events.push(event.to_string());
        if events.len() == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let error = match end {
        Ok(ControlFlow::Break(())) => {
            let blamed = reader.contradicted(contradiction()).to_string();
            // What follows is still there.
            while let Ok(Some(event)) = reader.next_event() {
                events.push(event.to_string());
            }
            Some(blamed)
        }
        Ok(ControlFlow::Continue(())) => None,
        Err(error) => Some(error.to_string()),
    };
    (events, error)
}

fn one_by_one(text: &[u8], stop: usize) -> Heard {
    let mut reader = TraceReader::new(Cursor::new(text.to_vec()), "trace").unwrap();
    let mut events = Vec::new();
    let mut blamed = None;
    loop {
        match reader.next_event() {
            Ok(Some(event)) => events.push(event.to_string()),
            Ok(None) => return (events, blamed),
            Err(error) => return (events, blamed.or(Some(error.to_string()))),
        }
        if events.len() == stop {
            blamed = Some(reader.contradicted(contradiction()).to_string());
        }
    }
}

fn contradiction() -> Contradiction {
    Contradiction { rule: Rule::InitFirst, expected: "nothing".into() }
}

/// Lines from this position and id on: now an `assign`, now a `commit`, each a little behind the one before.
fn lines(mut lsn: u64, mut xid: u32, count: usize) -> String {
    let mut text = String::new();
    for line in 0..count {
        let kind = if (line * line / 3).is_multiple_of(2) { "assign" } else { "commit" };
        writeln!(text, "{:X}/{:08X} {kind} {xid}", lsn >> 32, lsn & 0xFFFF_FFFF).unwrap();
        lsn += [0, 0x28, 0x128, 0x2F10][line % 4];
        xid = xid.checked_add(1).unwrap_or(3);
    }
    text
}

fn same(text: &[u8]) {
    let shown = || text.escape_ascii().to_string();
    assert_eq!(each(text, usize::MAX), one_by_one(text, usize::MAX), "{}", shown());
}

#[test]
fn every_byte_of_four_lines_is_any_byte() {
    let text = lines(0xFFFE_4000, 299_990, 22).into_bytes();
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', &text).collect();
    for at in ends[4] + 1..=ends[8] {
        for byte in 0..=255 {
            let mut text = text.clone();
            text[at] = byte;
            same(&text);
        }
    }
}

#[test]
fn every_byte_is_missing_or_there_is_one_too_many() {
    let text = lines(0x7FFF_0000, 99_990, 30).into_bytes();
    for at in 0..text.len() {
        let mut shorter = text.clone();
        shorter.remove(at);
        same(&shorter);
        for byte in *b"0A \n#/c" {
            let mut longer = text.clone();
            longer.insert(at, byte);
            same(&longer);
        }
        same(&text[..at]);
    }
}

#[test]
fn positions_and_ids_of_every_length() {
    for lsn in [0x28, 0xF_FF00, 0x10_0000, 0xFFF_FF00, 0x7FFF_F800, 0xFFFF_F000, 0xAB_FFFF_F000] {
        for xid in
            [3, 95, 9_990, 99_990, 4_999_999, 99_999_990, 999_999_990, 4_294_959_990, u32::MAX - 9]
        {
            same(lines(lsn, xid, 40).as_bytes());
            same(lines(lsn, xid, 40).replace("/0", "/").as_bytes());
            same(lines(lsn, xid, 40).to_ascii_lowercase().as_bytes());
        }
    }
}

#[test]
fn lines_swapped_or_of_another_kind() {
    let text = lines(0x33_0000_0068, 292_798, 30);
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let others = [
        "# comment\n",
        "33/1 assign 292800\n",
        "34/1 running_xacts 300000 299999 300000 0 0 0\n",
        "33/10000 abort 292800\n",
        "\n",
    ];
    for at in 0..all.len() {
        for other in others {
            let mut all = all.clone();
            all.insert(at, other);
            same(all.concat().as_bytes());
        }
        let mut all = all.clone();
        all.swap(at, 20);
        same(all.concat().as_bytes());
    }
}

#[test]
fn whatever_stops_it_the_line_is_right() {
    let text = lines(0x33_0000_0068, 292_798, 30);
    for stop in 1..=30 {
        assert_eq!(each(text.as_bytes(), stop), one_by_one(text.as_bytes(), stop));
    }
}

/// So that runs end where what has been read ends.
struct Pieces(Cursor<Vec<u8>>, usize);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.1.min(buffer.len());
        self.0.read(&mut buffer[..most])
    }
}

#[test]
fn a_stream_in_pieces() {
    let text = lines(0x33_0000_0068, 292_798, 200);
    let expected = one_by_one(text.as_bytes(), usize::MAX);
    for piece in [1, 100, 124, 125, 126, 150, 199, 256, 1000] {
        let pieces = Pieces(Cursor::new(text.clone().into_bytes()), piece);
        let mut events = Vec::new();
        let end = TraceReader::new(pieces, "trace").unwrap().each(|event| {
            events.push(event.to_string());
            ControlFlow::<()>::Continue(())
        });
        assert!(end.is_ok());
        assert_eq!(events, expected.0, "{piece}");
    }
}
