//! What is PostgreSQL's own in the known-assigned array: how far the span grows, when gaps are closed, what is full.

use snapshot_api::{
    BeginError, CapacityExceeded, ListSnapshot, Restore, RestoreError, SessionId, Snapshot,
    SnapshotStrategy, Standby, Xid,
};
use strategy_baseline::{BooleanArray, BooleanArrayConfig, CompactionRule};

const SESSION: SessionId = SessionId::new(0);

fn config(rule: CompactionRule, processes: usize) -> BooleanArrayConfig {
    BooleanArrayConfig { rule, processes, ..BooleanArrayConfig::default() }
}

/// An array in which ids `first..=last` run and nothing above has completed.
fn running(config: &BooleanArrayConfig, first: u64, last: u64) -> BooleanArray {
    let ids: Vec<Xid> = (first..=last).map(Xid::new).collect();
    BooleanArray::restore(config, Xid::new(first - 1), &ids).expect("they fit")
}

fn begin(array: &BooleanArray, id: u64) {
    array.begin(SESSION, Xid::new(id)).expect("in order, and it fits");
}

fn end(array: &BooleanArray, id: u64) {
    array.end(SESSION, &[Xid::new(id)]);
}

fn take(array: &BooleanArray) -> (u64, Vec<u64>) {
    let mut snapshot = array.snapshot();
    array.take(&mut snapshot);
    content(&snapshot)
}

fn content(snapshot: &ListSnapshot) -> (u64, Vec<u64>) {
    (snapshot.xmax().get(), snapshot.running().map(Xid::get).collect())
}

/// One old transaction stays open while `ends` short ones begin and end, `width` at a time. The largest span seen.
fn longest_span(array: &BooleanArray, ends: u64, width: u64) -> usize {
    begin(array, 3);
    let mut longest = 0;
    for id in 4..4 + ends {
        begin(array, id);
        longest = longest.max(array.occupancy().span);
        if id >= 4 + width {
            end(array, id - width);
        }
    }
    longest
}

#[test]
fn under_the_original_rule_few_running_ids_spread_over_four_places_a_process() {
    let array = running(&config(CompactionRule::Original, 100), 3, 2);
    let longest = longest_span(&array, 5_000, 3);
    assert!(array.occupancy().valid <= 5);
    assert_eq!(longest, 4 * 100, "an end that reaches the limit closes the gaps");
    let closings = 1 + (5_001 - 400) / 396;
    assert_eq!(array.occupancy().compactions, closings, "a sawtooth: each closing leaves 4 ids");
}

#[test]
fn under_the_original_rule_a_half_full_array_is_left_alone() {
    let array = running(&config(CompactionRule::Original, 10), 3, 102);
    for id in 4..=52 {
        end(&array, id);
    }
    assert_eq!((array.occupancy().span, array.occupancy().valid), (100, 51));
    assert_eq!(
        array.occupancy().compactions,
        0,
        "the span is 2.5 times the limit, but 51 of 100 run"
    );
    end(&array, 53);
    assert_eq!((array.occupancy().span, array.occupancy().valid), (50, 50));
}

#[test]
fn since_15_2_the_span_stays_below_twice_the_running_ids_and_128() {
    let array = running(&config(CompactionRule::Since15_2, 5_022), 3, 2);
    let longest = longest_span(&array, 5_000, 3);
    assert_eq!(longest, 5 + 128, "at the 1st end that left a gap 4 of 5 ran: not closed");
    assert_eq!(array.occupancy().compactions, 4_997 / 128, "from the 129th on");
}

#[test]
fn since_15_2_the_1st_129th_and_257th_end_that_leaves_gaps_is_looked_at() {
    let array = running(&config(CompactionRule::Since15_2, 5_022), 3, 1_002);
    let mut looked = Vec::new();
    let mut gap_ends = 0;
    // From the middle outwards, so that the tail never moves and every end leaves gaps.
    let mut tree: Vec<Xid> = (4..=600).map(Xid::new).collect();
    for id in 601..=1_000 {
        tree.push(Xid::new(id));
        array.end(SESSION, &tree);
        tree.clear();
        gap_ends += 1;
        let compactions = array.occupancy().compactions;
        if looked.len() < compactions as usize {
            looked.push(gap_ends);
        }
    }
    assert_eq!(looked, [1, 257, 385], "at the 129th 274 of 402 ran: more than half");
}

