//! `replay`: a recording of a real primary's log, replayed as a standby does it, beside readers.
//!
//! What is measured is the replayer: an operation is an event. The readers work without pause, as under the other loads.
//! In the check before, whoever replays must know the same as the naive strategy at some events and at the end; while it is timed a
//! list would cost some designs much.
//!
//! One event in a batch is timed; a batch is replayed between two looks at the clock.

use std::{
    sync::{Arc, Mutex, PoisonError, atomic::AtomicU64},
    time::{Duration, Instant},
};

use snapshot_api::{SessionId, Standby};

use super::{
    course::{Course, Settings, run_threads},
    loops::Loops,
    part::{Beside, Part, Spent},
    recorded::{BATCH, Known, Recorded},
    sample::Sample,
    session::Work,
};
use crate::{
    clock::{Lap, own_nanos},
    loads::Replay,
    replay::memory::Meter,
    standby::Machine,
};

/// How long a replayer rests that is ahead of its schedule.
const PAUSE: Duration = Duration::from_micros(50);

/// Measures one pairing.
///
/// # Errors
///
/// The strategy refuses what every standby has to do.
pub(super) fn run<S: Standby>(
    config: &S::Config,
    loops: &Loops<'_, S>,
    load: &Replay,
    settings: Settings,
) -> Result<Sample, String> {
    let mut memory = Meter::default();
    let history = &load.recorded.history;
    let machine = memory.run(|| -> Result<_, String> {
        let mut machine = Machine::<S>::new(config.clone(), history.options())
            .map_err(|refused| refused.to_string())?;
        for event in history.events().take(history.before_ready()) {
            machine.apply(&event).map_err(|refused| format!("{refused:?}"))?;
        }
        Ok(machine)
    })?;
    let strategy = Arc::clone(machine.instance());
    let waits = || strategy.lock_waits() + loops.threshold.lock_waits();
    let watched = AtomicU64::new(0);
    let work = Work {
        strategy: &*strategy,
        watched: &watched,
        tests: load.tests,
        read_share: 1.0,
        assigner: None,
    };
    // The one replayer takes it out.
    let machine = Mutex::new(machine);
    // Events come at a rate, not the readers' snapshots.
    let pace = settings.rate.unwrap_or(load.pace);
    let told = run_threads(
        Settings { rate: None, ..settings },
        &waits,
        (1, &|_, course, part| {
            let mut machine = machine.lock().unwrap_or_else(PoisonError::into_inner);
            replay(&mut machine, &load.recorded, pace, course, part);
        }),
        (settings.threads, &|number, course, beside: &mut Beside| {
            let mut part = Part::of_the_whole(course);
            (loops.session)(&work, (number, SessionId::new(0)), course, &mut part);
            (beside.done, beside.wrong) = (part.ops, part.wrong);
        }),
    );
    Ok(Sample::of(told, memory.held()))
}

fn replay<S: Standby>(
    machine: &mut Machine<S>,
    recorded: &Recorded,
    pace: f64,
    course: &Course,
    part: &mut Part,
) {
    let history = &recorded.history;
    let own = own_nanos();
    let mut events = history.events();
    if let Some(last) = history.before_ready().checked_sub(1) {
        events.nth(last);
    }
    let start = Instant::now();
    let mut lag_ms: f64 = 0.0;
    // From the first one on; `part` counts from the end of the warm-up on.
    let mut applied = 0_u64;
    while !course.is_over() {
        if pace > 0.0 {
            let elapsed = start.elapsed();
            let due = elapsed.as_secs_f64() * pace;
            if course.counted(elapsed).is_some() {
                lag_ms = lag_ms.max((due - applied as f64) * 1_000.0 / pace);
            }
            if due < applied as f64 {
                std::thread::sleep(PAUSE);
                part.idle += PAUSE;
                continue;
            }
        }
        let mut lap = Lap::start(own);
        for (place, event) in events.by_ref().take(BATCH).enumerate() {
            if let Err(refused) = machine.apply(&event) {
                let number = applied + 1;
                part.is_wrong(|| format!("event {number} refused: {refused:?}"));
                return;
            }
            part.ops += 1;
            applied += 1;
            if place == 0 {
                let other = lap.lap();
                let spent = Spent { other, ..Spent::default() };
                part.took(course, lap.last() - start, Duration::from_nanos(other as u64), spent);
            }
        }
        let settings = course.settings();
        let mark = recorded.marks.get(&applied).filter(|_| settings.thorough);
        if mark.is_some_and(|known| Known::of(machine).as_ref() != Some(known)) {
            part.is_wrong(|| format!("after {applied} events other ids run than should"));
            break;
        }
        if applied == history.after_ready() as u64 {
            break;
        }
    }
    part.lag_ms = (pace > 0.0).then_some(lag_ms);
}
