//! The laws of time, under each policy alike.

use loom::thread;
use snapshot_api::dev::interleavings::every;
use snapshot_api::{SessionId, Snapshot, SnapshotStrategy};
use strategy_shared_cache::{Private, Publish, Spin, Waiting};

use super::{ONE, OTHER, tally::Tally};

/// What one thread sees of the two ids, take by take: what ended stays ended (law 5).
pub(crate) fn observe<S: SnapshotStrategy>(strategy: &S, takes: usize) -> (bool, bool) {
    let mut seen = (true, true);
    for _ in 0..takes {
        // A fresh value each time, so that only the shared copy can be stale.
        let mut value = strategy.snapshot();
        strategy.take(&mut value);
        let now = (value.is_running(ONE), value.is_running(OTHER));
        assert!(now.0 <= seen.0 && now.1 <= seen.1, "what had ended runs again: {seen:?}, {now:?}");
        seen = now;
    }
    seen
}

/// Two readers beside an end; both see it when it is over.
fn readers_beside_an_end<W: Waiting>() {
    every(|| {
        let cache = Tally::cached::<W>();
        let reader = {
            let cache = cache.clone();
            thread::spawn(move || observe(&*cache, 2))
        };
        let ender = {
            let cache = cache.clone();
            thread::spawn(move || cache.end(SessionId::new(0), &[ONE]))
        };
        observe(&*cache, 1);
        ender.join().expect("no panic");
        assert_eq!(observe(&*cache, 1), (false, true), "the end has returned");
        reader.join().expect("no panic");
    });
}

/// Two enders at once: a copy built between them is not taken for one built after both.
fn a_reader_beside_two_ends<W: Waiting>(takes: usize) {
    every(move || {
        let cache = Tally::cached::<W>();
        let enders = [(0, ONE), (1, OTHER)].map(|(session, xid)| {
            let cache = cache.clone();
            thread::spawn(move || cache.end(SessionId::new(session), &[xid]))
        });
        observe(&*cache, takes);
        enders.into_iter().for_each(|ender| ender.join().expect("no panic"));
        assert_eq!(observe(&*cache, 1), (false, false), "both ends have returned");
    });
}

#[test]
fn private_readers_beside_an_end() {
    readers_beside_an_end::<Private>();
}

#[test]
fn spin_readers_beside_an_end() {
    readers_beside_an_end::<Spin>();
}

#[test]
fn publish_readers_beside_an_end() {
    readers_beside_an_end::<Publish>();
}

#[test]
fn private_reader_beside_two_ends() {
    a_reader_beside_two_ends::<Private>(2);
}

#[test]
fn spin_reader_beside_two_ends() {
    a_reader_beside_two_ends::<Spin>(2);
}

#[test]
fn publish_reader_beside_two_ends() {
    // The enders take as well.
    a_reader_beside_two_ends::<Publish>(1);
}
