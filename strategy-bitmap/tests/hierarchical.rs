//! What is the hierarchical bitmap's own: memory by the number running, editions that are used again, and those that are not.

use std::collections::VecDeque;

use snapshot_api::{
    ListSnapshot, Restore, SessionId, Snapshot, SnapshotStrategy, Standby, Xid,
    dev::{alloc::Account, models::LockedSet},
};
use strategy_bitmap::{HierarchicalBitmap, HierarchicalSnapshot};

snapshot_api::counting_allocator!();

const SESSION: SessionId = SessionId::new(0);

fn running(ids: &[u64]) -> HierarchicalBitmap {
    let ids: Vec<Xid> = ids.iter().copied().map(Xid::new).collect();
    HierarchicalBitmap::restore(&(), Xid::new(9), &ids).expect("nothing is bounded")
}

fn begin(bitmap: &HierarchicalBitmap, id: u64) {
    bitmap.begin(SESSION, Xid::new(id)).expect("in order");
}

fn end(bitmap: &HierarchicalBitmap, id: u64) {
    bitmap.end(SESSION, &[Xid::new(id)]);
}

fn taken(bitmap: &HierarchicalBitmap) -> HierarchicalSnapshot {
    let mut snapshot = bitmap.snapshot();
    bitmap.take(&mut snapshot);
    snapshot
}

fn list(snapshot: &impl Snapshot) -> Vec<u64> {
    snapshot.running().map(Xid::get).collect()
}

/// So many ids begin and end, eight at a time, beside those that run already.
fn pass_through(bitmap: &HierarchicalBitmap, ids: std::ops::Range<u64>) {
    let mut open = VecDeque::new();
    for id in ids {
        begin(bitmap, id);
        open.push_back(id);
        if open.len() > 8 {
            open.pop_front().into_iter().for_each(|oldest| end(bitmap, oldest));
        }
    }
    open.into_iter().for_each(|id| end(bitmap, id));
}

/// One long transaction does not make it grow: empty words and blocks vanish.
#[test]
fn a_million_ids_beside_a_long_transaction_leave_nothing_behind() {
    let account = Account::open();
    account.enter(|| {
        let bitmap = running(&[5]);
        pass_through(&bitmap, 10..10_000);
        let settled = account.bytes();
        pass_through(&bitmap, 10_000..1_010_000);
        let grown = account.bytes() - settled;
        assert!(grown <= 512, "{grown} bytes more after a million ids");
        assert!(settled < 16 << 10, "{settled} bytes for one running id");
        assert_eq!(list(&taken(&bitmap)), [5]);
    });
}

/// The same with readers that keep what they took.
#[test]
fn kept_snapshots_pin_their_own_editions_and_no_more() {
    let account = Account::open();
    account.enter(|| {
        let bitmap = running(&[5]);
        let first = taken(&bitmap);
        let mut kept = VecDeque::new();
        let mut settled = 0;
        for turn in 0..1_000 {
            pass_through(&bitmap, 1_000 * turn + 10..1_000 * turn + 1_010);
            kept.push_back((1_000 * turn + 1_010, taken(&bitmap)));
            if kept.len() > 64 {
                kept.pop_front();
            }
            if turn == 100 {
                settled = account.bytes();
            }
        }
        let grown = account.bytes() - settled;
        assert!(grown <= 2_048, "{grown} bytes more after 900 editions that were kept for a while");
        for (xmax, snapshot) in &kept {
            assert_eq!((snapshot.xmax().get(), list(snapshot)), (*xmax, vec![5]));
        }
        assert_eq!((first.xmax().get(), list(&first)), (10, vec![5]));
    });
}

#[test]
fn a_burst_gives_its_memory_back() {
    let account = Account::open();
    account.enter(|| {
        let bitmap = running(&[5]);
        let before = account.bytes();
        for id in 10..200_010 {
            begin(&bitmap, id * 64);
        }
        bitmap.complete(Xid::new(200_010 * 64));
        let many: Vec<Xid> = (10..200_010).map(|id| Xid::new(id * 64)).collect();
        let snapshot = taken(&bitmap);
        assert!(account.bytes() - before > 200_000 * 8);
        many.chunks(1_000).for_each(|tree| bitmap.end(SESSION, tree));
        pass_through(&bitmap, 200_011 * 64..200_011 * 64 + 1_000);
        assert_eq!(snapshot.running().count(), 200_001);
        drop((snapshot, many));
        let left = account.bytes() - before;
        assert!(left < 64 << 10, "{left} bytes left of a burst");
        assert_eq!(list(&taken(&bitmap)), [5]);
    });
}

