//! Recordings with lines and bytes flipped, inserted, deleted, doubled and swapped: an error or not, never a panic.

mod common;

use std::{
    convert::Infallible,
    io::Cursor,
    ops::ControlFlow,
    sync::{Arc, LazyLock},
};

use harness::{
    locked_set::LockedSet,
    oracle::RowReader,
    standby::{Machine, Options, Refused, Start},
    trace::TraceReader,
};
use proptest::prelude::*;

/// Beginnings of recordings, long enough to hold every kind.
static TEXTS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let whole: [&[u8]; 5] = [
        include_bytes!("../recordings/w11_every_record/events.txt.gz"),
        include_bytes!("../recordings/w6_wraparound/events.txt.gz"),
        include_bytes!("../recordings/w8_mixed/events.txt.gz"),
        include_bytes!("../recordings/w7_crash/events.txt.gz"),
        include_bytes!("../recordings/pg_waldump_raw/w11_every_record.pg_waldump.txt.gz"),
    ];
    let mut texts: Vec<Vec<u8>> = whole.map(common::gunzip).into();
    for text in &mut texts {
        let lines = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        if let Some((end, _)) = lines.take(1500).last() {
            text.truncate(end + 1);
        }
    }
    texts
});

static ROWS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut rows = common::gunzip(include_bytes!("../recordings/w4_prepared/snapshots.tsv.gz"));
    rows.truncate(100_000);
    rows
});

#[derive(Clone, Debug)]
enum Mutation {
    FlipBit(u8),
    Insert(u8),
    Delete,
    Cut,
    DoubleLine,
    DeleteLine,
    SwapLines(prop::sample::Index),
    MoveLine(prop::sample::Index),
}

fn mutation() -> impl Strategy<Value = (prop::sample::Index, Mutation)> {
    // Bytes that mean something come more often.
    let byte = prop_oneof![any::<u8>(), prop::sample::select(b"0123456789 \n/#\t,;:FA".to_vec())];
    let kind = prop_oneof![
        2 => (0..8_u8).prop_map(Mutation::FlipBit),
        2 => byte.prop_map(Mutation::Insert),
        2 => Just(Mutation::Delete),
        1 => Just(Mutation::Cut),
        2 => Just(Mutation::DoubleLine),
        2 => Just(Mutation::DeleteLine),
        2 => any::<prop::sample::Index>().prop_map(Mutation::SwapLines),
        2 => any::<prop::sample::Index>().prop_map(Mutation::MoveLine),
    ];
    (any::<prop::sample::Index>(), kind)
}

fn mutate(text: &mut Vec<u8>, at: prop::sample::Index, mutation: &Mutation) {
    if text.is_empty() {
        return;
    }
    let byte = at.index(text.len());
    match mutation {
        Mutation::FlipBit(bit) => text[byte] ^= 1 << bit,
        Mutation::Insert(new) => text.insert(byte, *new),
        Mutation::Delete => drop(text.remove(byte)),
        Mutation::Cut => text.truncate(byte),
        _ => {
            let mut lines: Vec<Vec<u8>> =
                text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            let line = at.index(lines.len());
            match mutation {
                Mutation::DoubleLine => lines.insert(line, lines[line].clone()),
                Mutation::DeleteLine => drop(lines.remove(line)),
                Mutation::SwapLines(with) => {
                    let with = with.index(lines.len());
                    lines.swap(line, with);
                }
                Mutation::MoveLine(to) => {
                    let moved = lines.remove(line);
                    lines.insert(to.index(lines.len() + 1), moved);
                }
                _ => unreachable!("the others are about bytes"),
            }
            *text = lines.concat();
        }
    }
}

/// Handed out all at once, as one piece of memory, the events are the same as one by one out of a stream; so is the error.
fn both_ways(bytes: &[u8]) {
    let mut reader = TraceReader::of_text(Arc::new(bytes.to_vec()), "mutated");
    let mut events = Vec::new();
    let end: Result<ControlFlow<Infallible>, _> = reader.each(|event| {
        events.push(event.to_string());
        ControlFlow::Continue(())
    });
    let error = end.err().map(|error| error.to_string());
    let mut reader = TraceReader::new(Cursor::new(bytes.to_vec()), "mutated").unwrap();
    let mut expected = events.iter();
    let one_by_one = loop {
        match reader.next_event() {
            Ok(Some(event)) => assert_eq!(Some(&event.to_string()), expected.next()),
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    assert_eq!(expected.next(), None);
    assert_eq!(error, one_by_one);
}

/// Plays a trace as far as it goes.
fn play(bytes: Vec<u8>, start: Start) {
    let Ok(mut reader) = TraceReader::new(Cursor::new(bytes), "mutated") else { return };
    let options = Options { start, leap: common::LEAP };
    let mut machine = Machine::<LockedSet>::new((), options).unwrap();
    loop {
        match reader.next_event() {
            Ok(Some(event)) => match machine.apply(&event) {
                Ok(()) => {}
                Err(Refused::Trace(contradiction)) => {
                    let error = reader.contradicted(contradiction);
                    assert!(error.line().is_some() && !error.text().is_empty(), "{error}");
                    return;
                }
                // The naive strategy refuses nothing that a machine may ask of it.
                Err(Refused::Strategy(refusal)) => panic!("{refusal}"),
            },
            Ok(None) => return drop(common::look(&mut machine)),
            Err(error) => return assert!(!error.to_string().is_empty()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn traces(
        which in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(mutation(), 1..4),
        at_checkpoint: bool,
    ) {
        let mut text = which.get(&TEXTS[..]).clone();
        for (at, mutation) in &mutations {
            mutate(&mut text, *at, mutation);
        }
        if !text.starts_with(&[0x1F, 0x8B]) {
            both_ways(&text);
        }
        play(text, if at_checkpoint { Start::AtCheckpoint } else { Start::AtInit });
    }

    #[test]
    fn zipped_traces(mutations in prop::collection::vec(mutation(), 1..3)) {
        static ZIPPED: LazyLock<Vec<u8>> = LazyLock::new(|| common::gzip(&TEXTS[0][..20_000]));
        let mut bytes = ZIPPED.clone();
        for (at, mutation) in &mutations {
            mutate(&mut bytes, *at, mutation);
        }
        play(bytes, Start::AtInit);
    }

    #[test]
    fn snapshots(mutations in prop::collection::vec(mutation(), 1..4)) {
        let mut text = ROWS.clone();
        for (at, mutation) in &mutations {
            mutate(&mut text, *at, mutation);
        }
        if let Ok(mut rows) = RowReader::new(Cursor::new(text), "mutated") {
            while let Ok(Some(_)) = rows.next_row() {}
        }
    }

    #[test]
    fn anything(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        play(bytes, Start::AtCheckpoint);
    }
}
