//! Models of both protocols: every interleaving of a few threads; in `wrong` the orders that must fail.
//!
//! `RUSTFLAGS="--cfg snapshot_loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p strategy-bitmap --release --test loom`
#![cfg(snapshot_loom)]

mod wrong;

use loom::{sync::Arc, thread};
use snapshot_api::dev::interleavings::{begin, content, every, ids, take, take_in_turn};
use snapshot_api::{Restore, SessionId, SnapshotStrategy, Standby, Xid};
use strategy_bitmap::{Bitmap, BitmapConfig, HierarchicalBitmap};

const ONE: SessionId = SessionId::new(0);
const TWO: SessionId = SessionId::new(1);

/// Ids 3, 4 and 200 run, in words far apart; latest completed is 200.
fn make<S: Restore>(config: &S::Config) -> S {
    S::restore(config, Xid::new(200), &ids([3, 4, 200])).expect("it grows")
}

/// One thread ends three times, so that words die, are cut off or closed up, and editions are used again.
fn three_ends_beside_a_reader<S: Standby + 'static>(config: fn() -> S::Config) {
    every(move || {
        let strategy = Arc::new(make::<S>(&config()));
        let ender = thread::spawn({
            let strategy = Arc::clone(&strategy);
            move || {
                strategy.end(ONE, &ids([3, 200]));
                begin(&*strategy, ONE, 300);
                strategy.end(ONE, &ids([4, 300]));
                strategy.complete(Xid::new(301));
            }
        });
        let states: [(u64, &[u64]); 4] = [(201, &[3, 4, 200]), (201, &[4]), (301, &[]), (302, &[])];
        take_in_turn(&*strategy, 2, 3, &states);
        ender.join().expect("no panic");
        assert_eq!(take(&*strategy, &mut strategy.snapshot()), (302, vec![]));
    });
}

#[test]
fn bitmap_three_ends() {
    three_ends_beside_a_reader::<Bitmap>(BitmapConfig::default);
}

#[test]
fn hierarchical_three_ends() {
    three_ends_beside_a_reader::<HierarchicalBitmap>(|| ());
}

/// Two threads end at once: a reader sees one order of the two, and goes through it forwards.
fn two_enders_and_a_reader<S: Standby + 'static>(config: fn() -> S::Config) {
    every(move || {
        let strategy = Arc::new(make::<S>(&config()));
        let enders = [(ONE, 3), (TWO, 200)].map(|(session, id)| {
            let strategy = Arc::clone(&strategy);
            thread::spawn(move || strategy.end(session, &ids([id])))
        });
        let mut value = strategy.snapshot();
        let first = take(&*strategy, &mut value).1;
        let kept = content(&value);
        let second = take(&*strategy, &mut strategy.snapshot()).1;
        assert!(second.iter().all(|id| first.contains(id)), "{first:?}, then {second:?}");
        assert!(first.contains(&4) && second.contains(&4));
        for ender in enders {
            ender.join().expect("no panic");
        }
        assert_eq!(content(&value), kept, "a kept snapshot has changed");
        assert_eq!(take(&*strategy, &mut value), (201, vec![4]));
    });
}

#[test]
fn bitmap_two_enders() {
    two_enders_and_a_reader::<Bitmap>(BitmapConfig::default);
}

#[test]
fn hierarchical_two_enders() {
    two_enders_and_a_reader::<HierarchicalBitmap>(|| ());
}

/// Whoever sees that a higher id has completed sees each lower one that runs (PostgreSQL 74fc8386).
fn lower_ids_are_found<S: Standby + 'static>(config: fn() -> S::Config) {
    every(move || {
        let strategy = Arc::new(make::<S>(&config()));
        let writer = thread::spawn({
            let strategy = Arc::clone(&strategy);
            move || {
                begin(&*strategy, ONE, 201);
                begin(&*strategy, TWO, 290);
                strategy.end(TWO, &ids([290]));
            }
        });
        take_in_turn(&*strategy, 2, 2, &[(201, &[3, 4, 200]), (291, &[3, 4, 200, 201])]);
        writer.join().expect("no panic");
    });
}

#[test]
fn bitmap_lower_ids_are_found() {
    lower_ids_are_found::<Bitmap>(BitmapConfig::default);
}

#[test]
fn hierarchical_lower_ids_are_found() {
    lower_ids_are_found::<HierarchicalBitmap>(|| ());
}

/// A reader keeps its value while editions come and go: whatever is used again, it is not that one.
#[test]
fn hierarchical_a_kept_edition_is_not_used_again() {
    every(|| {
        let strategy = Arc::new(make::<HierarchicalBitmap>(&()));
        let reader = thread::spawn({
            let strategy = Arc::clone(&strategy);
            move || {
                let mut value = strategy.snapshot();
                let then = take(&*strategy, &mut value);
                (value, then)
            }
        });
        for id in [3, 4, 200] {
            strategy.end(ONE, &ids([id]));
        }
        let (value, then) = reader.join().expect("no panic");
        strategy.complete(Xid::new(201));
        assert_eq!(content(&value), then, "a kept snapshot has changed");
    });
}
