//! `select-only`, `mixed`, `simple-update`: sessions scattered over the slots of a server, which read, write, or both.
//!
//! Before the time begins each session has been in use once, so that a process array has them all; some transactions idle, and
//! so many ids have ended since the oldest of them began as the window says. What idles runs in every snapshot.

use std::sync::atomic::AtomicU64;

use snapshot_api::{AssignError, Assigner, Restore, SessionId, Xid};

use super::{
    course::{Settings, run_threads},
    loops::Loops,
    sample::Sample,
    session::Work,
};
use crate::{loads::Sessions, replay::memory::Meter};

/// The first transaction.
const FIRST: Xid = Xid::new(1_000);

/// Measures one pairing.
///
/// # Errors
///
/// The strategy cannot hold what runs before the time begins.
pub(super) fn run<S: Restore>(
    config: &S::Config,
    loops: &Loops<'_, S>,
    load: &Sessions,
    settings: Settings,
) -> Result<Sample, String> {
    let mut memory = Meter::default();
    let places = places(load, settings);
    let scene = memory.run(|| Scene::<S>::new(config, load, &places))?;
    let Scene { strategy, assigner, watched } = &scene;
    let waits = || strategy.lock_waits() + loops.threshold.lock_waits();
    let work = Work {
        strategy,
        watched,
        tests: load.tests,
        read_share: load.read_share,
        assigner: (load.read_share < 1.0).then_some(assigner),
    };
    let (of_threads, of_writers) = places.split_at(settings.threads);
    let told = run_threads(
        settings,
        &waits,
        (settings.threads, &|number, course, part| {
            (loops.session)(&work, (number, of_threads[number]), course, part);
        }),
        (load.writers, &|number, course, beside| {
            while !course.is_over() {
                if let Ok(own) = assigner.assign(strategy, of_writers[number]) {
                    strategy.end(of_writers[number], &[own]);
                    beside.done += 1;
                }
            }
        }),
    );
    Ok(Sample::of(told, memory.held()))
}

/// The slots of all sessions, in the order: threads, writers, idle ones, and one that makes the window.
fn places(load: &Sessions, settings: Settings) -> Vec<SessionId> {
    let mut slots: Vec<u32> = (0..load.slots as u32).collect();
    fastrand::Rng::with_seed(settings.seed).shuffle(&mut slots);
    let needed = settings.threads + load.writers + load.running + usize::from(load.window > 0);
    slots.into_iter().take(needed).map(SessionId::new).collect()
}

/// A server before the time begins.
struct Scene<S> {
    strategy: S,
    assigner: Assigner,
    /// The oldest transaction that idles; 0 for none.
    watched: AtomicU64,
}

impl<S: Restore> Scene<S> {
    fn new(config: &S::Config, load: &Sessions, places: &[SessionId]) -> Result<Self, String> {
        let strategy =
            S::restore(config, FIRST.prev(), &[]).map_err(|refused| refused.to_string())?;
        let assigner = Assigner::new(FIRST);
        let begin = |session| -> Result<Xid, String> {
            assigner.assign(&strategy, session).map_err(|refused: AssignError| refused.to_string())
        };
        for &session in places {
            strategy.end(session, &[begin(session)?]);
        }
        let window = usize::from(load.window > 0);
        let (rest, maker) = places.split_at(places.len() - window);
        let mut idle = rest[rest.len() - load.running..].iter();
        let oldest = idle.next().map(|&session| begin(session)).transpose()?;
        for &session in maker {
            for _ in 0..load.window {
                strategy.end(session, &[begin(session)?]);
            }
        }
        for &session in idle {
            begin(session)?;
        }
        // What idles lies below latest completed, so that snapshots list it.
        if let Some(&session) = places.first() {
            strategy.end(session, &[begin(session)?]);
        }
        let watched = AtomicU64::new(oldest.map_or(0, Xid::get));
        Ok(Scene { strategy, assigner, watched })
    }
}
