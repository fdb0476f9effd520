//! Every interleaving in which up to two operations stop once, at each of their steps, or one at all of them: for trackers whose atomics and locks
//! are those of [`crate::sync`]. Others have no steps, and nothing is played on them.

use std::{cell::Cell, rc::Rc, thread};

use super::{
    SnapshotTracker,
    held::Held,
    puppet::{Puppet, State, Stop},
    stage::{Reading, Stage, WRITERS},
};
use crate::sync::steps;

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    /// Opens a snapshot and keeps it.
    Open,
    /// Opens a snapshot and closes it.
    OpenClose,
    /// A commit of this writer.
    Commit(usize),
    /// A commit of this writer, then a snapshot, which must see it.
    CommitOpen(usize),
    /// A snapshot, then a commit of this writer.
    OpenCommit(usize),
    /// Twice a commit of this writer and a collection.
    Collect(usize),
    /// The same, then a snapshot.
    CollectOpen(usize),
    /// Two looks at the horizon and a commit of this writer between.
    Watch(usize),
}

/// A snapshot with what it read when it was opened.
pub(super) struct Reader<'a, T: SnapshotTracker> {
    pub(super) stage: &'a Stage<T>,
    pub(super) held: Held<'a, T>,
    first: [Reading; WRITERS],
}

impl<'a, T: SnapshotTracker> Reader<'a, T> {
    /// Opens a snapshot and reads.
    pub(super) fn open(stage: &'a Stage<T>) -> Result<Self, String> {
        let held = Held::open(&stage.tracker)?;
        let first = [0, 1].map(|writer| stage.read(writer, &held));
        Ok(Reader { stage, held, first })
    }

