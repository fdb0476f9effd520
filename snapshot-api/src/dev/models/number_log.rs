//! [`NumberLog`]: the skeleton of a commit-sequence log. A snapshot is one number; every id has the number of its end.
//!
//! ```text
//!   id      100   101   102   103   104            next number: 4
//!   entry    1    runs   3    runs   2
//!
//!   snapshot 2:   100 ended (1 ≤ 2), 101 runs, 102 runs (3 > 2), 103 runs, 104 ended (2 ≤ 2)
//! ```
//!
//! It shows on a small scale what the design asks of the contract:
//!
//! - An id that was never begun has no entry and counts as ended, or it would look as if it ran for ever.
//! - An id that ends again keeps its number, or a snapshot between the two ends would change its answer.
//! - A tree gets one number, so that a snapshot holds all of it or nothing.
//! - Entries must go again. One may go when no snapshot can tell it from an id that ended before all of them: for each
//!   snapshot in use, the entry's number is not above the snapshot's or its id is at or above the snapshot's xmax. Every
//!   snapshot value therefore registers its number, and takes it back when it is dropped.
//!
//! Everything is under one lock, which a snapshot shares to look up entries. Speed is not the point.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    BeginError, Costs, Facts, Memory, Progress, Restore, RestoreError, SessionId, Snapshot,
    SnapshotStrategy, Standby, Xid, check_order, highest_normal, restore_list, sync::Mutex,
};

/// A log from id to the number of its end, under one lock.
#[derive(Debug)]
pub struct NumberLog {
    log: Arc<Mutex<Log>>,
}

#[derive(Debug, Default)]
struct Log {
    /// Running ids, and ended ones that some snapshot still holds as running; `None` runs.
    entries: BTreeMap<Xid, Option<u64>>,
    /// The number of the last end.
    number: u64,
    latest_completed: Xid,
    /// The highest id begun or completed so far.
    last: Xid,
    /// Number and xmax of each snapshot in use, by its key.
    in_use: BTreeMap<u64, (u64, Xid)>,
    next_key: u64,
    /// Ends since entries were last cleared away.
    uncleared: usize,
}

/// How many ends pass before entries are cleared away, for each entry and snapshot to look at.
const CLEARING: usize = 64;

impl Log {
    fn end(&mut self, ids: impl Iterator<Item = Xid>) {
        self.number += 1;
        for xid in ids {
            if let Some(entry @ None) = self.entries.get_mut(&xid) {
                *entry = Some(self.number);
                self.uncleared += 1;
            }
        }
        if self.uncleared > CLEARING + self.in_use.len() + self.entries.len() / 2 {
            self.clear();
        }
    }

    fn clear(&mut self) {
        let in_use = &self.in_use;
        self.entries.retain(|&xid, entry| {
            entry.is_none_or(|ended| {
                in_use.values().any(|&(number, xmax)| ended > number && xid < xmax)
            })
        });
        self.uncleared = 0;
    }

    fn complete(&mut self, latest: Xid) {
        self.latest_completed = self.latest_completed.max(latest);
        self.last = self.last.max(latest);
    }
}

/// One number, and a registration that keeps what it needs in the log.
#[derive(Debug)]
pub struct NumberSnapshot {
    log: Arc<Mutex<Log>>,
    /// Its registration; `None` until the first take.
    key: Option<u64>,
    number: u64,
    xmin: Xid,
    xmax: Xid,
}

impl SnapshotStrategy for NumberLog {
    type Snapshot = NumberSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "number-log".into(),
            source: "skeleton of the commit-sequence work on standbys, 2013 to 2025",
            costs: Costs {
                take: "O(log of what is ended before the oldest running id)",
                begin: "O(log running)",
                end: "O(log running)",
                is_running: "O(log running)",
            },
            readers: Progress::Blocking,
            writers: Progress::Blocking,
            unordered_begin: false,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> NumberSnapshot {
        NumberSnapshot {
            log: Arc::clone(&self.log),
            key: None,
            number: 0,
            xmin: Xid::FIRST_NORMAL,
            xmax: Xid::FIRST_NORMAL,
        }
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        let mut log = self.log.lock();
        check_order(xid, log.last)?;
        log.entries.insert(xid, None);
        log.last = xid;
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let mut log = self.log.lock();
        log.end(tree.iter().copied());
        if let Some(highest) = highest_normal(tree) {
            log.complete(highest);
        }
    }

    fn take(&self, snapshot: &mut NumberSnapshot) {
        if !Arc::ptr_eq(&snapshot.log, &self.log) {
            // Registered with another instance: that registration goes with the old value.
            *snapshot = self.snapshot();
        }
        let mut log = self.log.lock();
        let key = snapshot.key.unwrap_or(log.next_key);
        if snapshot.key.is_none() {
            log.next_key += 1;
        }
        let xmax = log.latest_completed.next();
        let below = log.entries.range(..xmax);
        snapshot.xmin =
            below.filter(|entry| entry.1.is_none()).map(|entry| *entry.0).next().unwrap_or(xmax);
        snapshot.xmax = xmax;
        snapshot.number = log.number;
        snapshot.key = Some(key);
        log.in_use.insert(key, (snapshot.number, xmax));
    }

    fn lock_waits(&self) -> u64 {
        self.log.waits()
    }
}

impl Snapshot for NumberSnapshot {
    fn xmin(&self) -> Xid {
        self.xmin
    }

    fn xmax(&self) -> Xid {
        self.xmax
    }

    fn is_running(&self, xid: Xid) -> bool {
        if xid >= self.xmax || xid < self.xmin {
            return xid >= self.xmax;
        }
        let log = self.log.lock();
        log.entries.get(&xid).is_some_and(|entry| entry.is_none_or(|ended| ended > self.number))
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        let log = self.log.lock();
        let held = log.entries.range(self.xmin..self.xmax);
        let running = held.filter(|entry| entry.1.is_none_or(|ended| ended > self.number));
        running.map(|entry| *entry.0).collect::<Vec<_>>().into_iter()
    }
}

impl Drop for NumberSnapshot {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.log.lock().in_use.remove(&key);
        }
    }
}

impl Restore for NumberLog {
    type Config = ();

    fn restore(_config: &(), latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let last = running.last().map_or(latest_completed, |&xid| xid.max(latest_completed));
        let entries = running.into_iter().map(|xid| (xid, None)).collect();
        let log = Log { entries, latest_completed, last, ..Log::default() };
        Ok(NumberLog { log: Arc::new(Mutex::new(log)) })
    }
}

impl Standby for NumberLog {
    fn forget(&self, xids: &[Xid]) {
        self.log.lock().end(xids.iter().copied());
    }

    fn complete(&self, latest: Xid) {
        if latest.is_normal() {
            self.log.lock().complete(latest);
        }
    }

    fn prune(&self, below: Xid) {
        let mut log = self.log.lock();
        let gone: Vec<Xid> = log.entries.range(..below).map(|entry| *entry.0).collect();
        log.end(gone.into_iter());
    }
}