#[test]
fn ends_that_leave_no_gaps_are_not_counted() {
    let array = running(&config(CompactionRule::Since15_2, 5_022), 3, 402);
    for id in 3..=102 {
        end(&array, id);
    }
    assert_eq!((array.occupancy().span, array.occupancy().compactions), (300, 0));
    array.end(SESSION, &(104..=300).map(Xid::new).collect::<Vec<_>>());
    assert_eq!((array.occupancy().span, array.occupancy().compactions), (103, 1));
}

#[test]
fn a_prune_that_leaves_gaps_closes_them_since_15_2_only() {
    for (rule, span) in [(CompactionRule::Since15_2, 88), (CompactionRule::Original, 90)] {
        let array = running(&config(rule, 5_022), 3, 102);
        // The first end that leaves gaps is looked at under the new rule, and the array found full enough.
        array.end(SESSION, &[50, 60].map(Xid::new));
        assert_eq!(array.occupancy().span, 100);
        array.prune(Xid::new(13));
        assert_eq!((array.occupancy().valid, array.occupancy().span), (88, span));
        assert_eq!(take(&array).1.len(), 46, "13 to 60 without 50 and 60");
    }
}

#[test]
fn a_prune_without_gaps_moves_the_tail_and_nothing_else() {
    let array = running(&config(CompactionRule::Since15_2, 5_022), 3, 102);
    array.prune(Xid::new(13));
    let occupancy = array.occupancy();
    assert_eq!((occupancy.valid, occupancy.span, occupancy.compactions), (90, 90, 0));
}

#[test]
fn the_tail_moves_over_all_that_ended_behind_it() {
    let array = running(&config(CompactionRule::Original, 5_022), 3, 10);
    end(&array, 5);
    end(&array, 4);
    assert_eq!(array.occupancy().span, 8, "3 runs: the tail stays");
    end(&array, 3);
    assert_eq!(array.occupancy().span, 5);
    assert_eq!(take(&array), (6, vec![]));
    end(&array, 10);
    assert_eq!(array.occupancy().span, 5, "the head stays");
    assert_eq!(take(&array), (11, vec![6, 7, 8, 9]));
}

#[test]
fn an_empty_array_starts_again_at_its_first_place() {
    // 65 places: more ids than that go through it, and no gap is ever closed.
    let config = BooleanArrayConfig { bounded: true, ..config(CompactionRule::Original, 1) };
    let array = running(&config, 3, 2);
    for id in 3..1_000 {
        begin(&array, id);
        end(&array, id);
        assert_eq!(array.occupancy().span, 0);
    }
    assert_eq!(array.occupancy().compactions, 0);
    assert_eq!(take(&array), (1_000, vec![]));
}

#[test]
fn an_id_leaves_once() {
    let array = running(&config(CompactionRule::Original, 5_022), 3, 6);
    array.forget(&[Xid::new(4)]);
    end(&array, 4);
    end(&array, 4);
    assert_eq!(array.occupancy().valid, 3, "forgotten, ended, and ended again");
    assert_eq!(take(&array), (5, vec![3]));
}

#[test]
fn forgetting_closes_gaps_as_an_end_does() {
    let array = running(&config(CompactionRule::Since15_2, 5_022), 3, 102);
    array.forget(&(4..=60).map(Xid::new).collect::<Vec<_>>());
    assert_eq!((array.occupancy().valid, array.occupancy().span), (43, 43));
    assert_eq!(take(&array), (3, vec![]));
}

#[test]
fn out_of_space_the_gaps_are_closed_and_the_id_enters() {
    for bounded in [true, false] {
        // The span reaches 65 places long before four times the processes: no rule has its say.
        let config = BooleanArrayConfig { bounded, ..config(CompactionRule::Original, 1) };
        let array = running(&config, 3, 67);
        for id in 4..=35 {
            end(&array, id);
        }
        assert_eq!((array.occupancy().valid, array.occupancy().compactions), (33, 0));
        begin(&array, 68);
        let occupancy = array.occupancy();
        assert_eq!((occupancy.valid, occupancy.span, occupancy.compactions), (34, 34, 1));
        end(&array, 68);
        assert_eq!(take(&array), (69, [3].into_iter().chain(36..=67).collect()));
    }
}

