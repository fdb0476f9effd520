//! Models of the two protocols: every interleaving of a few threads, and the wrong orders that must fail.
//!
//! `RUSTFLAGS="--cfg snapshot_loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p strategy-baseline --release --test loom`
#![cfg(snapshot_loom)]

use loom::{sync::Arc, thread};
use snapshot_api::dev::interleavings::{begin, every, ids, take, take_in_turn};
use snapshot_api::{
    InstanceId, ListSnapshot, Restore, SessionId, Snapshot, SnapshotStrategy, Xid,
    sync::{
        AtomicU64, AtomicUsize, Mutex,
        Ordering::{self, Acquire, Relaxed, Release},
        RwLock,
    },
};
use strategy_baseline::{
    BooleanArray, BooleanArrayConfig, CompactionRule, Layout, ProcArray, ProcArrayConfig,
};

#[path = "loom/group.rs"]
mod group;
#[path = "loom/reduced.rs"]
mod reduced;

const ONE: SessionId = SessionId::new(0);
const TWO: SessionId = SessionId::new(1);

/// An array of four places, all taken by ids 3 to 6; the first end that leaves gaps closes them.
fn boolean_array(reuse: bool) -> Arc<BooleanArray> {
    let config =
        BooleanArrayConfig { rule: CompactionRule::Since15_2, reuse, ..Default::default() };
    Arc::new(BooleanArray::restore(&config, Xid::new(6), &ids([3, 4, 5, 6])).expect("it grows"))
}

/// An append that makes the array grow, an end that compacts it, and a reader.
fn append_beside_compaction_and_take(reuse: bool) {
    every(move || {
        let array = boolean_array(reuse);
        let appender = thread::spawn({
            let array = Arc::clone(&array);
            move || begin(&*array, ONE, 7)
        });
        let ender = thread::spawn({
            let array = Arc::clone(&array);
            move || array.end(TWO, &ids([4, 5, 6]))
        });
        take_in_turn(&*array, 1, 2, &[(7, &[3, 4, 5, 6]), (7, &[3])]);
        appender.join().expect("no panic");
        ender.join().expect("no panic");
        array.end(ONE, &ids([7]));
        assert_eq!(take(&*array, &mut array.snapshot()), (8, vec![3]));
        assert!(array.occupancy().compactions > 0, "the model is to see one");
    });
}

#[test]
fn boolean_array_appends_beside_compaction_and_take() {
    append_beside_compaction_and_take(false);
}

#[test]
fn boolean_array_appends_beside_compaction_and_reuse() {
    append_beside_compaction_and_take(true);
}

/// Whoever sees that a higher id has completed sees each lower one that runs (PostgreSQL 74fc8386).
fn lower_ids_are_found<S: SnapshotStrategy + 'static>(
    make: impl Fn() -> S + Sync + Send + 'static,
) {
    every(move || {
        let strategy = Arc::new(make());
        let writer = thread::spawn({
            let strategy = Arc::clone(&strategy);
            move || {
                begin(&*strategy, ONE, 7);
                begin(&*strategy, TWO, 8);
                strategy.end(TWO, &ids([8]));
            }
        });
        take_in_turn(&*strategy, 1, 2, &[(7, &[3]), (9, &[3, 7])]);
        writer.join().expect("no panic");
    });
}

#[test]
fn boolean_array_lower_ids_are_found() {
    lower_ids_are_found(|| {
        let config = BooleanArrayConfig { reuse: true, ..Default::default() };
        BooleanArray::restore(&config, Xid::new(6), &ids([3])).expect("it grows")
    });
}

/// Two sessions, neither in use yet, and a restored id.
fn proc_array(layout: Layout, reuse: bool) -> ProcArray {
    let config = ProcArrayConfig { sessions: 2, layout, reuse, group_clear: false };
    ProcArray::restore(&config, Xid::new(6), &ids([3])).expect("nothing is bounded")
}

#[test]
fn proc_array_lower_ids_are_found_scattered() {
    lower_ids_are_found(|| proc_array(Layout::Scattered, false));
}

#[test]
fn proc_array_lower_ids_are_found_dense() {
    lower_ids_are_found(|| proc_array(Layout::Dense, true));
}

