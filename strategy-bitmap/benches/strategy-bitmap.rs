//! The benchmarks of the contract on both designs; and what their parts cost beside what they stand in for: three walks over
//! bits, and a list copied out of an edition.
//!
//! `cargo bench -p strategy-bitmap`, with `-- walk` or `-- edition` at its end for those alone.

use std::hint::black_box;

use bitvec::{order::Lsb0, vec::BitVec};
use snapshot_api::{
    ListSnapshot, Restore, SessionId, Snapshot, SnapshotStrategy, Xid,
    dev::bench::{Bench, Churn, Distribution},
    measure::Yardstick,
};
use strategy_bitmap::{Bitmap, BitmapConfig, HierarchicalBitmap};

snapshot_api::snapshot_benches!(
    Bitmap = BitmapConfig::default(),
    HierarchicalBitmap = ();
    parts
);

fn parts(bench: &mut Bench) {
    // 200 ids of a million, one old and the others recent; and every fourth of 4,096.
    walks(
        bench,
        [(0..1).chain(999_801..1_000_000).collect(), (0..4_096).step_by(4).collect()],
        [
            ("plain walk, window 1,000,000", "walk, window 1,000,000"),
            ("plain walk, 1,024 of 4,096", "walk, 1,024 of 4,096"),
        ],
    );
    editions(bench, Distribution::Clustered, "plain walk, window 1,000,000", "clustered");
    editions(bench, Distribution::Uniform, "plain walk, window 1,000,000", "uniform");
}

/// A boolean for each id, pushed where it is true; the same by `iter_ones` of bitvec; and the bitmap's walk over raw words, a
/// lock included.
fn walks<const N: usize>(
    bench: &mut Bench,
    sets: [Vec<usize>; N],
    names: [(&'static str, &'static str); N],
) {
    for (set, (yardstick, operation)) in sets.iter().zip(names) {
        let width = set[set.len() - 1] + 1;
        let flags: Vec<bool> = {
            let mut flags = vec![false; width];
            set.iter().for_each(|&place| flags[place] = true);
            flags
        };
        let ids: Vec<Xid> = (3..).take(width).map(Xid::new).collect();
        let mut running = Vec::with_capacity(set.len());
        bench.yardstick(yardstick, || {
            running.clear();
            for (id, &flag) in black_box(&ids).iter().zip(black_box(&flags)) {
                if flag {
                    running.push(*id);
                }
            }
            running.len()
        });

        let bits: BitVec<u64, Lsb0> = flags.iter().copied().collect();
        bench.call("iter_ones", operation, yardstick, || {
            running.clear();
            running.extend(black_box(&bits).iter_ones().map(|place| Xid::new(3 + place as u64)));
            running.len()
        });

        let runs: Vec<Xid> = set.iter().map(|&place| ids[place]).collect();
        let bitmap = Bitmap::restore(&BitmapConfig::default(), ids[width - 1], &runs);
        let bitmap = bitmap.expect("no wider than a million");
        let mut value = bitmap.snapshot();
        // A value of a twin is never current, so that each take walks; `twin` walks no less than `bitmap`.
        let twin = Bitmap::restore(&BitmapConfig::default(), ids[width - 1], &runs);
        let twin = twin.expect("no wider than a million");
        let mut turn = false;
        bench.call("bitmap", operation, yardstick, || {
            turn = !turn;
            if turn { &bitmap } else { &twin }.take(black_box(&mut value));
        });
        bitmap.take(&mut value);
        assert!(value.running().eq(bits.iter_ones().map(|place| ids[place])));
    }
}

/// A fresh take of the hierarchical bitmap beside the flags; and what a list of one's own would cost instead, which the design
/// spares its readers.
fn editions(
    bench: &mut Bench,
    distribution: Distribution,
    flags: &'static str,
    place: &'static str,
) {
    let first = Xid::new(1_000);
    let bitmap = HierarchicalBitmap::restore(&(), first.prev(), &[]).expect("nothing is bounded");
    let mut churn = Churn::new(first, 1_000_000, 200, distribution);
    let mut play = |turns: usize| {
        for turn in churn.by_ref().take(turns) {
            bitmap.begin(turn.begin.0, turn.begin.1).expect("in order");
            if let Some((session, xid)) = turn.end {
                bitmap.end(session, &[xid]);
            }
        }
    };
    play(1_500_000);
    let mut value = bitmap.snapshot();
    bitmap.take(&mut value);
    let mut list = ListSnapshot::new();
    let [build, hit, hit_in_list] = match place {
        "clustered" => [
            "edition to list, clustered",
            "edition hit, clustered",
            "edition's list hit, clustered",
        ],
        _ => ["edition to list, uniform", "edition hit, uniform", "edition's list hit, uniform"],
    };
    bench.call("hierarchical-bitmap", build, Yardstick::Copy.name(), || {
        list.refill(value.xmax()).extend(black_box(&value).running());
    });
    let probes: Vec<Xid> = value.running().collect();
    list.refill(value.xmax()).extend(probes.iter().copied());
    let mut place = 0;
    let mut probe = || {
        // Steps without a pattern that a branch predictor could learn soon.
        place = (place * 5 + 113) % probes.len();
        probes[place]
    };
    bench.call("hierarchical-bitmap", hit, Yardstick::Search.name(), || {
        assert!(black_box(&value).is_running(probe()));
    });
    bench.call("hierarchical-bitmap", hit_in_list, Yardstick::Search.name(), || {
        assert!(black_box(&list).is_running(probe()));
    });
    // The end is part of it here: nothing is fresh without one.
    let session = SessionId::new(1_000);
    let operation = "edition, end and take";
    bench.call("hierarchical-bitmap", operation, flags, || {
        bitmap.end(session, &[Xid::FIRST_NORMAL]);
        bitmap.take(black_box(&mut value));
    });
}
