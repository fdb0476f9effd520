//! [`Journal`]: which ids stopped or resumed counting as running in each step, kept by a plain set.
//!
//! [`Witness`] is that set as a strategy. A second machine drives it through the same events; it sees nothing of the
//! strategy under test. Steps are numbered alike, since which steps an event takes depends on the trace alone.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use snapshot_api::{
    BeginError, Facts, ListSnapshot, Restore, RestoreError, SessionId, SnapshotStrategy, Standby,
    Xid, highest_normal,
};

use crate::{
    locked_set::{self, PlainSet},
    standby::Watch,
};

/// What happened in the steps since the journal was last cleared.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    /// The state before the first step noted; `None` until queries are accepted.
    pub(crate) base: Option<Listed>,
    /// The number of the last step before those noted.
    pub(crate) base_step: u64,
    /// Ids that changed sides, step by step.
    changes: Vec<Xid>,
    /// For each step, where its changes end, and xmax after it.
    steps: Vec<(usize, Xid)>,
    /// Steps so far, also those before anything was noted.
    step: u64,
}

/// A snapshot's content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Listed {
    pub(crate) xmax: Xid,
    pub(crate) running: Vec<Xid>,
}

impl Journal {
    /// The number of the last step.
    pub(crate) fn last_step(&self) -> u64 {
        self.step
    }

    /// How much it holds.
    pub(crate) fn len(&self) -> usize {
        self.steps.len() + self.changes.len()
    }

    /// What changed in a step, and xmax after it.
    pub(crate) fn step(&self, number: u64) -> (&[Xid], Xid) {
        let at = (number - self.base_step - 1) as usize;
        let from = if at == 0 { 0 } else { self.steps[at - 1].0 };
        let (to, xmax) = self.steps[at];
        (&self.changes[from..to], xmax)
    }

    /// xmax after a step.
    pub(crate) fn xmax(&self, number: u64) -> Option<Xid> {
        if number == self.base_step {
            return self.base.as_ref().map(|base| base.xmax);
        }
        Some(self.step(number).1)
    }

    /// Starts over from `state`, which is that after the last step.
    pub(crate) fn clear(&mut self, state: Listed) {
        self.base = Some(state);
        self.base_step = self.step;
        self.changes.clear();
        self.steps.clear();
    }
}

/// The plain set as a strategy that keeps a journal.
#[derive(Debug)]
pub(crate) struct Witness {
    journal: SharedJournal,
    set: Mutex<PlainSet>,
}

/// Shared by the instances that follow one another.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedJournal(Arc<Mutex<Journal>>);

impl SharedJournal {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Journal> {
        lock(&self.0)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Witness {
    pub(crate) fn listed(&self) -> Listed {
        let set = lock(&self.set);
        Listed { xmax: set.xmax(), running: set.listed().collect() }
    }

    /// Does something with the set, noting who changed sides.
    fn note(&self, act: impl FnOnce(&mut PlainSet, bool, &mut dyn FnMut(Xid))) {
        let mut journal = self.journal.lock();
        let wanted = journal.base.is_some();
        let changes = &mut journal.changes;
        act(&mut lock(&self.set), wanted, &mut |xid| {
            if wanted {
                changes.push(xid);
            }
        });
    }
}

impl SnapshotStrategy for Witness {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        locked_set::facts()
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        lock(&self.set).begin(xid)
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        self.note(|set, wanted, changed| {
            set.remove(tree, &mut *changed);
            if let Some(highest) = highest_normal(tree) {
                set.complete(highest, wanted, changed);
            }
        });
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        let set = lock(&self.set);
        snapshot.refill(set.xmax()).extend(set.listed());
    }
}

impl Restore for Witness {
    type Config = SharedJournal;

    fn restore(
        config: &SharedJournal,
        latest_completed: Xid,
        running: &[Xid],
    ) -> Result<Self, RestoreError> {
        let set = Mutex::new(PlainSet::restore(latest_completed, running)?);
        Ok(Witness { journal: config.clone(), set })
    }
}

impl Standby for Witness {
    fn forget(&self, xids: &[Xid]) {
        self.note(|set, _, changed| set.remove(xids, changed));
    }

    fn complete(&self, latest: Xid) {
        self.note(|set, wanted, changed| set.complete(latest, wanted, changed));
    }

    fn prune(&self, below: Xid) {
        self.note(|set, _, changed| set.prune(below, changed));
    }
}

/// Numbers the steps and notes where each ends.
#[derive(Debug)]
pub(crate) struct Notes {
    pub(crate) journal: SharedJournal,
    /// The instance in use, once queries are accepted.
    pub(crate) current: Option<Arc<Witness>>,
}

impl Watch<Witness> for Notes {
    fn before_step(&mut self) {
        self.journal.lock().step += 1;
    }

    fn after_step(&mut self) {
        let Some(current) = &self.current else { return };
        let xmax = lock(&current.set).xmax();
        let mut journal = self.journal.lock();
        let ends = journal.changes.len();
        if journal.step > journal.base_step {
            journal.steps.push((ends, xmax));
        }
    }

    fn share(&mut self, instance: &Arc<Witness>) {
        let new = instance.listed();
        let mut journal = self.journal.lock();
        match self.current.replace(Arc::clone(instance)) {
            None => journal.clear(new),
            Some(old) => {
                let old = old.listed();
                // Both orders: who is in one of the two lists only.
                let changed = |a: &Listed, b: &Listed| {
                    let b_counts =
                        |xid: &Xid| *xid >= b.xmax || b.running.binary_search(xid).is_ok();
                    a.running.iter().copied().filter(|xid| !b_counts(xid)).collect::<Vec<_>>()
                };
                journal.changes.extend(changed(&old, &new));
                journal.changes.extend(changed(&new, &old));
            }
        }
    }
}
