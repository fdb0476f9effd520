//! The epoch list with the real crossbeam-epoch, under threads that run freely: nodes are unlinked and used anew thousands of
//! times beside the readers.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid};
use strategy_linkedlist::EpochList;

/// So many even ids run at once; every odd one ends as soon as it has begun.
const WINDOW: u64 = 20;
const FIRST: u64 = 1_000;
const ROUNDS: u64 = 30_000;
/// So often the writer lets the readers on, where they have no core of their own: one that has lost its core inside a take
/// holds back what ended since.
const ROUNDS_A_TURN: u64 = 64;

/// In every state the even ids in a window right below xmax run, and no other.
fn check(snapshot: &impl Snapshot) {
    let running: Vec<u64> = snapshot.running().map(Xid::get).collect();
    let xmax = snapshot.xmax().get();
    let count = running.len() as u64;
    let lowest = xmax - 2 * count;
    assert!(
        running.iter().copied().eq((lowest..xmax).step_by(2)) && count <= WINDOW + 1,
        "{running:?} below {xmax} was never so"
    );
    assert!(count >= WINDOW || lowest == FIRST, "{count} run below {xmax}: one is missing");
}

/// An even id and an odd one begin, this odd one ends, and the even one that began a window ago.
fn play(list: &EpochList, round: u64) {
    let (odd, even) = (SessionId::new(0), SessionId::new(1));
    let id = FIRST + 2 * round;
    list.begin(even, Xid::new(id)).expect("in order");
    list.begin(odd, Xid::new(id + 1)).expect("in order");
    list.end(odd, &[Xid::new(id + 1)]);
    if round >= WINDOW {
        list.end(even, &[Xid::new(id - 2 * WINDOW)]);
    }
}

#[test]
fn nodes_are_used_anew_beside_readers() {
    let list = EpochList::restore(&(), Xid::new(FIRST - 1), &[]).expect("nothing is bounded");
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut snapshot = list.snapshot();
                let mut xmax = Xid::FIRST_NORMAL;
                while !over.load(Ordering::Relaxed) {
                    list.take(&mut snapshot);
                    check(&snapshot);
                    assert!(snapshot.xmax() >= xmax, "xmax goes back");
                    xmax = snapshot.xmax();
                }
            });
        }
        scope.spawn(|| {
            for round in 0..ROUNDS {
                play(&list, round);
                if round % ROUNDS_A_TURN == 0 {
                    thread::yield_now();
                }
            }
            over.store(true, Ordering::Relaxed);
        });
    });
    // The readers have left. What they held back goes by the next looks of the writer.
    for round in ROUNDS..ROUNDS + 1_000 {
        play(&list, round);
    }
    let counts = list.node_counts();
    assert_eq!(counts.running as u64, WINDOW);
    assert!(counts.ended < 1_000, "what ended goes: {counts:?}");
}
