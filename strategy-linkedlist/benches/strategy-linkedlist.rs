//! The benchmarks of the contract on every design; and the case of the reports, the standby's array as a multiple of each.
//!
//! `cargo bench -p strategy-linkedlist`, with `-- walk` at its end for the reports' case alone.

use std::hint::black_box;

use snapshot_api::{
    ListSnapshot, Restore, SessionId, Snapshot, SnapshotStrategy, Xid, dev::bench::Bench,
};
use strategy_baseline::{BooleanArray, BooleanArrayConfig, CompactionRule};
use strategy_linkedlist::{EpochList, LinkedList, ListConfig, SkipOffsets};

snapshot_api::snapshot_benches!(
    LinkedList = ListConfig::default(),
    SkipOffsets = ListConfig::default(),
    EpochList = ();
    long_transaction
);

/// Ids from the oldest that runs to the newest.
const WINDOW: usize = 1_000_000;
/// One is old, the others are the newest.
const RUNNING: usize = 200;

/// With so many processes the original rule closes no gap.
const RULE: CompactionRule = CompactionRule::Original;

/// A long transaction holds the tail, and nobody closes gaps: how often each design's walk goes into that of the array.
fn long_transaction(bench: &mut Bench) {
    let config = BooleanArrayConfig { rule: RULE, processes: WINDOW, ..Default::default() };
    let array = spread::<BooleanArray>(&config);
    let mut value = array.snapshot();
    let mut array_takes = |bench: &mut Bench, walk| {
        bench
            .call("boolean-array", "walk of 1,000,000", walk, || array.take(black_box(&mut value)));
    };
    let config = ListConfig { rule: RULE, processes: WINDOW };
    walk::<LinkedList>(bench, &config, "walk of linked-list");
    array_takes(bench, "walk of linked-list");
    walk::<SkipOffsets>(bench, &config, "walk of skip-offsets");
    array_takes(bench, "walk of skip-offsets");
    walk::<EpochList>(bench, &(), "walk of epoch-list");
    array_takes(bench, "walk of epoch-list");
}

/// Two instances take turns in filling one value, so that it is current for neither.
fn walk<S: Restore<Snapshot = ListSnapshot>>(
    bench: &mut Bench,
    config: &S::Config,
    name: &'static str,
) {
    let pair = [(); 2].map(|()| spread::<S>(config));
    let mut value = pair[0].snapshot();
    let mut turn = 0;
    bench.yardstick(name, || {
        turn ^= 1;
        pair[turn].take(black_box(&mut value));
    });
    pair[0].take(&mut value);
    assert_eq!(value.running().count(), RUNNING);
}

/// An instance in which that state has come about.
fn spread<S: Restore>(config: &S::Config) -> S {
    let ids: Vec<Xid> = (3..).take(WINDOW).map(Xid::new).collect();
    let strategy = S::restore(config, ids[WINDOW - 1], &ids).expect("it grows");
    for ended in ids[1..=WINDOW - RUNNING].chunks(1_000) {
        strategy.end(SessionId::new(0), ended);
    }
    let mut value = strategy.snapshot();
    strategy.take(&mut value);
    assert_eq!(value.running().count(), RUNNING);
    strategy
}
