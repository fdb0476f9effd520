//! Distances, place by place.

use super::*;

fn skips(distances: &Distances) -> Vec<u32> {
    distances.skips.iter().map(|skip| skip.load(Relaxed)).collect()
}

fn scan(distances: &Distances, live: Range<usize>) -> Vec<u64> {
    let mut running = Vec::new();
    distances.scan(live, Xid::new(1_000), &mut running);
    running.into_iter().map(Xid::get).collect()
}

/// The picture at the top of this module.
#[test]
fn a_scan_leaves_distances_and_an_end_leaves_them_alone() {
    let distances = Distances::new(8);
    (0..8).for_each(|place| distances.append(place, Xid::new(40 + place as u64)));
    for id in [41, 42, 43, 45, 46] {
        assert!(distances.remove(0..8, Xid::new(id)).is_some());
    }
    assert_eq!(skips(&distances), [1; 8]);
    assert_eq!(scan(&distances, 0..8), [40, 44, 47]);
    assert_eq!(skips(&distances), [4, 1, 1, 1, 3, 1, 1, 1]);

    distances.remove(0..8, Xid::new(44));
    assert_eq!(skips(&distances), [4, 1, 1, 1, 3, 1, 1, 1]);
    assert_eq!(scan(&distances, 0..8), [40, 47]);
    assert_eq!(skips(&distances)[0], 7);
}

#[test]
fn what_is_learnt_behind_the_last_one_ends_at_the_head() {
    let distances = Distances::new(8);
    (0..4).for_each(|place| distances.append(place, Xid::new(40 + place as u64)));
    for id in [41, 42, 43] {
        distances.remove(0..4, Xid::new(id));
    }
    assert_eq!(scan(&distances, 0..4), [40]);
    assert_eq!(skips(&distances)[0], 4);
    distances.append(4, Xid::new(44));
    assert_eq!(scan(&distances, 0..5), [40, 44], "what begins next lies where it leads");
}

#[test]
fn compaction_and_reuse_forget() {
    let distances = Distances::new(8);
    (0..6).for_each(|place| distances.append(place, Xid::new(40 + place as u64)));
    for id in [41, 42, 44] {
        distances.remove(0..6, Xid::new(id));
    }
    assert_eq!(scan(&distances, 0..6), [40, 43, 45]);
    assert_eq!(distances.compact(0..6), 3);
    assert_eq!(scan(&distances, 0..3), [40, 43, 45]);
    (3..8).for_each(|place| distances.append(place, Xid::new(43 + place as u64)));
    assert_eq!(scan(&distances, 0..8), [40, 43, 45, 46, 47, 48, 49, 50]);
}
