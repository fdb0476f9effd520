//! The two designs over the standby's array, whole.

use loom::thread;
use snapshot_api::{Restore, SnapshotStrategy, Standby, Xid};
use strategy_baseline::{
    CompactionRule,
    known_array::{KnownArray, Places},
};
use strategy_linkedlist::{
    LinkedList, ListConfig, SkipOffsets, linked_list::Links, skip_offsets::Distances,
};

use super::{ONE, TWO};
use loom::sync::Arc;
use snapshot_api::dev::interleavings::{begin, every, ids, take, take_in_turn};

/// An array of four places, all taken by ids 3 to 6; the first end that leaves gaps closes them.
fn full<P: Places<Config = ListConfig>>() -> Arc<KnownArray<P>> {
    let config = ListConfig { rule: CompactionRule::Since15_2, ..ListConfig::default() };
    Arc::new(KnownArray::restore(&config, Xid::new(6), &ids([3, 4, 5, 6])).expect("it grows"))
}

/// An append that makes the array grow, an end that compacts it, and a reader.
fn append_beside_compaction_and_take<P: Places<Config = ListConfig> + 'static>() {
    every(|| {
        let array = full::<P>();
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
fn linked_list_appends_beside_compaction_and_take() {
    append_beside_compaction_and_take::<Links>();
}

#[test]
fn skip_offsets_appends_beside_compaction_and_take() {
    append_beside_compaction_and_take::<Distances>();
}

/// Whoever sees that a higher id has completed sees each lower one that runs (PostgreSQL 74fc8386).
fn lower_ids_are_found<P: Places<Config = ListConfig> + 'static>() {
    every(|| {
        let array = Arc::new(
            KnownArray::<P>::restore(&ListConfig::default(), Xid::new(6), &ids([3]))
                .expect("it grows"),
        );
        let writer = thread::spawn({
            let array = Arc::clone(&array);
            move || {
                begin(&*array, ONE, 7);
                begin(&*array, TWO, 8);
                array.end(TWO, &ids([8]));
            }
        });
        take_in_turn(&*array, 1, 2, &[(7, &[3]), (9, &[3, 7])]);
        writer.join().expect("no panic");
    });
}

#[test]
fn linked_list_lower_ids_are_found() {
    lower_ids_are_found::<Links>();
}

#[test]
fn skip_offsets_lower_ids_are_found() {
    lower_ids_are_found::<Distances>();
}

/// Neighbours end, the first of all among them, while a reader walks.
#[test]
fn linked_list_neighbours_end_beside_a_walk() {
    every(|| {
        let config = ListConfig::default();
        let list = LinkedList::restore(&config, Xid::new(6), &ids([3, 4, 5])).expect("it grows");
        let list = Arc::new(list);
        let enders = [3, 4].map(|id| {
            let list = Arc::clone(&list);
            thread::spawn(move || list.end(ONE, &ids([id])))
        });
        let (_, running) = take(&*list, &mut list.snapshot());
        assert!([&[3, 4, 5][..], &[4, 5], &[3, 5], &[5]].contains(&&running[..]), "{running:?}");
        enders.into_iter().for_each(|ender| ender.join().expect("no panic"));
        assert_eq!(take(&*list, &mut list.snapshot()), (7, vec![5]));
    });
}

/// Two readers learn at one place while an id ends and another begins behind what they have learnt.
#[test]
fn skip_offsets_two_readers_learn_beside_an_end_and_a_begin() {
    every(|| {
        let config = ListConfig::default();
        let array = SkipOffsets::restore(&config, Xid::new(6), &ids([3, 4, 5])).expect("it grows");
        array.end(ONE, &ids([4]));
        let array = Arc::new(array);
        let reader = thread::spawn({
            let array = Arc::clone(&array);
            move || take_in_turn(&*array, 1, 2, &[(7, &[3, 5]), (7, &[3])])
        });
        let writer = thread::spawn({
            let array = Arc::clone(&array);
            move || {
                array.end(ONE, &ids([5]));
                begin(&*array, ONE, 7);
            }
        });
        take(&*array, &mut array.snapshot());
        reader.join().expect("no panic");
        writer.join().expect("no panic");
        // xmax rises above id 7, so that snapshots list it.
        array.complete(Xid::new(7));
        assert_eq!(take(&*array, &mut array.snapshot()), (8, vec![3, 7]));
    });
}
