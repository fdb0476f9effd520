//! What is particular to the process array: slots, subtransactions, and ids that are not where they are expected.

use snapshot_api::{
    BeginError, CapacityExceeded, Restore, SessionId, Snapshot, SnapshotStrategy, Xid,
};
use strategy_baseline::{Layout, ProcArray, ProcArrayConfig};

/// Both layouts, with and without reuse, with and without group clear.
fn variants() -> impl Iterator<Item = ProcArrayConfig> {
    [Layout::Scattered, Layout::Dense].into_iter().flat_map(|layout| {
        [(false, false), (true, false), (false, true), (true, true)]
            .map(|(reuse, group_clear)| ProcArrayConfig { sessions: 8, layout, reuse, group_clear })
    })
}

fn restored(config: &ProcArrayConfig, latest: u64, running: &[u64]) -> ProcArray {
    let running: Vec<Xid> = running.iter().copied().map(Xid::new).collect();
    ProcArray::restore(config, Xid::new(latest), &running).expect("nothing is bounded here")
}

fn begin(array: &ProcArray, session: u32, id: u64) {
    array.begin(SessionId::new(session), Xid::new(id)).expect("in order, and a session there is");
}

fn end(array: &ProcArray, session: u32, ids: &[u64]) {
    let tree: Vec<Xid> = ids.iter().copied().map(Xid::new).collect();
    array.end(SessionId::new(session), &tree);
}

fn take(array: &ProcArray) -> (u64, Vec<u64>) {
    let mut snapshot = array.snapshot();
    array.take(&mut snapshot);
    (snapshot.xmax().get(), snapshot.running().map(Xid::get).collect())
}

#[test]
fn ids_are_listed_in_rising_order_whatever_the_slots() {
    for config in variants() {
        let array = restored(&config, 9, &[5, 7]);
        for (session, id) in [(7, 10), (0, 11), (3, 12), (0, 13), (5, 14)] {
            begin(&array, session, id);
        }
        end(&array, 5, &[14]);
        assert_eq!(take(&array), (15, vec![5, 7, 10, 11, 12, 13]));
    }
}

#[test]
fn a_subtransaction_outlives_a_top_that_ended_alone() {
    for config in variants() {
        let array = restored(&config, 2, &[]);
        begin(&array, 1, 3);
        begin(&array, 1, 4);
        begin(&array, 1, 5);
        end(&array, 1, &[3]);
        begin(&array, 2, 6);
        end(&array, 2, &[6]);
        assert_eq!(take(&array), (7, vec![4, 5]));
        begin(&array, 1, 7);
        end(&array, 1, &[4, 7]);
        assert_eq!(take(&array), (8, vec![5]));
        end(&array, 1, &[5]);
        assert_eq!(take(&array), (8, vec![]));
    }
}

#[test]
fn ids_are_found_whichever_session_ends_them() {
    for config in variants() {
        let array = restored(&config, 9, &[5, 7]);
        begin(&array, 1, 10);
        begin(&array, 1, 11);
        begin(&array, 2, 12);
        begin(&array, 2, 13);
        // A restored id, another's top and another's subtransaction, ended by a session of its own, one that is not in
        // use, and one that cannot be.
        end(&array, 1, &[7, 12, 10]);
        assert_eq!(take(&array), (13, vec![5, 11]));
        end(&array, 6, &[13]);
        assert_eq!(take(&array), (14, vec![5, 11]));
        end(&array, 900, &[11, 5]);
        assert_eq!(take(&array), (14, vec![]));
    }
}

#[test]
fn a_session_uses_its_slot_and_its_list_again() {
    for config in variants() {
        let array = restored(&config, 2, &[]);
        let mut id = 2;
        for subs in [0, 3, 64, 65, 1_000, 2] {
            let tree: Vec<u64> = (id + 1..=id + 1 + subs).collect();
            for &id in &tree {
                begin(&array, 4, id);
            }
            id = tree[tree.len() - 1] + 1;
            begin(&array, 5, id);
            end(&array, 5, &[id]);
            assert_eq!(take(&array), (id + 1, tree.clone()));
            // A savepoint's subtree first, then the rest, in falling order.
            let (rest, subtree) = tree.split_at(tree.len() / 2);
            end(&array, 4, subtree);
            assert_eq!(take(&array).1, rest);
            end(&array, 4, &rest.iter().rev().copied().collect::<Vec<_>>());
            assert!(take(&array).1.is_empty());
        }
    }
}

#[test]
fn a_session_beyond_the_slots_is_refused_and_nothing_changes() {
    for config in variants() {
        let array = restored(&config, 9, &[7]);
        let full = BeginError::Full(CapacityExceeded { what: "session slots", limit: 8 });
        for session in [8, u32::MAX] {
            assert_eq!(array.begin(SessionId::new(session), Xid::new(20)), Err(full));
        }
        begin(&array, 7, 10);
        end(&array, 7, &[10]);
        assert_eq!(take(&array), (11, vec![7]));
    }
}

#[test]
fn an_id_that_somebody_completed_without_a_begin_is_not_begun_later() {
    for config in variants() {
        let array = restored(&config, 9, &[]);
        end(&array, 0, &[20]);
        assert_eq!(take(&array), (21, vec![]));
        let (xid, last) = (Xid::new(20), Xid::new(20));
        assert_eq!(array.begin(SessionId::new(0), xid), Err(BeginError::OutOfOrder { xid, last }));
        assert_eq!(take(&array), (21, vec![]));
    }
}

