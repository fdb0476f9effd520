//! Verification: a strategy plays the standby of a recording and has to give every snapshot of the real one.
//!
//! With concurrent readers, [`verify`] also holds each of *their* snapshots to law 1: it has to be a state between its
//! call and its return. What the states were is computed beside, by a plain set that follows the same records and asks
//! the strategy for nothing.

mod gate;
mod journal;
mod judge;
mod readers;

use snapshot_api::Standby;

use crate::{
    oracle::{Mismatch, compare},
    recordings::Recording,
    standby::{Machine, Options, Refused, Rule, Start, Watch},
    trace::{Event, Format, Lsn, Problem, TraceError},
};

pub use judge::Wrong;

/// What came out for one strategy on one recording.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Events applied.
    pub events: u64,
    /// Snapshots of the real standby that were compared.
    pub snapshots: u64,
    /// How many of them differ.
    pub mismatches: u64,
    /// The first of them.
    pub first_mismatch: Option<Mismatch>,
    /// Snapshots of concurrent readers that were judged.
    pub concurrent_snapshots: u64,
    /// How many of them are no state between their call and their return.
    pub concurrent_mismatches: u64,
    /// The first of them.
    pub first_wrong: Option<Wrong>,
    /// What the strategy refused, which ended the run.
    pub refusal: Option<String>,
}

impl Outcome {
    /// Whether all was equal.
    pub fn is_equal(&self) -> bool {
        self.mismatches == 0 && self.concurrent_mismatches == 0 && self.refusal.is_none()
    }
}

/// Lets the strategy `S` play the standby of a recording, with this many concurrent readers, and compares.
///
/// # Errors
///
/// The recording is not as it should be.
pub fn verify<S: Standby>(
    recording: &Recording,
    config: S::Config,
    readers: usize,
) -> Result<Outcome, TraceError> {
    if readers == 0 {
        Run { recording, outcome: Outcome::default() }.sequential::<S>(config)
    } else {
        readers::with_readers::<S>(recording, config, readers)
    }
}

/// A run over a recording.
pub(crate) struct Run<'a> {
    recording: &'a Recording,
    outcome: Outcome,
}

impl Run<'_> {
    fn sequential<S: Standby>(self, config: S::Config) -> Result<Outcome, TraceError> {
        self.drive::<S, ()>(config, (), |_, _| Ok(()))
    }

    /// Drives a machine through the events and compares at each row. `beside` is called after each event.
    fn drive<S: Standby, W: Watch<S>>(
        mut self,
        config: S::Config,
        watch: W,
        mut beside: impl FnMut(&Event<'_>, &mut Outcome) -> Result<(), Refused>,
    ) -> Result<Outcome, TraceError> {
        let mut events = self.recording.events()?;
        let mut rows = self.recording.snapshots()?;
        let start = match events.format()? {
            Some(Format::WalDump) => Start::AtCheckpoint,
            _ => Start::AtInit,
        };
        let options = Options { start, ..Options::default() };
        let mut machine = match Machine::<S, W>::watched(config, options, watch) {
            Ok(machine) => machine,
            Err(refused) => {
                self.outcome.refusal = Some(refused.to_string());
                return Ok(self.outcome);
            }
        };
        loop {
            let row = rows.next_row()?;
            let limit = row.map_or(Lsn::MAX, |row| row.lsn);
            while let Some(event) = events.next_before(limit)? {
                let applied = machine.apply(&event);
                self.outcome.events += 1;
                match applied.and_then(|()| beside(&event, &mut self.outcome)) {
                    Ok(()) => {}
                    Err(Refused::Trace(contradiction)) => {
                        return Err(events.contradicted(contradiction));
                    }
                    Err(Refused::Strategy(refusal)) => {
                        self.outcome.refusal = Some(format!("at {}: {refusal}", event.lsn));
                        return Ok(self.outcome);
                    }
                }
            }
            let Some(row) = row else { return Ok(self.outcome) };
            let Some(view) = machine.take() else { return Err(too_early(&rows)) };
            self.outcome.snapshots += 1;
            if let Some(mismatch) = compare(&view, row) {
                self.outcome.mismatches += 1;
                self.outcome.first_mismatch.get_or_insert(mismatch);
            }
        }
    }
}

/// A row that no standby could have given.
fn too_early(rows: &crate::oracle::RowReader) -> TraceError {
    rows.error(Problem::Contradiction(crate::standby::Contradiction {
        rule: Rule::ReadyFirst,
        expected: "rows only from where the events make the standby accept queries".into(),
    }))
}