#[test]
fn a_full_array_refuses_and_is_as_before() {
    let config = BooleanArrayConfig { bounded: true, ..config(CompactionRule::Since15_2, 1) };
    let array = running(&config, 3, 66);
    assert_eq!(array.facts().capacity, Some(65));
    begin(&array, 67);
    let before = (array.occupancy(), take(&array));
    let full = BeginError::Full(CapacityExceeded { what: "places", limit: 65 });
    assert_eq!(array.begin(SESSION, Xid::new(68)), Err(full));
    assert_eq!(array.begin(SESSION, Xid::new(70)), Err(full), "nor does a refusal count as begun");
    assert_eq!((array.occupancy(), take(&array)), before);

    end(&array, 40);
    begin(&array, 68);
    assert_eq!(array.begin(SESSION, Xid::new(69)), Err(full));
    array.complete(Xid::new(68));
    assert_eq!(take(&array), (69, (3..=68).filter(|&id| id != 40).collect()));
}

#[test]
fn too_many_to_restore_are_refused_or_grown_for() {
    let ids: Vec<Xid> = (3..=68).map(Xid::new).collect();
    let bounded = BooleanArrayConfig { bounded: true, ..config(CompactionRule::Since15_2, 1) };
    let full = RestoreError::Full(CapacityExceeded { what: "places", limit: 65 });
    assert_eq!(BooleanArray::restore(&bounded, Xid::new(68), &ids).err(), Some(full));

    let growing = BooleanArrayConfig { bounded: false, ..bounded };
    let array = BooleanArray::restore(&growing, Xid::new(68), &ids).expect("it grows");
    assert_eq!(take(&array), (69, (3..=68).collect()));
    for id in 69..400 {
        begin(&array, id);
    }
    array.complete(Xid::new(399));
    assert_eq!(take(&array), (400, (3..400).collect()));
}

#[test]
fn growing_keeps_every_id_and_every_gap() {
    let array = running(&config(CompactionRule::Original, 5_022), 3, 2);
    let mut expected = Vec::new();
    for id in 3..5_000 {
        begin(&array, id);
        if id % 3 == 0 && id != 3 {
            end(&array, id);
        } else {
            expected.push(id);
        }
    }
    assert_eq!(array.occupancy().span, 4_997, "no gap was closed");
    assert_eq!(array.occupancy().allocated, 8_192, "doubled from 1,024");
    assert_eq!(take(&array), (4_999, expected.into_iter().filter(|&id| id < 4_999).collect()));
}

#[test]
fn places_are_65_and_the_original_span_4_for_each_process() {
    let sized = |processes| config(CompactionRule::Original, processes);
    assert_eq!(sized(5_022).places(), 326_430);
    assert_eq!(sized(5_022).original_span(), 20_088);
    assert_eq!((sized(0).places(), sized(0).original_span()), (65, 4), "at least one process");
    assert_eq!(sized(usize::MAX).places(), usize::MAX, "no wrap");
}

#[test]
fn a_current_snapshot_is_reused_until_something_ended() {
    let config = BooleanArrayConfig { reuse: true, ..BooleanArrayConfig::default() };
    let array = running(&config, 3, 10);
    let (mut kept, mut other) = (array.snapshot(), array.snapshot());
    array.complete(Xid::new(10));
    array.take(&mut kept);

    begin(&array, 11);
    array.take(&mut kept);
    assert_eq!(content(&kept), (11, (3..=10).collect()), "a begin changes no snapshot");

    array.forget(&[Xid::new(5)]);
    array.take(&mut kept);
    assert_eq!(content(&kept), (11, vec![3, 4, 6, 7, 8, 9, 10]));
    array.prune(Xid::new(5));
    array.take(&mut kept);
    assert_eq!(content(&kept), (11, vec![6, 7, 8, 9, 10]));
    array.complete(Xid::new(11));
    array.take(&mut kept);
    assert_eq!(content(&kept), (12, vec![6, 7, 8, 9, 10, 11]));
    end(&array, 8);
    array.take(&mut kept);
    assert_eq!(content(&kept), (12, vec![6, 7, 9, 10, 11]));

    // The same number of changes in another instance: its versions match, its content does not.
    let twin = running(&config, 103, 110);
    for _ in 0..5 {
        twin.complete(Xid::new(110));
    }
    twin.take(&mut other);
    array.take(&mut other);
    assert_eq!(content(&other), content(&kept));
}

#[test]
fn the_name_tells_the_variant() {
    let named = |config: BooleanArrayConfig| running(&config, 3, 2).facts().name.into_owned();
    let default = BooleanArrayConfig::default();
    assert_eq!(named(default), "boolean-array(15.2)");
    let rule = CompactionRule::Original;
    assert_eq!(named(BooleanArrayConfig { rule, ..default }), "boolean-array(original)");
    let all = BooleanArrayConfig { bounded: true, reuse: true, ..default };
    assert_eq!(named(all), "boolean-array(15.2+bounded+reuse)");
}
