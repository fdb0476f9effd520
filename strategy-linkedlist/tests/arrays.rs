//! What the two designs over the standby's array have of their own setup.

use snapshot_api::{ListSnapshot, Restore, SessionId, Snapshot, SnapshotStrategy, Standby, Xid};
use strategy_baseline::{
    CompactionRule,
    known_array::{KnownArray, Places},
};
use strategy_linkedlist::{
    LinkedList, ListConfig, SkipOffsets, linked_list::Links, skip_offsets::Distances,
};

const SESSION: SessionId = SessionId::new(0);

fn config(rule: CompactionRule, processes: usize) -> ListConfig {
    ListConfig { rule, processes }
}

/// An array in which ids `first..=last` run and nothing above has completed.
fn running<P: Places<Config = ListConfig>>(
    config: ListConfig,
    first: u64,
    last: u64,
) -> KnownArray<P> {
    let ids: Vec<Xid> = (first..=last).map(Xid::new).collect();
    KnownArray::restore(&config, Xid::new(first - 1), &ids).expect("it grows")
}

fn content(snapshot: &ListSnapshot) -> (u64, Vec<u64>) {
    (snapshot.xmax().get(), snapshot.running().map(Xid::get).collect())
}

#[test]
fn the_name_tells_the_variant() {
    let since = config(CompactionRule::Since15_2, 100);
    let names = [
        running::<Links>(ListConfig::default(), 3, 2).facts().name,
        running::<Links>(since, 3, 2).facts().name,
        running::<Distances>(ListConfig::default(), 3, 2).facts().name,
        running::<Distances>(since, 3, 2).facts().name,
    ];
    assert_eq!(names, ["linked-list", "linked-list(15.2)", "skip-offsets", "skip-offsets(15.2)"]);
    assert_eq!(running::<Links>(since, 3, 2).facts().capacity, None, "it grows");
}

/// One old transaction, 5,000 short ones; under either rule the gaps are closed as they are in the array of flags.
fn one_old_id<P: Places<Config = ListConfig>>() {
    for (rule, longest) in [(CompactionRule::Original, 400), (CompactionRule::Since15_2, 133)] {
        let array = running::<P>(config(rule, 100), 3, 3);
        let mut span = 0;
        let mut snapshot = array.snapshot();
        for id in 4..5_004 {
            array.begin(SESSION, Xid::new(id)).expect("in order");
            span = span.max(array.occupancy().span);
            if id > 6 {
                array.end(SESSION, &[Xid::new(id - 3)]);
                array.take(&mut snapshot);
                assert_eq!(content(&snapshot), (id - 2, vec![3]));
            }
        }
        assert_eq!(span, longest);
        assert!(array.occupancy().compactions > 10);
    }
}

#[test]
fn one_old_id_beside_many_linked() {
    one_old_id::<Links>();
}

#[test]
fn one_old_id_beside_many_skipped() {
    one_old_id::<Distances>();
}

/// A value is kept while nothing has ended, and filled again by every kind of change.
fn kept_until_something_ended<P: Places<Config = ListConfig>>() {
    let array = running::<P>(ListConfig::default(), 3, 10);
    let mut kept = array.snapshot();
    array.complete(Xid::new(10));
    array.take(&mut kept);
    array.begin(SESSION, Xid::new(11)).expect("in order");
    array.take(&mut kept);
    assert_eq!(content(&kept), (11, (3..=10).collect()), "a begin changes no snapshot");
    array.forget(&[Xid::new(5)]);
    array.take(&mut kept);
    assert_eq!(content(&kept), (11, vec![3, 4, 6, 7, 8, 9, 10]));
    array.prune(Xid::new(5));
    array.take(&mut kept);
    assert_eq!(content(&kept), (11, vec![6, 7, 8, 9, 10]));
    array.end(SESSION, &[Xid::new(11), Xid::new(8)]);
    array.take(&mut kept);
    assert_eq!(content(&kept), (12, vec![6, 7, 9, 10]));
}

#[test]
fn a_linked_snapshot_is_kept_until_something_ended() {
    kept_until_something_ended::<Links>();
}

#[test]
fn a_skipped_snapshot_is_kept_until_something_ended() {
    kept_until_something_ended::<Distances>();
}

/// 70,000 ids run at once: more than were made room for.
#[test]
fn more_run_than_there_were_places() {
    let linked: LinkedList = running(config(CompactionRule::Original, 4), 3, 70_002);
    let skipped: SkipOffsets = running(config(CompactionRule::Original, 4), 3, 70_002);
    for id in 70_003..80_000 {
        linked.begin(SESSION, Xid::new(id)).expect("it grows");
        skipped.begin(SESSION, Xid::new(id)).expect("it grows");
    }
    for snapshot in [taken(&linked, Xid::new(79_999)), taken(&skipped, Xid::new(79_999))] {
        assert!(snapshot.running().map(Xid::get).eq(3..80_000));
    }
}

fn taken<P: Places>(array: &KnownArray<P>, latest: Xid) -> ListSnapshot {
    array.complete(latest);
    let mut snapshot = array.snapshot();
    array.take(&mut snapshot);
    snapshot
}
