//! The benchmarks of the contract on every variant; and what a snapshot's walk costs beside the plainest walk over as
//! many places, and over sessions in both layouts.
//!
//! `cargo bench -p strategy-baseline --bench strategy-baseline`, with `-- walk` at its end for the walks alone.

use std::hint::black_box;

use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid, dev::bench::Bench};
use strategy_baseline::{
    BooleanArray, BooleanArrayConfig, CompactionRule, Layout, ProcArray, ProcArrayConfig,
};

fn array(rule: CompactionRule) -> BooleanArrayConfig {
    BooleanArrayConfig { rule, ..BooleanArrayConfig::default() }
}

fn sessions(layout: Layout, reuse: bool) -> ProcArrayConfig {
    ProcArrayConfig { layout, reuse, ..ProcArrayConfig::default() }
}

snapshot_api::snapshot_benches!(
    BooleanArray = array(CompactionRule::Original),
    BooleanArray = array(CompactionRule::Since15_2),
    BooleanArray = BooleanArrayConfig { reuse: true, ..BooleanArrayConfig::default() },
    ProcArray = sessions(Layout::Scattered, false),
    ProcArray = sessions(Layout::Dense, false),
    ProcArray = sessions(Layout::Dense, true);
    walks
);

/// Ids that run; one is old, the others are the newest.
const RUNNING: usize = 200;

fn walks(bench: &mut Bench) {
    spans(bench, 256, "plain walk 256", "walk 256");
    spans(bench, 20_088, "plain walk 20,088", "walk 20,088");
    spans(bench, 326_430, "plain walk 326,430", "walk 326,430");
    spans(bench, 1_000_000, "plain walk 1,000,000", "walk 1,000,000");
    slots(bench, 200, "walk 192 of 200 sessions");
    slots(bench, 1_000, "walk 192 of 1,000 sessions");
}

/// The known-assigned array beside a `Vec<bool>` whose true flags' ids are pushed, without lock, bound or atomic.
fn spans(bench: &mut Bench, span: usize, yardstick: &'static str, operation: &'static str) {
    let ids: Vec<Xid> = (3..).take(span).map(Xid::new).collect();
    let flags: Vec<bool> = (0..span).map(|n| n == 0 || n > span - RUNNING).collect();
    let mut running = Vec::with_capacity(RUNNING);
    bench.yardstick(yardstick, || {
        running.clear();
        for (id, &flag) in black_box(&ids).iter().zip(black_box(&flags)) {
            if flag {
                running.push(*id);
            }
        }
        running.len()
    });

    // With so many processes the original rule closes no gap.
    let config = BooleanArrayConfig { processes: span, ..array(CompactionRule::Original) };
    let array = BooleanArray::restore(&config, ids[span - 1], &ids).expect("it grows");
    array.end(SessionId::new(0), &ids[1..=span - RUNNING]);
    let occupancy = array.occupancy();
    assert_eq!((occupancy.span, occupancy.valid), (span, RUNNING));
    let mut snapshot = array.snapshot();
    bench.call("boolean-array", operation, yardstick, || array.take(black_box(&mut snapshot)));
    array.take(&mut snapshot);
    assert_eq!(snapshot.running().count(), RUNNING);
}

/// 192 sessions run one id each, spread over so many slots: the case of *GetSnapshotData round two*.
fn slots(bench: &mut Bench, slots: u32, operation: &'static str) {
    const BUSY: u32 = 192;
    let session = |n: u32| SessionId::new(n * (slots / BUSY));
    let xid = |n: u32| Xid::new(3 + u64::from(n));
    for layout in [Layout::Scattered, Layout::Dense] {
        let config = ProcArrayConfig { sessions: slots, ..sessions(layout, false) };
        let array = ProcArray::restore(&config, Xid::FROZEN, &[]).expect("nothing runs");
        // First each in the order of slots, so that all are in use; then in another order, so that neither layout finds
        // the ids sorted: 89 shares no divisor with 192.
        for n in 0..BUSY {
            array.begin(session(n), xid(n)).expect("in order");
            array.end(session(n), &[xid(n)]);
        }
        for n in BUSY..2 * BUSY {
            array.begin(session(n * 89 % BUSY), xid(n)).expect("in order");
        }
        array.end(session(0), &[xid(1_000)]);
        let mut snapshot = array.snapshot();
        bench.call(&array.facts().name, operation, "atomic load", || {
            array.take(black_box(&mut snapshot));
        });
        array.take(&mut snapshot);
        assert_eq!(snapshot.running().count(), BUSY as usize);
    }
}