#[test]
fn a_value_is_reused_until_something_completed() {
    for config in variants().filter(|config| config.reuse) {
        let array = restored(&config, 9, &[7]);
        let mut kept = array.snapshot();
        array.take(&mut kept);
        begin(&array, 0, 10);
        begin(&array, 1, 11);
        array.take(&mut kept);
        assert_eq!(kept.xmax(), Xid::new(10), "a begin changes no snapshot");
        end(&array, 1, &[11]);
        array.take(&mut kept);
        assert_eq!((kept.xmax(), kept.running().count()), (Xid::new(12), 2));

        // As many completions in another instance.
        let twin = restored(&config, 9, &[]);
        end(&twin, 0, &[11]);
        twin.take(&mut kept);
        assert_eq!((kept.xmax(), kept.running().count()), (Xid::new(12), 0));
    }
}

#[test]
fn the_name_tells_the_variant() {
    let names: Vec<_> =
        variants().map(|config| restored(&config, 2, &[]).facts().name.into_owned()).collect();
    assert_eq!(
        names,
        [
            "proc-array(scattered)",
            "proc-array(scattered+reuse)",
            "proc-array(scattered+group)",
            "proc-array(scattered+reuse+group)",
            "proc-array(dense)",
            "proc-array(dense+reuse)",
            "proc-array(dense+group)",
            "proc-array(dense+reuse+group)"
        ]
    );
}

fn sessions(layout: Layout, sessions: u32) -> ProcArrayConfig {
    ProcArrayConfig { sessions, layout, ..ProcArrayConfig::default() }
}

/// Begins the next id for `session` and ends it.
fn pass(array: &ProcArray, session: u32, next: &mut u64) {
    begin(array, session, *next);
    end(array, session, &[*next]);
    *next += 1;
}

/// Begins an id in each of so many sessions, then ends them. Returns the next id.
fn use_all(array: &ProcArray, sessions: u32) -> u64 {
    let id = |session| 3 + u64::from(session);
    (0..sessions).for_each(|session| begin(array, session, id(session)));
    (0..sessions).for_each(|session| end(array, session, &[id(session)]));
    id(sessions)
}

#[test]
fn idle_sessions_leave_the_dense_array_and_cost_a_take_nothing() {
    for (layout, expected) in [(Layout::Dense, 10), (Layout::Scattered, 1_000)] {
        let array = restored(&sessions(layout, 1_000), 2, &[]);
        let mut next = use_all(&array, 1_000);
        assert_eq!(array.sessions_in_use(), 1_000);
        for turn in 0..2_000 {
            pass(&array, 990 + turn % 10, &mut next);
        }
        assert_eq!(array.sessions_in_use(), expected);
        assert_eq!(take(&array), (next, vec![]));
    }
}

#[test]
fn sessions_that_take_turns_never_fill_the_dense_array() {
    let array = restored(&sessions(Layout::Dense, 1_000), 2, &[]);
    let mut next = 3;
    begin(&array, 500, next);
    next += 1;
    for turn in 0..5_000 {
        pass(&array, turn % 499, &mut next);
        let places = array.sessions_in_use();
        assert!(places <= 2 * (2 + 64), "{places} places, one of them in use");
    }
    assert_eq!(take(&array), (next, vec![3]));
}

#[test]
fn busy_sessions_stay_when_idle_ones_leave() {
    let array = restored(&sessions(Layout::Dense, 200), 2, &[]);
    let mut next = use_all(&array, 200);
    let top = next;
    // 7 runs one id, 130 one with a subtransaction, and of 199's only a subtransaction is left.
    for session in [7, 130, 130, 199, 199] {
        begin(&array, session, next);
        next += 1;
    }
    end(&array, 199, &[top + 3]);
    for _ in 0..400 {
        pass(&array, 60, &mut next);
    }
    assert_eq!(array.sessions_in_use(), 4);
    assert_eq!(take(&array), (next, vec![top, top + 1, top + 2, top + 4]));

    // Who left comes back, into empty places where others were.
    let back = next;
    for session in 10..30 {
        begin(&array, session, next);
        next += 1;
    }
    assert_eq!(array.sessions_in_use(), 24);
    end(&array, 60, &[next]);
    let all: Vec<u64> = [top, top + 1, top + 2, top + 4].into_iter().chain(back..next).collect();
    assert_eq!(take(&array), (next + 1, all));

    // Who stayed finds slot and list where they are now.
    end(&array, 130, &[top + 1, top + 2]);
    end(&array, 7, &[top]);
    end(&array, 199, &[top + 4]);
    assert!(take(&array).1.into_iter().eq(back..next));
}

#[test]
fn as_many_idle_sessions_as_busy_ones_stay() {
    let array = restored(&sessions(Layout::Dense, 400), 2, &[]);
    let mut next = 3;
    for session in 0..400 {
        begin(&array, session, next);
        next += 1;
    }
    for session in 0..200 {
        end(&array, session, &[3 + u64::from(session)]);
    }
    for _ in 0..1_000 {
        pass(&array, 5, &mut next);
    }
    assert_eq!(array.sessions_in_use(), 400, "a gap closed for each begin would cost more");
}
