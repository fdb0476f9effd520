//! The strategy under a [`TransactionManager`]: its memory stays flat, and nothing is removed from under its readers.

use std::{thread, time::Duration};

use super::{START, join_all, law::Law, memory::account, scale};
use crate::{
    ManagerOptions, ManualClock, Off, OldSnapshotPolicy, Restore, Snapshot, ThresholdStrategy,
    TransactionManager, Xid,
    dev::{alloc::Account, models::LockedThreshold},
    sync::{AtomicBool, Mutex, Ordering},
};

const FLAT: Law = Law::new("case 19", "memory under a manager is flat");
const WAITS: Law = Law::new("cases 1 to 4", "the horizon waits for readers");

/// What may come and go: a page, a chunk, a batch of garbage.
const SLACK: i64 = 64 << 10;
/// A shared snapshot is held for so many transactions.
const HELD: usize = 10_000;
/// The largest of what is told apart: transactions until memory has settled, and those that are watched.
const SETTLE: usize = 200_000;
const WATCH: usize = 200_000;

fn managed<S: Restore, T: ThresholdStrategy>(
    config: &S::Config,
    threshold: T,
    options: ManagerOptions,
) -> TransactionManager<S, T> {
    match TransactionManager::restore(config, START.prev(), &[], threshold, options.sessions(8)) {
        Ok(manager) => manager,
        Err(refused) => panic!("an empty state can always be restored: {refused}"),
    }
}

/// Case 19 under a manager: with no snapshot open, and with one opened every ten thousand transactions and held until the
/// next one, memory stays flat.
pub fn managed_memory_is_flat<S: Restore>(config: &S::Config) {
    let account = account(FLAT);
    for opens in [false, true] {
        account.enter(|| stays_flat::<S>(config, account, opens));
    }
}

fn stays_flat<S: Restore>(config: &S::Config, account: Account, opens: bool) {
    let clock = ManualClock::default();
    let policy =
        OldSnapshotPolicy { max_age: Some(Duration::from_secs(1)), max_gap: Some(100_000) };
    let options = ManagerOptions::new().clock(clock.clone()).old_snapshots(policy);
    let manager = managed::<S, _>(config, LockedThreshold::default(), options);
    let (Ok(mut writer), Ok(mut reader)) = (manager.session(), manager.session()) else {
        FLAT.broken("two of eight sessions are refused")
    };
    let (mut settled, mut kept) = (0, None);
    for turn in 0..SETTLE + scale(WATCH) {
        let mut write = writer.begin();
        if let Err(refused) = write.id() {
            FLAT.broken(refused);
        }
        write.commit();
        if opens && turn % HELD == 0 {
            kept = Some(reader.begin().share());
        }
        if turn % 100 == 0 {
            clock.advance(Duration::from_millis(1));
            manager.tick();
            manager.prune_horizon();
        }
        if turn == SETTLE {
            settled = account.bytes();
        }
    }
    drop(kept);
    let grown = account.bytes() - settled;
    FLAT.check(grown <= SLACK, || {
        format!("{} transactions left {grown} bytes behind", scale(WATCH))
    });
}

/// Cases 1 to 4: a reader that has chosen its snapshot finds what it needs, whatever a collector removes. Writers replace one
/// row, the collector removes its old versions by the horizon, readers look for the one version that they must see.
pub fn horizon_waits_for_readers<S: Restore>(config: &S::Config) {
    let manager = managed::<S, _>(config, Off, ManagerOptions::new());
    // Versions of the row: who wrote it, who replaced it.
    let row: Mutex<Vec<(Xid, Option<Xid>)>> = Mutex::new(vec![(Xid::FROZEN, None)]);
    let over = AtomicBool::new(false);
    let commits = scale(4_000);
    thread::scope(|scope| {
        let (manager, row, over) = (&manager, &row, &over);
        let sessions = (0..3).map(|_| manager.session());
        let Ok(sessions) = sessions.collect::<Result<Vec<_>, _>>() else {
            WAITS.broken("three of eight sessions are refused")
        };
        let mut sessions = sessions.into_iter();
        let writer = sessions.next().map(|mut session| {
            scope.spawn(move || {
                let _over = Over(over);
                for _ in 0..commits {
                    let mut write = session.begin();
                    let id = write.id().unwrap_or_else(|refused| WAITS.broken(refused));
                    {
                        let mut row = row.lock();
                        if let Some(last) = row.last_mut() {
                            last.1 = Some(id);
                        }
                        row.push((id, None));
                    }
                    write.commit();
                    let horizon = manager.horizon();
                    row.lock().retain(|(_, by)| by.is_none_or(|by| by >= horizon));
                }
            })
        });
        let readers = sessions.map(|mut session| {
            scope.spawn(move || {
                let mut horizon = manager.last_horizon();
                while !over.load(Ordering::Relaxed) {
                    let mut read = session.begin();
                    for _ in 0..4 {
                        let snapshot = read.new_snapshot();
                        thread::yield_now();
                        let sees = |by: Xid| !snapshot.is_running(by);
                        let seen = row
                            .lock()
                            .iter()
                            .filter(|&&(by, next)| sees(by) && !next.is_some_and(sees))
                            .count();
                        WAITS.check(seen == 1, || {
                            format!(
                                "a snapshot with xmin {} and xmax {} sees {seen} versions of a row, at horizon {}",
                                snapshot.xmin(), snapshot.xmax(), manager.last_horizon()
                            )
                        });
                        let next = manager.last_horizon();
                        WAITS.check(next >= horizon, || format!("back from {horizon} to {next}"));
                        horizon = next;
                    }
                }
            })
        });
        let threads = writer.into_iter().chain(readers.collect::<Vec<_>>()).collect();
        join_all(threads);
    });
}

/// Says that the writer is gone, also when a law that it found broken unwinds.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        // Relaxed: only says that there is nothing more to look for.
        self.0.store(true, Ordering::Relaxed);
    }
}
