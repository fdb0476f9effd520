//! Links, place by place.

use super::*;

fn list(ids: std::ops::RangeInclusive<u64>) -> (Links, Range<usize>) {
    let links = Links::new(8);
    let live = 0..ids.clone().count();
    ids.enumerate().for_each(|(place, id)| links.append(place, Xid::new(id)));
    (links, live)
}

fn scan(links: &Links, live: Range<usize>) -> Vec<u64> {
    let mut running = Vec::new();
    links.scan(live, Xid::new(1_000), &mut running);
    running.into_iter().map(Xid::get).collect()
}

#[test]
fn ends_at_the_front_in_the_middle_and_at_the_back() {
    let (links, live) = list(40..=46);
    for id in [41, 42, 44] {
        assert!(links.remove(live.clone(), Xid::new(id)).is_some());
    }
    assert_eq!(links.remove(live.clone(), Xid::new(42)), None, "once");
    assert_eq!(links.remove(live.clone(), Xid::new(50)), None, "never begun");
    assert_eq!(scan(&links, live.clone()), [40, 43, 45, 46], "the picture above");

    links.remove(live.clone(), Xid::new(46));
    links.append(7, Xid::new(47));
    assert_eq!(scan(&links, 0..8), [40, 43, 45, 47], "linked behind the last that runs");
    assert_eq!(scan(&links, 0..7), [40, 43, 45], "no further than the head");
    links.remove(0..8, Xid::new(40));
    assert_eq!(links.first_valid(0..8), 3);
    assert_eq!(scan(&links, 3..8), [43, 45, 47]);
}

#[test]
fn pruned_ids_lead_to_the_first_that_is_left() {
    let (links, live) = list(40..=46);
    links.remove(live.clone(), Xid::new(42));
    assert_eq!(links.remove_below(live.clone(), Xid::new(44)), 3);
    assert_eq!(links.first_valid(live.clone()), 4);
    assert_eq!(links.remove_below(4..7, Xid::new(90)), 3);
    assert_eq!(links.first_valid(4..7), 7, "none is left");
    links.append(0, Xid::new(47));
    assert_eq!(scan(&links, 0..1), [47], "a list of its own");
}

#[test]
fn compaction_and_growth_keep_the_links() {
    let (links, live) = list(40..=46);
    for id in [41, 42, 45] {
        links.remove(live.clone(), Xid::new(id));
    }
    let larger = links.grown(16);
    for links in [links, larger] {
        assert_eq!(links.compact(live.clone()), 4);
        assert_eq!(scan(&links, 0..4), [40, 43, 44, 46]);
        (4..8).for_each(|place| links.append(place, Xid::new(43 + place as u64)));
        // The place that was last before compaction is in use again, and is none of the first one's neighbours.
        links.remove(0..8, Xid::new(40));
        assert_eq!(links.places[6].next(), 7);
        links.remove(0..8, Xid::new(46));
        assert_eq!(scan(&links, 1..8), [43, 44, 47, 48, 49, 50]);
    }
}
