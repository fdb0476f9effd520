//! What has finished leaves nothing behind.

use super::{SnapshotTracker, held::Held, law::Law};
use crate::dev::alloc::Account;

/// Commits until memory has settled.
const SETTLE: u64 = 50_000;
/// Commits that are watched afterwards. Should each of them leave one bit behind, it shows.
const WATCH: u64 = 600_000;
/// What may come and go: a page, a chunk, a batch of garbage.
const SLACK: i64 = 64 << 10;
/// One look at the horizon in so many commits.
const COLLECT: u64 = 16;

/// Case 19: nobody ever opens a snapshot, and a list of what has finished grows (slatedb 1379).
pub fn nothing_grows_without_snapshots<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "nothing grows without snapshots");
    stays_bounded(LAW, new, "nobody opens a snapshot", |_, _| {});
}

/// Case 19: snapshots come and go, one every few commits, and two are always open; what older ones needed is released
/// with them.
pub fn nothing_grows_beside_snapshots<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "nothing grows beside snapshots");
    stays_bounded(LAW, new, "two snapshots are open, none of them for long", |open, turn| {
        if turn % 5 == 0 {
            let place = (turn / 5 % 2) as usize;
            // Closed first: not more than two places are needed.
            open.1[place] = None;
            open.1[place] = Some(Held::open(open.0).unwrap_or_else(|refused| LAW.broken(refused)));
        }
    });
}

/// A tracker with its two open snapshots.
type Open<'a, T> = (&'a T, [Option<Held<'a, T>>; 2]);

fn stays_bounded<T: SnapshotTracker>(
    law: Law,
    new: impl Fn() -> T,
    when: &str,
    beside: impl for<'a> Fn(&mut Open<'a, T>, u64),
) {
    law.check(Account::is_counting(), || {
        "cannot be decided: the test binary lacks snapshot_api::counting_allocator!()".into()
    });
    let account = Account::open();
    account.enter(|| {
        let tracker = new();
        let mut open = (&tracker, [None, None]);
        let mut run = |count: u64| {
            for turn in 0..count {
                tracker.commit(|_| {});
                beside(&mut open, turn);
                if turn % COLLECT == 0 {
                    tracker.rollback();
                    tracker.horizon();
                }
            }
        };
        run(SETTLE);
        let settled = account.bytes();
        run(WATCH);
        let grown = account.bytes() - settled;
        law.check(grown <= SLACK, || format!("{when}: {WATCH} commits left {grown} bytes behind"));
    });
}
