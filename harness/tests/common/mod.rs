//! Hand-made traces: what every strategy makes of them.
#![allow(dead_code, reason = "each test binary uses some of it")]

use std::io::{Read, Write};

use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use harness::{
    registry::{STANDBYS, StandbyVisitor, visit_standby},
    standby::{Machine, Options, Phase, Refused, Start},
    trace::{Format, TraceError, TraceReader},
};
use snapshot_api::{FullXid, Snapshot, Standby, Xid};

/// A snapshot in PostgreSQL's 64-bit ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    pub(crate) xmin: u64,
    pub(crate) xmax: u64,
    pub(crate) xip: Vec<u64>,
    pub(crate) suboverflowed: bool,
    pub(crate) hidden: Vec<u64>,
    pub(crate) next: u64,
}

impl Seen {
    /// The bounds and the list.
    pub(crate) fn list(&self) -> (u64, u64, &[u64]) {
        (self.xmin, self.xmax, &self.xip)
    }
}

/// Small leaps only, so that a wrong digit costs nothing.
pub(crate) const LEAP: u64 = 50_000;

/// What every strategy sees at the end of these lines; all see the same. `None` while queries are not accepted. Lines have
/// no position: it is put before them.
pub(crate) fn seen(lines: &[&str]) -> Option<Seen> {
    let text = numbered(lines);
    let all: Vec<Option<Seen>> =
        STANDBYS.iter().map(|name| visit_standby(name, Play(&text)).unwrap().unwrap()).collect();
    assert!(all.iter().all(|seen| *seen == all[0]), "strategies differ on\n{text}\n{all:?}");
    all.into_iter().next().unwrap()
}

/// The same, where queries are accepted.
pub(crate) fn ready(lines: &[&str]) -> Seen {
    seen(lines).expect("the standby accepts queries")
}

/// The error in these lines.
pub(crate) fn error(lines: &[&str]) -> TraceError {
    let text = numbered(lines);
    visit_standby(STANDBYS[0], Play(&text)).unwrap().expect_err(&text)
}

/// Lines with rising positions before them.
pub(crate) fn numbered(lines: &[&str]) -> String {
    let number = |(at, line): (usize, &&str)| format!("0/{:X} {line}\n", 0x28 + 0x40 * at);
    lines.iter().enumerate().map(number).collect()
}

struct Play<'a>(&'a str);

impl StandbyVisitor for Play<'_> {
    type Output = Result<Option<Seen>, TraceError>;

    fn visit<S: Standby + 'static>(self, config: S::Config) -> Self::Output {
        let reader = TraceReader::new(std::io::Cursor::new(self.0.to_owned()), "hand-made")?;
        let mut machine = play::<S>(reader, config)?;
        Ok(look(&mut machine))
    }
}

/// Applies all events.
pub(crate) fn play<S: Standby>(
    mut reader: TraceReader,
    config: S::Config,
) -> Result<Machine<S>, TraceError> {
    let start = match reader.format()? {
        Some(Format::WalDump) => Start::AtCheckpoint,
        _ => Start::AtInit,
    };
    let mut machine = Machine::<S>::new(config, Options { start, leap: LEAP }).unwrap();
    while let Some(event) = reader.next_event()? {
        match machine.apply(&event) {
            Ok(()) => {}
            Err(Refused::Trace(contradiction)) => return Err(reader.contradicted(contradiction)),
            Err(Refused::Strategy(refusal)) => panic!("{refusal}"),
        }
    }
    Ok(machine)
}

/// What a query sees.
pub(crate) fn look<S: Standby>(machine: &mut Machine<S>) -> Option<Seen> {
    let phase = machine.phase();
    let view = machine.take();
    assert_eq!(view.is_some(), phase == Phase::Ready);
    let view = view?;
    let snapshot = view.snapshot();
    let full = |xid: Xid| FullXid::from_dense(xid).unwrap().get();
    let (xmin, xmax) = (snapshot.xmin(), snapshot.xmax());
    let xip: Vec<Xid> = snapshot.running().collect();
    let hidden = (xmin.get()..xmax.get()).map(Xid::new);
    let hidden = hidden.filter(|xid| view.is_in_progress(*xid) && !xip.contains(xid));
    Some(Seen {
        xmin: full(xmin),
        xmax: full(xmax),
        hidden: hidden.map(full).collect(),
        xip: xip.into_iter().map(full).collect(),
        suboverflowed: view.suboverflowed(),
        next: view.next().get(),
    })
}

pub(crate) fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    MultiGzDecoder::new(bytes).read_to_end(&mut text).unwrap();
    text
}

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}
