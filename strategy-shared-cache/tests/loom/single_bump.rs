//! The order that looks right and is wrong: one version, bumped once, beside private builds.

use snapshot_api::dev::interleavings::every;
use std::sync::Arc;

use loom::thread;
use snapshot_api::{
    Restore, SessionId, Snapshot, SnapshotStrategy, Xid,
    dev::models::LockedSet,
    sync::{AtomicU64, Mutex, Ordering},
};

use super::ONE;

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
    every(|| {
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
    every(|| {
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
