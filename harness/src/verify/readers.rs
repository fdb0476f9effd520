//! Readers beside the replay: they take snapshots, and note between which steps.
//!
//! ```text
//!  replayer   started := n ── fence ── step n of the strategy ── completed := n (Release)
//!  reader     completed (Acquire) ── take ── fence ── started
//! ```
//!
//! Whoever reads `completed` as n calls after step n is over: its snapshot holds it. Whoever returns before step n begins
//! holds nothing of it; the other way round, if a snapshot holds something of step n, then `take` read what that step
//! wrote, so that the replayer's fence comes before the reader's, and `started` is read as n or more.
//!
//! In rounds ([`Gate`]): after some thousand steps all stand still, and what was noted is [judged](super::judge). So
//! memory and time are bounded, whatever the trace's length.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering, fence},
};

use snapshot_api::{Snapshot, Standby};

use super::{
    Outcome, Run,
    gate::Gate,
    journal::{Listed, Notes, SharedJournal, Witness},
    judge::{Judge, Record},
};
use crate::{
    recordings::Recording,
    standby::{Machine, Options, Start, Watch},
    trace::{Format, TraceError},
};

/// Steps and changes after which a round ends.
const ROUND: usize = 4096;

/// Snapshots that a reader keeps in a round, spread over it.
const KEPT: usize = 256;

/// Ids in them.
const KEPT_IDS: usize = 1 << 18;

/// What the replayer and the readers share.
struct Stage<S> {
    gate: Gate,
    /// The instance that queries use; `None` until the standby accepts them.
    instance: Mutex<Option<Arc<S>>>,
    /// The number of the last step that began.
    started: AtomicU64,
    /// The number of the last step that is over.
    completed: AtomicU64,
}

impl<S> Stage<S> {
    fn instance(&self) -> MutexGuard<'_, Option<Arc<S>>> {
        lock(&self.instance)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Publishes the steps of the strategy under test.
struct Publish<'a, S> {
    stage: &'a Stage<S>,
    step: u64,
}

impl<S: Standby> Watch<S> for Publish<'_, S> {
    fn before_step(&mut self) {
        self.step += 1;
        // Relaxed: the fence below orders it before whatever the step writes, and pairs with the reader's fence.
        self.stage.started.store(self.step, Ordering::Relaxed);
        fence(Ordering::Release);
    }

    fn after_step(&mut self) {
        // Release: pairs with the reader's Acquire load; whoever sees this number sees the step.
        self.stage.completed.store(self.step, Ordering::Release);
    }

    fn share(&mut self, instance: &Arc<S>) {
        *self.stage.instance() = Some(Arc::clone(instance));
    }
}

/// What a reader noted in a round.
#[derive(Default)]
struct Noted {
    records: Vec<Record>,
    ids: usize,
    /// Of how many snapshots one is kept.
    stride: u64,
    taken: u64,
}

impl Noted {
    fn wants(&mut self) -> bool {
        self.taken += 1;
        self.taken.is_multiple_of(self.stride.max(1))
    }

    fn keep(&mut self, record: Record) {
        self.ids += record.listed.running.len();
        self.records.push(record);
        if self.records.len() > KEPT || (self.ids > KEPT_IDS && self.records.len() > 1) {
            let mut keep = false;
            self.records.retain(|_| {
                keep = !keep;
                keep
            });
            self.ids = self.records.iter().map(|record| record.listed.running.len()).sum();
            self.stride = 2 * self.stride.max(1);
        }
    }
}