/// A session ends its transaction with a subtransaction and begins the next one while another ends its own.
fn begin_end_take(layout: Layout, reuse: bool) {
    every(move || {
        let array = Arc::new(proc_array(layout, reuse));
        begin(&*array, ONE, 7);
        begin(&*array, TWO, 8);
        begin(&*array, TWO, 9);
        let one = thread::spawn({
            let array = Arc::clone(&array);
            move || {
                begin(&*array, ONE, 10);
                array.end(ONE, &ids([7, 10]));
            }
        });
        let two = thread::spawn({
            let array = Arc::clone(&array);
            move || array.end(TWO, &ids([8, 9]))
        });
        let mut snapshot = array.snapshot();
        let mut before = (7, vec![3]);
        for _ in 0..2 {
            let now = take(&*array, &mut snapshot);
            let later: &[(u64, &[u64])] = match before.0 {
                7 => &[(7, &[3]), (10, &[3, 7]), (11, &[3, 8, 9]), (11, &[3])],
                10 => &[(10, &[3, 7]), (11, &[3])],
                _ if before.1.len() == 3 => &[(11, &[3, 8, 9]), (11, &[3])],
                _ => &[(11, &[3])],
            };
            assert!(later.contains(&(now.0, &now.1)), "{now:?} after {before:?}");
            before = now;
        }
        one.join().expect("no panic");
        two.join().expect("no panic");
        assert_eq!(take(&*array, &mut snapshot), (11, vec![3]), "what had ended before the call");
    });
}

#[test]
fn proc_array_begin_end_take_scattered() {
    begin_end_take(Layout::Scattered, true);
}

#[test]
fn proc_array_begin_end_take_dense() {
    begin_end_take(Layout::Dense, false);
}

/// Another session rolls back one subtransaction while its owner adds one, and nothing is lost.
#[test]
fn proc_array_a_list_grows_beside_a_foreign_end() {
    every(|| {
        let array = Arc::new(proc_array(Layout::Scattered, false));
        begin(&*array, ONE, 7);
        begin(&*array, ONE, 8);
        let owner = thread::spawn({
            let array = Arc::clone(&array);
            move || begin(&*array, ONE, 9)
        });
        let other = thread::spawn({
            let array = Arc::clone(&array);
            move || array.end(TWO, &ids([8]))
        });
        take_in_turn(&*array, 1, 2, &[(7, &[3]), (9, &[3, 7])]);
        owner.join().expect("no panic");
        other.join().expect("no panic");
        array.end(TWO, &ids([10]));
        assert_eq!(take(&*array, &mut array.snapshot()), (11, vec![3, 7, 9]));
    });
}

/// A session that idles leaves while another ends and a third reads, then comes back.
#[test]
fn proc_array_idle_sessions_leave_beside_an_end_and_a_take() {
    every(|| {
        let config = ProcArrayConfig { sessions: 4, layout: Layout::Dense, ..Default::default() };
        let array = ProcArray::restore(&config, Xid::new(6), &[]).expect("nothing is bounded");
        let array = Arc::new(array);
        // Two that idle lie before the one that runs 9; the next begin looks for idle ones.
        for (session, id) in [(0, 7), (1, 8), (2, 9)] {
            begin(&*array, SessionId::new(session), id);
        }
        array.end(SessionId::new(0), &ids([7]));
        array.end(SessionId::new(1), &ids([8]));
        assert_eq!(array.sessions_in_use(), 3);
        let ender = thread::spawn({
            let array = Arc::clone(&array);
            move || array.end(SessionId::new(2), &ids([9]))
        });
        let beginner = thread::spawn({
            let array = Arc::clone(&array);
            move || {
                for (session, id) in [(3, 10), (1, 11), (0, 12), (0, 13)] {
                    begin(&*array, SessionId::new(session), id);
                }
            }
        });
        take_in_turn(&*array, 1, 2, &[(9, &[]), (10, &[])]);
        ender.join().expect("no panic");
        beginner.join().expect("no panic");
        array.end(SessionId::new(1), &ids([20]));
        assert_eq!(take(&*array, &mut array.snapshot()), (21, vec![10, 11, 12, 13]));
        for (session, id) in [(3, 10), (1, 11), (0, 12), (0, 13)] {
            array.end(SessionId::new(session), &ids([id]));
        }
        assert_eq!(take(&*array, &mut array.snapshot()), (21, vec![]));
    });
}
