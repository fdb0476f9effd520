//! What a design may bring along to the known-assigned array: a limit of its own.

use std::ops::Range;

use snapshot_api::{
    BeginError, CapacityExceeded, Costs, Restore, RestoreError, SessionId, Snapshot,
    SnapshotStrategy, Xid,
};
use strategy_baseline::{
    BooleanArrayConfig, KnownArray, KnownArrayConfig, boolean_array::Flags, known_array::Places,
};

/// Flags, but no more than five.
#[derive(Debug)]
struct Five(Flags);

impl Places for Five {
    type Config = KnownArrayConfig;

    const SOURCE: &'static str = Flags::SOURCE;
    const COSTS: Costs = Flags::COSTS;
    const MOST: usize = 5;

    fn name(_config: &KnownArrayConfig) -> String {
        "five".into()
    }

    fn new(len: usize) -> Self {
        assert!(len <= Self::MOST);
        Five(Flags::new(len))
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn grown(&self, len: usize) -> Self {
        assert!(len <= Self::MOST);
        Five(self.0.grown(len))
    }

    fn append(&self, place: usize, xid: Xid) {
        self.0.append(place, xid);
    }

    fn remove(&self, live: Range<usize>, xid: Xid) -> Option<usize> {
        self.0.remove(live, xid)
    }

    fn remove_below(&self, live: Range<usize>, below: Xid) -> usize {
        self.0.remove_below(live, below)
    }

    fn first_valid(&self, live: Range<usize>) -> usize {
        self.0.first_valid(live)
    }

    fn scan(&self, live: Range<usize>, xmax: Xid, running: &mut Vec<Xid>) {
        self.0.scan(live, xmax, running);
    }

    fn compact(&self, live: Range<usize>) -> usize {
        self.0.compact(live)
    }
}

#[test]
fn where_the_design_can_hold_no_more_an_array_that_grows_is_full() {
    let session = SessionId::new(0);
    let array = KnownArray::<Five>::restore(&BooleanArrayConfig::default(), Xid::FROZEN, &[])
        .expect("nothing runs");
    for id in 3..8 {
        array.begin(session, Xid::new(id)).expect("five fit");
    }
    let full = CapacityExceeded { what: "places", limit: 5 };
    assert_eq!(array.begin(session, Xid::new(8)), Err(BeginError::Full(full)));

    array.end(session, &[Xid::new(5)]);
    array.begin(session, Xid::new(8)).expect("a gap is closed");
    assert_eq!(array.begin(session, Xid::new(9)), Err(BeginError::Full(full)));
    array.end(session, &[Xid::new(8)]);
    let mut snapshot = array.snapshot();
    array.take(&mut snapshot);
    assert!(snapshot.running().eq([3, 4, 6, 7].map(Xid::new)));

    let six: Vec<Xid> = (3..9).map(Xid::new).collect();
    let refused = KnownArray::<Five>::restore(&BooleanArrayConfig::default(), Xid::FROZEN, &six);
    assert_eq!(refused.err(), Some(RestoreError::Full(full)));
}