/// Two editions take turns, so that begin and end allocate nothing; also beside a reader that never lets go of one.
#[test]
fn editions_are_used_again() {
    let account = Account::open();
    account.enter(|| {
        let bitmap = running(&[5]);
        let mut value = bitmap.snapshot();
        let mut next = 10;
        let mut allocations = |what: &str, value: &mut HierarchicalSnapshot, take: bool| {
            let before = account.allocations();
            for _ in 0..2_000 {
                // The lower one enters the set and leaves it again.
                begin(&bitmap, next);
                begin(&bitmap, next + 1);
                end(&bitmap, next + 1);
                end(&bitmap, next);
                if take {
                    bitmap.take(value);
                }
                next += 2;
            }
            let made = account.allocations() - before;
            assert!(made <= 16, "{made} allocations {what}");
        };
        allocations("with nobody reading", &mut value, false);
        allocations("with a reader at each turn", &mut value, true);
        allocations("beside a reader that stands still", &mut value, false);
        assert_eq!(value.xmax().get(), 8_010);
    });
}

/// Random operations beside a sorted set, with up to a dozen snapshots kept, so that editions are used again, copied, and too old
/// to be brought up to date.
#[test]
fn editions_agree_with_a_set_however_many_are_kept() {
    let mut state = 1_u64;
    let mut random = move |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    };
    for spread in [1, 40, 5_000] {
        let (bitmap, set) = (running(&[]), LockedSet::restore(&(), Xid::new(9), &[]));
        let set = set.expect("nothing is bounded");
        let mut kept: VecDeque<(HierarchicalSnapshot, ListSnapshot)> = VecDeque::new();
        let mut last = 9;
        for _ in 0..3_000 {
            match random(12) {
                // Many at once, now and then more than the writer remembers.
                0..=3 => {
                    let most = if random(50) == 0 { 400 } else { 8 };
                    for _ in 0..=random(most) {
                        last += 1 + random(spread);
                        begin(&bitmap, last);
                        set.begin(SESSION, Xid::new(last)).expect("in order");
                    }
                }
                4..=8 => {
                    let most = if random(50) == 0 { 400 } else { 12 };
                    let few = 1 + random(most);
                    let low = last.saturating_sub(random(spread * 300));
                    let tree: Vec<Xid> =
                        (0..few).map(|_| Xid::new((low + random(spread * 16)).min(last))).collect();
                    bitmap.end(SESSION, &tree);
                    set.end(SESSION, &tree);
                }
                9 => {
                    let gone = [last - random(9), last - random(9)].map(Xid::new);
                    bitmap.forget(&gone);
                    set.forget(&gone);
                }
                10 => {
                    let below = Xid::new(last.saturating_sub(random(spread * 400)));
                    bitmap.prune(below);
                    set.prune(below);
                }
                _ => {
                    let latest = Xid::new(last - random(5));
                    bitmap.complete(latest);
                    set.complete(latest);
                }
            }
            let mut right = set.snapshot();
            set.take(&mut right);
            kept.push_back((taken(&bitmap), right));
            while kept.len() as u64 > random(13) {
                kept.pop_front();
            }
            for (own, right) in &kept {
                assert_eq!((own.xmin(), own.xmax()), (right.xmin(), right.xmax()));
                assert_eq!(list(own), list(right));
            }
            if let Some((own, right)) = kept.back() {
                let near = (0..40).map(|n| Xid::new(last + 5 - n * spread.min(last / 40)));
                assert!(near.into_iter().all(|xid| own.is_running(xid) == right.is_running(xid)));
            }
        }
    }
}

#[test]
fn the_whole_range_is_no_wide_window() {
    let bitmap = running(&[3]);
    for power in 4..64 {
        begin(&bitmap, 1 << power);
    }
    end(&bitmap, Xid::LAST_NORMAL.get());
    let snapshot = taken(&bitmap);
    assert!(list(&snapshot).into_iter().eq([3].into_iter().chain((4..64).map(|power| 1 << power))));
    assert!(
        snapshot.is_running(Xid::new(1 << 50)) && !snapshot.is_running(Xid::new((1 << 50) + 1))
    );
}