    /// Whether it reads the same as before.
    pub(super) fn changed(&self) -> Result<(), String> {
        for writer in 0..WRITERS {
            for (first, now) in
                self.first[writer].into_iter().zip(self.stage.read(writer, &self.held))
            {
                if let (Some(first), Some(now)) = (first, now)
                    && first != now
                {
                    return Err(format!(
                        "a snapshot read the version of commit {first} in a row, and later that of commit {now} in the same row"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether it finds each commit in all its rows or in none.
    pub(super) fn half(&self) -> Result<(), String> {
        for writer in 0..WRITERS {
            let now = self.stage.read(writer, &self.held);
            for reading in [self.first[writer], now] {
                let found: Vec<u64> = reading.into_iter().flatten().collect();
                if found.len() == reading.len() && found.iter().any(|&number| number != found[0]) {
                    return Err(format!(
                        "a commit writes all rows of its writer, but a snapshot reads the versions of commits {found:?}"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// What a law looks for in a reader, when it has opened its snapshot and again when all is quiet.
pub(super) type Check<T> = fn(&Reader<'_, T>) -> Result<(), String>;

impl Act {
    fn run<'a, T: SnapshotTracker>(
        self,
        stage: &'a Stage<T>,
        check: Check<T>,
    ) -> Result<Option<Reader<'a, T>>, String> {
        let reader = match self {
            Act::Open => Some(Reader::open(stage)?),
            Act::OpenClose => {
                drop(Reader::open(stage)?);
                None
            }
            Act::Commit(writer) => {
                stage.commit(writer, || {});
                None
            }
            Act::CommitOpen(writer) => {
                let own = stage.commit(writer, || {});
                let reader = Reader::open(stage)?;
                if !reader.held.sees(own) {
                    return Err(format!(
                        "commit {own} has returned, the thread's next snapshot does not see it"
                    ));
                }
                Some(reader)
            }
            Act::OpenCommit(writer) => {
                let reader = Reader::open(stage)?;
                stage.commit(writer, || {});
                Some(reader)
            }
            Act::Collect(writer) => {
                for _ in 0..2 {
                    stage.commit(writer, || {});
                    stage.collect();
                }
                None
            }
            Act::CollectOpen(writer) => {
                Act::Collect(writer).run(stage, check)?;
                Some(Reader::open(stage)?)
            }
            Act::Watch(writer) => {
                stage.watch()?;
                stage.commit(writer, || {});
                stage.watch()?;
                None
            }
        };
        reader.as_ref().map_or(Ok(()), check)?;
        Ok(reader)
    }
}

/// A thread is stopped at no more of its steps than these, so that a tracker with a thousand places takes no hours.
const DEEPEST: usize = 160;
/// The same, where two threads are stopped.
const DEEPEST_OF_TWO: usize = 24;

/// Stops the first of each pair at each of its steps in turn, while the second runs; the first two of each triple at each
/// pair of steps, while the third runs, and lets the first go on before the second. The first finding ends it.
pub(super) fn every_interleaving<T: SnapshotTracker>(
    new: &impl Fn() -> T,
    pairs: &[(Act, Act)],
    triples: &[(Act, Act, Act)],
    check: Check<T>,
) -> Result<(), String> {
    if !has_steps(&new()) {
        return Ok(());
    }
    for &(first, second) in pairs {
        for at in 0..DEEPEST {
            let (over, _) = play(&Stage::new(new()), &[(first, Some(at)), (second, None)], check)?;
            if over {
                break;
            }
        }
    }
    for &(first, second, third) in triples {
        'first: for at in 0..DEEPEST_OF_TWO {
            for then_at in 0..DEEPEST_OF_TWO {
                let acts = [(first, Some(at)), (second, Some(then_at)), (third, None)];
                match play(&Stage::new(new()), &acts, check)? {
                    (true, _) => break 'first,
                    (false, true) => break,
                    (false, false) => {}
                }
            }
        }
    }
    Ok(())
}

/// Runs the second act of each pair between any two steps of the first, again and again.
pub(super) fn between_all_steps<T: SnapshotTracker>(
    new: &impl Fn() -> T,
    pairs: &[(Act, Act)],
    check: Check<T>,
) -> Result<(), String> {
    if !has_steps(&new()) {
        return Ok(());
    }
    for &(first, second) in pairs {
        let stage = &Stage::new(new());
        thread::scope(|scope| {
            let mut one = Puppet::start(scope, Stop::At(0), move || first.run(stage, check));
            for _ in 0..DEEPEST {
                let two = Puppet::start(scope, Stop::Never, move || second.run(stage, check));
                if two.was_blocked() {
                    // It waits for the first, between whose steps there is no more to see.
                    one.release();
                }
                drop(two.finish().transpose()?);
                if one.next_step() != Some(State::Stalled) {
                    break;
                }
            }
            one.finish().transpose()?.flatten().as_ref().map_or(Ok(()), check)
        })?;
    }
    Ok(())
}

/// Starts the acts one after another, each stopping at its step, and lets them go on in the same order. Says of the first
/// two whether they came to no stop.
fn play<T: SnapshotTracker>(
    stage: &Stage<T>,
    acts: &[(Act, Option<usize>)],
    check: Check<T>,
) -> Result<(bool, bool), String> {
    // Horizons of before, and something to remove.
    stage.watch()?;
    stage.collect();
    thread::scope(|scope| {
        let mut puppets = Vec::new();
        let mut unstopped = Vec::new();
        for &(act, at) in acts {
            let stop = at.map_or(Stop::Never, Stop::At);
            let puppet = Puppet::start(scope, stop, move || act.run(stage, check));
            // One that waits for another has no step to stop at.
            unstopped.push(puppet.state() != State::Stalled);
            puppets.push(puppet);
        }
        for puppet in &mut puppets {
            puppet.release();
        }
        let mut readers = Vec::new();
        for puppet in puppets {
            readers.extend(puppet.finish().transpose()?.flatten());
        }
        readers.iter().try_for_each(check)?;
        Ok((unstopped[0], unstopped[1]))
    })
}

/// Whether the tracker's threads have steps in this build.
fn has_steps<T: SnapshotTracker>(tracker: &T) -> bool {
    let steps = Rc::new(Cell::new(0_usize));
    let counter = Rc::clone(&steps);
    steps::with_plan(
        move |_| counter.set(counter.get() + 1),
        || {
            drop(Held::try_open(tracker));
            tracker.commit(|_| {});
            tracker.horizon();
        },
    );
    steps.get() > 0
}
