//! The benchmarks of the contract on both designs in their oldest and newest variant; and what a snapshot's walk costs
//! beside the plainest walk over as many places, and over sessions in both layouts; and ends by several threads at once.
//!
//! `cargo bench -p strategy-baseline`, with `-- walk` at its end for the walks alone, `-- ends` for ends. The variants in
//! between: `cargo bench -p strategy-baseline --bench variants`.

use std::{
    hint::black_box,
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
};

use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid, dev::bench::Bench};
use strategy_baseline::{
    BooleanArray, BooleanArrayConfig, CompactionRule, Layout, ProcArray, ProcArrayConfig,
};

fn array(rule: CompactionRule) -> BooleanArrayConfig {
    BooleanArrayConfig { rule, ..BooleanArrayConfig::default() }
}

fn sessions(layout: Layout) -> ProcArrayConfig {
    ProcArrayConfig { layout, ..ProcArrayConfig::default() }
}

snapshot_api::snapshot_benches!(
    BooleanArray = array(CompactionRule::Original),
    BooleanArray = BooleanArrayConfig { reuse: true, ..BooleanArrayConfig::default() },
    ProcArray = sessions(Layout::Scattered),
    ProcArray = ProcArrayConfig { reuse: true, ..sessions(Layout::Dense) };
    walks_and_ends
);

/// Ids that run; one is old, the others are the newest.
const RUNNING: usize = 200;

fn walks_and_ends(bench: &mut Bench) {
    spans(bench, 256, "plain walk 256", "walk 256");
    spans(bench, 20_088, "plain walk 20,088", "walk 20,088");
    spans(bench, 326_430, "plain walk 326,430", "walk 326,430");
    spans(bench, 1_000_000, "plain walk 1,000,000", "walk 1,000,000");
    slots(bench, 200, "walk 192 of 200 sessions");
    slots(bench, 1_000, "walk 192 of 1,000 sessions");
    idle(bench);
    ends(bench);
}

/// The known-assigned array beside a `Vec<bool>` whose true flags' ids are pushed, without lock, bound or atomic.
fn spans(bench: &mut Bench, span: usize, yardstick: &'static str, operation: &'static str) {
    let ids: Vec<Xid> = (3..).take(span).map(Xid::new).collect();
    let flags: Vec<bool> = (0..span).map(|n| n == 0 || n > span - RUNNING).collect();
    let mut running = Vec::with_capacity(RUNNING);
    bench.yardstick(yardstick, || {
        running.clear();
        for (id, &flag) in black_box(&ids).iter().zip(black_box(&flags)) {
            if flag {
                running.push(*id);
            }
        }
        running.len()
    });

    // With so many processes the original rule closes no gap.
    let config = BooleanArrayConfig { processes: span, ..array(CompactionRule::Original) };
    let array = BooleanArray::restore(&config, ids[span - 1], &ids).expect("it grows");
    array.end(SessionId::new(0), &ids[1..=span - RUNNING]);
    let occupancy = array.occupancy();
    assert_eq!((occupancy.span, occupancy.valid), (span, RUNNING));
    let mut snapshot = array.snapshot();
    bench.call("boolean-array", operation, yardstick, || array.take(black_box(&mut snapshot)));
    array.take(&mut snapshot);
    assert_eq!(snapshot.running().count(), RUNNING);
}

/// 192 sessions run one id each, spread over so many slots: the case of *GetSnapshotData round two*.
fn slots(bench: &mut Bench, slots: u32, operation: &'static str) {
    const BUSY: u32 = 192;
    let session = |n: u32| SessionId::new(n * (slots / BUSY));
    let xid = |n: u32| Xid::new(3 + u64::from(n));
    for layout in [Layout::Scattered, Layout::Dense] {
        let config = ProcArrayConfig { sessions: slots, ..sessions(layout) };
        let array = ProcArray::restore(&config, Xid::FROZEN, &[]).expect("nothing runs");
        // First each in the order of slots, so that all are in use; then in another order, so that neither layout finds
        // the ids sorted: 89 shares no divisor with 192.
        for n in 0..BUSY {
            array.begin(session(n), xid(n)).expect("in order");
            array.end(session(n), &[xid(n)]);
        }
        for n in BUSY..2 * BUSY {
            array.begin(session(n * 89 % BUSY), xid(n)).expect("in order");
        }
        array.end(session(0), &[xid(1_000)]);
        let mut snapshot = array.snapshot();
        bench.call(&array.facts().name, operation, "atomic load", || {
            array.take(black_box(&mut snapshot));
        });
        array.take(&mut snapshot);
        assert_eq!(snapshot.running().count(), BUSY as usize);
    }
}

