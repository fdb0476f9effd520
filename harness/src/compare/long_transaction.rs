//! `standby-long-transaction`: sessions of a standby take snapshots while the log is replayed, and one transaction stays
//! open for the middle third.
//!
//! A reader's operation is a take, 16 visibility tests and one look at the threshold. The replayer begins and ends
//! transactions in a steady stream, not in bursts: between bursts snapshots are reused and the effect vanishes. While the
//! long transaction is open, an array that keeps what has ended cannot let go of it.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, ThresholdStrategy, Xid};

use super::{
    cell::{Course, Part, Sample, Settings, nanos, run_threads},
    still_open,
};

/// Visibility tests after a take: rows that one short query looks at.
const TESTS: u64 = 16;
/// Transactions that run at any time besides the long one.
const RUNNING: usize = 16;
/// Transactions a second that the replayer tries to keep up with. Enough to fill the array of a standby for 5,000
/// connections within the third of a second that the long transaction is open; a real primary takes some seconds.
const RATE: u64 = 200_000;
/// How often the replayer looks at the clock.
const PAUSE: Duration = Duration::from_micros(50);
/// One operation in so many is timed.
const LOOK_AT: u64 = 16;
/// The first transaction.
const FIRST: Xid = Xid::new(1_000);
/// The session of the long transaction; the others are below.
const LONG: SessionId = SessionId::new(RUNNING as u32 + 1);

/// Measures one pairing.
pub fn run<S: Restore, T: ThresholdStrategy>(
    strategy: &S,
    threshold: &T,
    settings: Settings,
) -> Sample {
    let open = AtomicU64::new(0);
    let waits = || strategy.lock_waits() + threshold.lock_waits();
    let before = waits();
    let (parts, seconds) = run_threads(
        settings,
        |course| replay(strategy, &open, settings.seed, course),
        |_, course| read(strategy, threshold, &open, course),
    );
    Sample::of(parts, seconds, waits() - before, true)
}

/// An instance that the load can be run on.
///
/// # Errors
///
/// The strategy's own.
pub fn fresh<S: Restore>(config: &S::Config) -> Result<S, snapshot_api::RestoreError> {
    S::restore(config, FIRST.prev(), &[])
}

fn replay<S: SnapshotStrategy>(strategy: &S, open: &AtomicU64, seed: u64, course: &Course) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut running: Vec<(SessionId, Xid)> = Vec::new();
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
    let mut done = 0;
    let mut long = None;
    while !course.is_over() {
        let elapsed = start.elapsed();
        let third = third_of(elapsed, course);
        if third == 1 && long.is_none() {
            long = begin(strategy, LONG);
            // Release: pairs with the readers' Acquire; its begin has returned.
            open.store(long.map_or(0, Xid::get), Ordering::Release);
        }
        if let (2, Some(xid)) = (third, long.take_if(|_| third == 2)) {
            // Before its end begins, so that nobody insists on it any more. Release: whoever sees the end, which is passed on
            // by the strategy, sees this store too.
            open.store(0, Ordering::Release);
            strategy.end(LONG, &[xid]);
        }
        let due = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX) * RATE / 1_000_000;
        // A replayer that has fallen behind does not make up for it in one burst.
        done = done.max(due.saturating_sub(RATE / 1_000));
        while done < due {
            done += 1;
            let session = if running.len() == RUNNING {
                let (session, xid) = running.swap_remove(random.usize(..RUNNING));
                strategy.end(session, &[xid]);
                session
            } else {
                SessionId::new(running.len() as u32)
            };
            running.extend(begin(strategy, session).map(|xid| (session, xid)));
        }
        std::thread::sleep(PAUSE);
    }
}

/// 0, 1 or 2.
fn third_of(elapsed: Duration, course: &Course) -> usize {
    (elapsed.as_nanos() * 3 / course.duration().as_nanos().max(1)).min(2) as usize
}

fn read<S: SnapshotStrategy, T: ThresholdStrategy>(
    strategy: &S,
    threshold: &T,
    open: &AtomicU64,
    course: &Course,
) -> Part {
    let mut part = Part::default();
    let mut snapshot = strategy.snapshot();
    let (mut xmin, mut xmax) = (Xid::INVALID, Xid::INVALID);
    let mut tested = 0_u64;
    let mut third = 0;
    let start = Instant::now();
    while !course.is_over() && part.wrong.is_none() {
        // Acquire: pairs with the replayer's Release; the long transaction's begin happens before the take.
        let before = open.load(Ordering::Acquire);
        let look = part.ops.is_multiple_of(LOOK_AT).then(Instant::now);
        strategy.take(&mut snapshot);
        if let Some(look) = look {
            part.take_ns += nanos(look.elapsed());
        }
        let high = snapshot.xmax();
        for back in 0..TESTS {
            let xid = Xid::new(high.get().saturating_sub(1 + back * 3));
            tested += u64::from(snapshot.is_running(xid));
        }
        tested += threshold.timestamp().as_micros();
        if let Some(look) = look {
            let time = look.elapsed();
            part.looked_at += nanos(time);
            part.took(time);
            third = third_of(start.elapsed(), course);
        }
        part.ops += 1;
        part.thirds[third] += 1;
        // What can be checked at this speed: bounds never go back, and the long transaction runs as long as its end has
        // not begun.
        if snapshot.xmin() < xmin || high < xmax {
            part.is_wrong(|| {
                format!("bounds go back from {xmin}, {xmax} to {}, {high}", snapshot.xmin())
            });
        }
        if before != 0 && still_open(open, before) && !snapshot.is_running(Xid::new(before)) {
            part.is_wrong(|| {
                format!("the long transaction {before} is open, but does not run below xmax {high}")
            });
        }
        (xmin, xmax) = (snapshot.xmin(), high);
    }
    // The sum is used, so that no test can be left out.
    std::hint::black_box(tested);
    part
}
