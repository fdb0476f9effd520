//! The epoch list, whole but for crossbeam-epoch, which a counted set of callers stands for. Each end looks what can be
//! unlinked and used anew, and the ring of xmaxes has two places.

use loom::thread;
use snapshot_api::{Restore, SnapshotStrategy, Standby, Xid};
use strategy_linkedlist::EpochList;

use super::{ONE, TWO};
use loom::sync::Arc;
use snapshot_api::dev::interleavings::{begin, every, ids, take, take_in_turn};

fn list<const N: usize>(latest: u64, running: [u64; N]) -> Arc<EpochList> {
    Arc::new(EpochList::restore(&(), Xid::new(latest), &ids(running)).expect("nothing is bounded"))
}

/// A tree ends, the one below and above it stay; xmax rises with it.
#[test]
fn a_tree_ends_beside_two_takes() {
    every(|| {
        let list = list(6, [3, 5, 7]);
        let ender = thread::spawn({
            let list = Arc::clone(&list);
            // Id 8 was never begun: in no list, and as much a part of the tree.
            move || list.end(ONE, &ids([5, 7, 8]))
        });
        take_in_turn(&*list, 1, 2, &[(7, &[3, 5]), (9, &[3])]);
        ender.join().expect("no panic");
        assert_eq!(take(&*list, &mut list.snapshot()), (9, vec![3]), "an end that has returned");
    });
}

/// Whoever sees that a higher id has completed sees each lower one that runs (PostgreSQL 74fc8386).
#[test]
fn lower_ids_are_found() {
    every(|| {
        let list = list(6, [3]);
        let writer = thread::spawn({
            let list = Arc::clone(&list);
            move || {
                begin(&*list, ONE, 7);
                begin(&*list, TWO, 8);
                list.end(TWO, &ids([8]));
            }
        });
        take_in_turn(&*list, 1, 2, &[(7, &[3]), (9, &[3, 7])]);
        writer.join().expect("no panic");
    });
}

/// Nodes are unlinked and used anew for later ids while a reader walks, and the ring of xmaxes is lapped.
#[test]
fn nodes_are_used_anew_beside_a_take() {
    every(|| {
        let list = list(6, [3, 4, 5]);
        let writer = thread::spawn({
            let list = Arc::clone(&list);
            move || {
                list.end(ONE, &ids([3]));
                list.end(ONE, &ids([4]));
                begin(&*list, ONE, 7);
                list.end(ONE, &ids([8]));
            }
        });
        let states: [(u64, &[u64]); 4] = [(7, &[3, 4, 5]), (7, &[4, 5]), (7, &[5]), (9, &[5, 7])];
        take_in_turn(&*list, 1, 2, &states);
        writer.join().expect("no panic");
        assert_eq!(take(&*list, &mut list.snapshot()), (9, vec![5, 7]));
    });
}

/// Two readers beside two ends, one of which is a reader's own: their snapshots form a chain.
#[test]
fn two_readers_beside_two_ends() {
    every(|| {
        let list = list(6, [3, 4]);
        let ender = thread::spawn({
            let list = Arc::clone(&list);
            move || list.end(ONE, &ids([3]))
        });
        let reader = thread::spawn({
            let list = Arc::clone(&list);
            move || take(&*list, &mut list.snapshot()).1
        });
        list.end(TWO, &ids([4]));
        let (_, own) = take(&*list, &mut list.snapshot());
        let other = reader.join().expect("no panic");
        ender.join().expect("no panic");
        assert!(!own.contains(&4), "an end that has returned");
        assert!(
            own.iter().all(|id| other.contains(id)) || other.iter().all(|id| own.contains(id)),
            "each holds an end that the other lacks: {own:?} and {other:?}"
        );
    });
}

/// A standby's changes are numbered like ends: forgotten and pruned while a reader walks, xmax raised.
#[test]
fn forget_prune_and_complete_beside_two_takes() {
    every(|| {
        let list = list(6, [3, 4, 5]);
        let writer = thread::spawn({
            let list = Arc::clone(&list);
            move || {
                list.forget(&ids([4]));
                list.prune(Xid::new(4));
                list.complete(Xid::new(9));
            }
        });
        take_in_turn(&*list, 1, 2, &[(7, &[3, 4, 5]), (7, &[3, 5]), (7, &[5]), (10, &[5])]);
        writer.join().expect("no panic");
    });
}