/// 1,000 sessions were in use once, 10 still are: before the idle ones have left, and when they have.
fn idle(bench: &mut Bench) {
    const ALL: u32 = 1_000;
    const ACTIVE: u32 = 10;
    let array = ProcArray::restore(&sessions(Layout::Dense), Xid::FROZEN, &[]).expect("empty");
    let mut next = 3;
    let mut begin = |session| {
        array.begin(SessionId::new(session), Xid::new(next)).expect("in order");
        next += 1;
        Xid::new(next - 1)
    };
    let ids: Vec<Xid> = (0..ALL).map(&mut begin).collect();
    for (session, &xid) in (0..).zip(&ids) {
        array.end(SessionId::new(session), &[xid]);
    }
    let mut turn = |turns: u32, operation, places: u32| {
        for session in (0..ACTIVE).cycle().take((turns * ACTIVE) as usize) {
            let xid = begin(session);
            array.end(SessionId::new(session), &[xid]);
        }
        let running = (0..ACTIVE).map(&mut begin).collect::<Vec<_>>();
        assert_eq!(array.sessions_in_use(), places as usize);
        let mut snapshot = array.snapshot();
        bench.call(&array.facts().name, operation, "atomic load", || {
            array.take(black_box(&mut snapshot));
        });
        for (session, &xid) in (0..).zip(&running) {
            array.end(SessionId::new(session), &[xid]);
        }
    };
    turn(0, "walk 10 of 1,000 once in use", ALL);
    turn(200, "walk 10, the idle ones have left", ACTIVE);
}

/// A round: so many ids begin, then several threads end them, each its share.
fn ends(bench: &mut Bench) {
    const ALONE: &str = "1,024 begins, ends by 1 thread";
    for (threads, operation) in [
        (1, ALONE),
        (2, "1,024 begins, ends by 2 threads"),
        (4, "1,024 begins, ends by 4 threads"),
        (8, "1,024 begins, ends by 8 threads"),
    ] {
        for group_clear in [false, true] {
            let config =
                ProcArrayConfig { sessions: ROUND, group_clear, ..sessions(Layout::Dense) };
            let array = ProcArray::restore(&config, Xid::FROZEN, &[]).expect("nothing runs");
            rounds(&array, threads, |round| {
                if threads == 1 && !group_clear {
                    bench.yardstick(ALONE, round);
                } else {
                    bench.call(&array.facts().name, operation, ALONE, round);
                }
            });
        }
    }
}

/// Ids of a round, each in a session of its own.
const ROUND: u32 = 1_024;

/// Calls `measure` with a function that plays one round on `threads` threads that wait for it.
fn rounds(array: &ProcArray, threads: u32, measure: impl FnOnce(&mut dyn FnMut())) {
    let (start, done) = (Barrier::new(threads as usize + 1), Barrier::new(threads as usize + 1));
    let over = AtomicBool::new(false);
    let xid =
        |round: u64, session: u32| Xid::new(3 + round * u64::from(ROUND) + u64::from(session));
    thread::scope(|scope| {
        for thread in 0..threads {
            let (start, done, over) = (&start, &done, &over);
            scope.spawn(move || {
                for round in 0.. {
                    start.wait();
                    // Relaxed: the barrier orders it.
                    if over.load(Relaxed) {
                        return;
                    }
                    for session in (thread..ROUND).step_by(threads as usize) {
                        array.end(SessionId::new(session), &[xid(round, session)]);
                    }
                    done.wait();
                }
            });
        }
        let mut round = 0;
        measure(&mut || {
            for session in 0..ROUND {
                array.begin(SessionId::new(session), xid(round, session)).expect("in order");
            }
            start.wait();
            done.wait();
            round += 1;
        });
        over.store(true, Relaxed);
        start.wait();
    });
    let mut snapshot = array.snapshot();
    array.take(&mut snapshot);
    assert_eq!(snapshot.running().count(), 0, "each end is seen");
}
