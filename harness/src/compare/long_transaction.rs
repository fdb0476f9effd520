//! `standby-long-transaction`: sessions of a standby take snapshots while the log is replayed, and one transaction stays
//! open for the middle third.
//!
//! The replayer begins and ends transactions in a steady stream, not in bursts: between bursts snapshots are reused and the
//! effect vanishes. While the long transaction is open, an array that keeps what has ended cannot let go of it.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use snapshot_api::{Restore, SessionId, SnapshotStrategy, Xid};

use super::{
    course::{Course, Settings, run_threads},
    loops::Loops,
    part::Beside,
    sample::Sample,
    session::Work,
};
use crate::{loads::Standby, replay::memory::Meter};

/// How often the replayer looks at the clock.
const PAUSE: Duration = Duration::from_micros(50);
/// The first transaction.
const FIRST: Xid = Xid::new(1_000);

/// Measures one pairing.
///
/// # Errors
///
/// The strategy cannot be set up.
pub(super) fn run<S: Restore>(
    config: &S::Config,
    loops: &Loops<'_, S>,
    load: &Standby,
    settings: Settings,
) -> Result<Sample, String> {
    let mut memory = Meter::default();
    let strategy = memory
        .run(|| S::restore(config, FIRST.prev(), &[]))
        .map_err(|refused| refused.to_string())?;
    let open = AtomicU64::new(0);
    let waits = || strategy.lock_waits() + loops.threshold.lock_waits();
    let work = Work {
        strategy: &strategy,
        watched: &open,
        tests: load.tests,
        read_share: 1.0,
        assigner: None,
    };
    // Readers have no transaction of their own, so that their number does not matter.
    let reader = SessionId::new(0);
    let told = run_threads(
        settings,
        &waits,
        (settings.threads, &|number, course, part| {
            (loops.session)(&work, (number, reader), course, part);
        }),
        (1, &|_, course, beside| replay(&strategy, load, &open, course, beside)),
    );
    Ok(Sample::of(told, memory.held()))
}

fn replay<S: SnapshotStrategy>(
    strategy: &S,
    load: &Standby,
    open: &AtomicU64,
    course: &Course,
    beside: &mut Beside,
) {
    let mut random = fastrand::Rng::with_seed(course.settings().seed);
    // The session of the long transaction; the others are below.
    let long_session = SessionId::new(load.running as u32);
    let mut running: Vec<(SessionId, Xid)> = Vec::with_capacity(load.running);
    let mut next = FIRST.get();
    let mut begin = |strategy: &S, session| {
        let xid = Xid::new(next);
        // A bounded design that is full has nothing to replay into until something ends.
        strategy.begin(session, xid).is_ok().then(|| {
            next += 1;
            xid
        })
    };
    let start = Instant::now();
    let per_ms = load.transactions as f64 / 1_000.0;
    // Those that are done or given up; and those that are done.
    let (mut past, mut done) = (0_u64, 0_u64);
    let mut long = None;
    while !course.is_over() {
        let elapsed = start.elapsed();
        let counted = course.counted(elapsed);
        let third = course.part_of(counted.unwrap_or_default(), 3);
        if third == 1 && long.is_none() {
            long = begin(strategy, long_session);
            // Release: pairs with the readers' Acquire; its begin has returned.
            open.store(long.map_or(0, Xid::get), Ordering::Release);
        }
        if let (2, Some(xid)) = (third, long.take_if(|_| third == 2)) {
            // Before its end begins, so that nobody insists on it any more. Release: whoever sees the end, which is passed on
            // by the strategy, sees this store too.
            open.store(0, Ordering::Release);
            strategy.end(long_session, &[xid]);
        }
        let due = (elapsed.as_secs_f64() * 1_000.0 * per_ms) as u64;
        if counted.is_some() {
            beside.is_behind(due.saturating_sub(done) as f64 / per_ms);
        }
        // A replayer that has fallen behind does not make up for it in one burst.
        past = past.max(due.saturating_sub(per_ms as u64));
        while past < due {
            past += 1;
            done += 1;
            let session = if running.len() == load.running {
                let (session, xid) = running.swap_remove(random.usize(..load.running));
                strategy.end(session, &[xid]);
                beside.done += 1;
                session
            } else {
                SessionId::new(running.len() as u32)
            };
            running.extend(begin(strategy, session).map(|xid| (session, xid)));
        }
        std::thread::sleep(PAUSE);
    }
}
