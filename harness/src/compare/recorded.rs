//! [`Recorded`]: a recording in memory, with what the naive strategy knows at some of its events.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use snapshot_api::{Snapshot, Standby, Xid};

use crate::{
    locked_set::LockedSet,
    recordings::{BUILT_IN, Recording},
    replay::{History, Input},
    standby::Machine,
};

/// A recording in memory.
#[derive(Debug)]
pub struct Recorded {
    /// Its name.
    pub name: String,
    /// Its events.
    pub history: History,
    /// What the naive strategy knows after so many events that came once queries were accepted; after the last one too.
    pub marks: BTreeMap<u64, Known>,
}

/// Events between two marks are a multiple of this.
pub(super) const BATCH: usize = 64;
/// So many marks has a recording, about.
const MARKS: usize = 16;

/// What a snapshot holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    xmin: Xid,
    xmax: Xid,
    running: Vec<Xid>,
}

impl Known {
    /// What this standby's snapshot holds now; none while it accepts no queries.
    pub fn of<S: Standby>(machine: &mut Machine<S>) -> Option<Self> {
        let view = machine.take()?;
        let snapshot = view.snapshot();
        let running = snapshot.running().collect();
        Some(Known { xmin: snapshot.xmin(), xmax: snapshot.xmax(), running })
    }
}

impl Recorded {
    /// The recording of this name that is built in. It is read once.
    ///
    /// # Errors
    ///
    /// None has this name; what was expected.
    pub fn named(name: &str) -> Result<Arc<Self>, String> {
        static READ: Mutex<BTreeMap<String, Arc<Recorded>>> = Mutex::new(BTreeMap::new());
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recorded) = read.get(name) {
            return Ok(Arc::clone(recorded));
        }
        let recorded = Arc::new(Recorded::read(name)?);
        read.insert(name.into(), Arc::clone(&recorded));
        Ok(recorded)
    }

    fn read(name: &str) -> Result<Self, String> {
        let events = BUILT_IN.iter().find_map(|recording| match recording {
            Recording::BuiltIn { name: known, events, .. } if *known == name => Some(*events),
            _ => None,
        });
        let events = events.ok_or_else(|| {
            let known: Vec<String> = BUILT_IN.iter().map(Recording::name).collect();
            format!("expected a recording, one of {}, not {name:?}", known.join(", "))
        })?;
        let input = Input::new(events, name, None).map_err(|error| error.to_string())?;
        let history = History::read(&input).map_err(|error| error.to_string())?;
        let mut machine = Machine::<LockedSet>::new((), history.options())
            .map_err(|refused| refused.to_string())?;
        let apart = (history.after_ready() / MARKS / BATCH * BATCH).max(BATCH);
        let mut marks = BTreeMap::new();
        for (number, event) in (1..).zip(history.events()) {
            machine.apply(&event).map_err(|refused| format!("{name}: {refused:?}"))?;
            let after = number - history.before_ready().min(number);
            if after > 0 && after.is_multiple_of(apart) || after == history.after_ready() {
                let known = Known::of(&mut machine);
                let known = known.ok_or_else(|| format!("{name} accepts no queries"))?;
                marks.insert(after as u64, known);
            }
        }
        Ok(Recorded { name: name.into(), history, marks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Readers beside the replayer hold on to one instance.
    #[test]
    fn no_recording_starts_over_with_another_instance_once_it_accepts_queries() {
        for recording in BUILT_IN {
            let recorded = Recorded::named(&recording.name()).expect("it is built in");
            let history = &recorded.history;
            let mut machine =
                Machine::<LockedSet>::new((), history.options()).expect("an empty state");
            assert!(recorded.marks.len() >= 16, "{}", recorded.name);
            let mut first = None;
            for (number, event) in history.events().enumerate() {
                if number == history.before_ready() {
                    first = Some(Arc::clone(machine.instance()));
                }
                machine.apply(&event).expect("it is consistent");
            }
            let first = first.expect("events come after that");
            assert!(Arc::ptr_eq(&first, machine.instance()), "{}", recorded.name);
        }
    }

    #[test]
    fn an_unknown_recording_is_refused_with_the_known_ones() {
        let refused = Recorded::named("big").map(|_| ()).expect_err("there is none");
        assert!(
            refused.starts_with("expected a recording, one of w1_simple_update, "),
            "{refused}"
        );
    }
}
