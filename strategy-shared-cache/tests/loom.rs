//! Models of the cache's protocol, in every interleaving; the order that looks right and is wrong among them.
//!
//! `RUSTFLAGS="--cfg snapshot_loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p strategy-shared-cache --test loom`
#![cfg(snapshot_loom)]

use std::sync::Arc;

use loom::thread;
use snapshot_api::{
    Restore, SessionId, Snapshot, SnapshotStrategy, Xid,
    dev::models::LockedSet,
    sync::{AtomicU64, Mutex, Ordering},
};
use strategy_shared_cache::SharedCache;

const ONE: Xid = Xid::new(3);
const OTHER: Xid = Xid::new(4);

fn cache() -> Arc<SharedCache<LockedSet>> {
    let cache = SharedCache::restore(&(), Xid::FROZEN, &[]).expect("an empty state");
    for (session, xid) in [ONE, OTHER].into_iter().enumerate() {
        cache.begin(SessionId::new(session as u32), xid).expect("ids in order");
    }
    Arc::new(cache)
}

/// What one thread sees of the two ids, take by take: what ended stays ended (law 5).
fn observe<S: SnapshotStrategy>(strategy: &S, takes: usize) -> (bool, bool) {
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
#[test]
fn readers_beside_an_end() {
    loom::model(|| {
        let cache = cache();
        let reader = {
            let cache = Arc::clone(&cache);
            thread::spawn(move || observe(&*cache, 2))
        };
        let ender = {
            let cache = Arc::clone(&cache);
            thread::spawn(move || cache.end(SessionId::new(0), &[ONE]))
        };
        observe(&*cache, 1);
        ender.join().expect("no panic");
        assert_eq!(observe(&*cache, 1), (false, true), "the end has returned");
        reader.join().expect("no panic");
    });
}

/// Two enders at once: a copy built between them is not taken for one built after both.
#[test]
fn a_reader_beside_two_ends() {
    loom::model(|| {
        let cache = cache();
        let enders: Vec<_> = [ONE, OTHER]
            .into_iter()
            .enumerate()
            .map(|(session, xid)| {
                let cache = Arc::clone(&cache);
                thread::spawn(move || cache.end(SessionId::new(session as u32), &[xid]))
            })
            .collect();
        observe(&*cache, 2);
        enders.into_iter().for_each(|ender| ender.join().expect("no panic"));
        assert_eq!(observe(&*cache, 1), (false, false), "both ends have returned");
    });
}

/// The cache with one version, bumped once, and private builds beside it.
struct SingleBump {
    below: LockedSet,
    version: AtomicU64,
    copy: Mutex<(u64, bool)>,
}

impl SingleBump {
    /// Whether [`ONE`] runs.
    fn take(&self, may_share: bool) -> bool {
        let version = self.version.load(Ordering::Acquire);
        let copy = *self.copy.lock();
        if may_share && copy.0 == version {
            return copy.1;
        }
        let mut value = self.below.snapshot();
        self.below.take(&mut value);
        let runs = value.is_running(ONE);
        if may_share && self.version.load(Ordering::Acquire) == version {
            *self.copy.lock() = (version, runs);
        }
        runs
    }
}

/// One version bumped after the end: a private build shows the end, then the shared copy under the version that has not
/// changed yet does not.
#[test]
#[should_panic(expected = "what had ended runs again")]
fn one_bump_after_the_end_fails() {
    loom::model(|| {
        let below = LockedSet::restore(&(), Xid::new(4), &[ONE]).expect("one id runs");
        let cache =
            Arc::new(SingleBump { below, version: AtomicU64::new(1), copy: Mutex::new((0, true)) });
        cache.take(true);
        let ender = {
            let cache = Arc::clone(&cache);
            thread::spawn(move || {
                cache.below.end(SessionId::new(0), &[ONE]);
                cache.version.fetch_add(1, Ordering::Release);
            })
        };
        let first = cache.take(false);
        let second = cache.take(true);
        assert!(second <= first, "what had ended runs again");
        ender.join().expect("no panic");
    });
}

/// Bumped before the end only: a copy built from before the end lives on under the new version.
#[test]
#[should_panic(expected = "the end has returned")]
fn one_bump_before_the_end_fails() {
    loom::model(|| {
        let below = LockedSet::restore(&(), Xid::new(4), &[ONE]).expect("one id runs");
        let cache =
            Arc::new(SingleBump { below, version: AtomicU64::new(1), copy: Mutex::new((0, true)) });
        let ender = {
            let cache = Arc::clone(&cache);
            thread::spawn(move || {
                cache.version.fetch_add(1, Ordering::Release);
                cache.below.end(SessionId::new(0), &[ONE]);
            })
        };
        cache.take(true);
        ender.join().expect("no panic");
        assert!(!cache.take(true), "the end has returned");
    });
}
