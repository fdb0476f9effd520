//! Any events: a standby applies them or says which rule they break, never a panic, and its snapshots keep to their bounds.
#![no_main]

use std::io::Cursor;

use harness::{
    locked_set::LockedSet,
    standby::{Machine, Options, Refused, Start},
    trace::TraceReader,
};
use libfuzzer_sys::fuzz_target;

/// Kinds by a byte, so that most inputs get past the reader.
const KINDS: [&str; 13] = [
    "assign",
    "commit",
    "abort",
    "prepare",
    "commit_prepared",
    "abort_prepared",
    "assignment",
    "running_xacts",
    "checkpoint_online",
    "checkpoint_shutdown",
    "init",
    "init_shutdown",
    "init_prepared",
];

/// Bytes as lines: a kind, how many ids, and each id as a distance from the middle of a range around the wrap.
fn text(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut rest = bytes.iter().copied();
    let mut lsn = 0x28;
    while let Some(kind) = rest.next() {
        let kind = KINDS[usize::from(kind) % KINDS.len()];
        let mut id = || {
            let distance = i64::from(rest.next().unwrap_or(0) as i8);
            let id = 0xFFFF_FFFF_i64 - 20 + distance;
            (if id > 0xFFFF_FFFF { id + 3 } else { id }) as u64
        };
        let low = |id: u64| id & 0xFFFF_FFFF;
        let line = match kind {
            "assign" => low(id()).to_string(),
            "init" | "checkpoint_online" => format!("{} 0", id() + (5 << 32)),
            "init_shutdown" | "checkpoint_shutdown" => format!("{} 0", id() + (5 << 32)),
            "running_xacts" => {
                let (next, latest, oldest) = (low(id()), low(id()), low(id()));
                let ids: Vec<String> = (0..id() % 4).map(|_| low(id()).to_string()).collect();
                let list =
                    if ids.is_empty() { String::new() } else { " ".to_owned() + &ids.join(" ") };
                format!("{next} {latest} {oldest} {} {} 0{list}", id() % 2, ids.len())
            }
            _ => {
                let count = 1 + id() % 4;
                (0..count).map(|_| low(id()).to_string()).collect::<Vec<_>>().join(" ")
            }
        };
        text += &format!("0/{lsn:X} {kind} {line}\n");
        lsn += 8;
    }
    text
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let start = if first % 2 == 0 { Start::AtInit } else { Start::AtCheckpoint };
    let mut reader = TraceReader::new(Cursor::new(text(bytes)), "fuzz").expect("in memory");
    let options = Options { start, leap: 1000 };
    let mut machine = Machine::<LockedSet>::new((), options).expect("starts");
    while let Ok(Some(event)) = reader.next_event() {
        match machine.apply(&event) {
            Ok(()) => {}
            Err(Refused::Trace(contradiction)) => {
                assert!(reader.contradicted(contradiction).line().is_some());
                return;
            }
            Err(Refused::Strategy(refusal)) => panic!("{refusal}"),
        }
        if let Some(view) = machine.take() {
            use snapshot_api::Snapshot;
            let snapshot = view.snapshot();
            assert!(snapshot.xmin() <= snapshot.xmax());
            assert!(
                snapshot.xmax() <= view.next().dense(),
                "nothing is over that was not handed out"
            );
            assert!(snapshot.running().all(
                |xid| view.is_in_progress(xid) || view.suboverflowed() && xid > snapshot.xmin()
            ));
        }
    }
});