/// A reader's life. Gone from the gate also when `take` panics.
fn read<S: Standby>(stage: &Stage<S>, noted: &Mutex<Noted>) {
    struct Leave<'a>(&'a Gate);
    impl Drop for Leave<'_> {
        fn drop(&mut self) {
            self.0.leave();
        }
    }
    let _leave = Leave(&stage.gate);
    let mut round = 0;
    let mut value: Option<S::Snapshot> = None;
    while stage.gate.stand(&mut round) {
        loop {
            // Acquire: pairs with the Release store after the step; the take below sees all steps up to this number.
            let called = stage.completed.load(Ordering::Acquire);
            let instance = stage.instance().clone();
            if let Some(instance) = instance {
                let value = value.get_or_insert_with(|| instance.snapshot());
                instance.take(value);
                // Pairs with the Release fence before each step: if the take read anything that step wrote, the load
                // below reads its number.
                fence(Ordering::Acquire);
                let returned = stage.started.load(Ordering::Relaxed);
                let mut noted = lock(noted);
                if noted.wants() {
                    let listed = Listed { xmax: value.xmax(), running: value.running().collect() };
                    noted.keep(Record { called, returned, xmin: value.xmin(), listed });
                }
            }
            if stage.gate.is_closed() {
                break;
            }
        }
    }
}

/// Lets `S` play the standby with readers beside.
pub(crate) fn with_readers<S: Standby>(
    recording: &Recording,
    config: S::Config,
    readers: usize,
) -> Result<Outcome, TraceError> {
    let stage: Stage<S> = Stage {
        gate: Gate::new(readers),
        instance: Mutex::new(None),
        started: AtomicU64::new(0),
        completed: AtomicU64::new(0),
    };
    let noted: Vec<Mutex<Noted>> = (0..readers).map(|_| Mutex::default()).collect();
    std::thread::scope(|scope| {
        struct End<'a>(&'a Gate);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                self.0.end();
            }
        }
        // Also when the strategy panics in here: else the scope would wait for the readers for ever.
        let _end = End(&stage.gate);
        for noted in &noted {
            scope.spawn(|| read(&stage, noted));
        }
        replay(recording, config, &stage, &noted)
    })
}

fn replay<S: Standby>(
    recording: &Recording,
    config: S::Config,
    stage: &Stage<S>,
    noted: &[Mutex<Noted>],
) -> Result<Outcome, TraceError> {
    let journal = SharedJournal::default();
    let start = match recording.events()?.format()? {
        Some(Format::WalDump) => Start::AtCheckpoint,
        _ => Start::AtInit,
    };
    let options = Options { start, ..Options::default() };
    let notes = Notes { journal: journal.clone(), current: None };
    let mut witness = match Machine::<Witness, Notes>::watched(journal.clone(), options, notes) {
        Ok(witness) => witness,
        Err(refused) => {
            return Ok(Outcome { refusal: Some(refused.to_string()), ..Outcome::default() });
        }
    };
    stage.gate.open();
    let publish = Publish { stage, step: 0 };
    let run = Run { recording, outcome: Outcome::default() };
    let mut outcome = run.drive::<S, _>(config, publish, |event, outcome| {
        witness.apply(event)?;
        if journal.lock().len() >= ROUND {
            stage.gate.close();
            judge(&journal, &witness, noted, outcome);
            stage.gate.open();
        }
        Ok(())
    })?;
    stage.gate.close();
    // A strategy that refused stands in the middle of an event.
    if outcome.refusal.is_none() {
        judge(&journal, &witness, noted, &mut outcome);
    }
    Ok(outcome)
}

fn judge(
    journal: &SharedJournal,
    witness: &Machine<Witness, Notes>,
    noted: &[Mutex<Noted>],
    outcome: &mut Outcome,
) {
    let mut records = Vec::new();
    for noted in noted {
        let mut noted = lock(noted);
        records.append(&mut noted.records);
        *noted = Noted::default();
    }
    records.sort_by_key(|record| record.called);
    let mut journal = journal.lock();
    if let Some(mut judge) = Judge::new(&journal) {
        for record in &records {
            outcome.concurrent_snapshots += 1;
            if let Err(wrong) = judge.judge(record) {
                outcome.concurrent_mismatches += 1;
                outcome.first_wrong.get_or_insert(wrong);
            }
        }
        journal.clear(witness.instance().listed());
    }
}
