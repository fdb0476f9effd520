//! A commit-sequence log that publishes a number before the entries that it stands for.

use std::sync::Arc;

use snapshot_api::{
    BeginError, Costs, Facts, Memory, Progress, Restore, RestoreError, SessionId, Snapshot,
    SnapshotStrategy, Xid, restore_list,
    sync::{AtomicU64, Ordering},
};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Bug {
    /// The number is raised first, then the entries are written.
    #[default]
    NumberFirst,
    /// A second end of an id gives it a later number.
    EndsAgain,
    /// Where ids may be begun in any order, one that is not begun yet counts as ended.
    UnbornEnded,
}

#[derive(Debug)]
pub(crate) struct Numbers {
    bug: Bug,
    log: Arc<Log>,
}

#[derive(Debug)]
struct Log {
    base: Xid,
    /// 0 is not begun, 1 runs, above it is the number of the end.
    entries: Vec<AtomicU64>,
    number: AtomicU64,
    latest: AtomicU64,
}

const PLACES: usize = 4_096;

impl Log {
    fn entry(&self, xid: Xid) -> Option<&AtomicU64> {
        let place = xid.get().checked_sub(self.base.get())?;
        self.entries.get(usize::try_from(place).ok()?)
    }
}

#[derive(Debug)]
pub(crate) struct NumberView {
    log: Arc<Log>,
    number: u64,
    xmax: Xid,
}

impl SnapshotStrategy for Numbers {
    type Snapshot = NumberView;

    fn facts(&self) -> Facts {
        Facts {
            name: "numbers".into(),
            source: "made to fail",
            costs: Costs { take: "O(1)", begin: "O(1)", end: "O(1)", is_running: "O(1)" },
            readers: Progress::WaitFree,
            writers: Progress::WaitFree,
            unordered_begin: self.bug == Bug::UnbornEnded,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> NumberView {
        NumberView { log: Arc::clone(&self.log), number: 0, xmax: Xid::FIRST_NORMAL }
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        if !xid.is_normal() {
            return Err(BeginError::NotNormal(xid));
        }
        if let Some(entry) = self.log.entry(xid) {
            entry.store(1, Ordering::SeqCst);
        }
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let mut number = 0;
        if self.bug == Bug::NumberFirst {
            number = self.log.number.fetch_add(1, Ordering::SeqCst) + 1;
        }
        for &xid in tree.iter().filter(|xid| xid.is_normal()) {
            let Some(entry) = self.log.entry(xid) else { continue };
            if self.bug != Bug::NumberFirst {
                number = self.log.number.load(Ordering::SeqCst) + 1;
            }
            if entry.load(Ordering::SeqCst) == 1 || self.bug == Bug::EndsAgain {
                entry.store(number + 1, Ordering::SeqCst);
            }
            self.log.latest.fetch_max(xid.get(), Ordering::SeqCst);
        }
        if self.bug != Bug::NumberFirst {
            self.log.number.fetch_max(number, Ordering::SeqCst);
        }
    }

    fn take(&self, snapshot: &mut NumberView) {
        snapshot.log = Arc::clone(&self.log);
        snapshot.number = self.log.number.load(Ordering::SeqCst);
        snapshot.xmax = Xid::new(self.log.latest.load(Ordering::SeqCst)).next();
    }
}

impl Snapshot for NumberView {
    fn xmin(&self) -> Xid {
        self.running().next().unwrap_or(self.xmax)
    }

    fn xmax(&self) -> Xid {
        self.xmax
    }

    fn is_running(&self, xid: Xid) -> bool {
        if xid >= self.xmax {
            return true;
        }
        self.log.entry(xid).is_some_and(|entry| match entry.load(Ordering::SeqCst) {
            0 => false,
            1 => true,
            ended => ended - 1 > self.number,
        })
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        (self.log.base.get()..self.xmax.get()).map(Xid::new).filter(|&xid| self.is_running(xid))
    }
}

impl Restore for Numbers {
    type Config = Bug;

    fn restore(bug: &Bug, latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest, running) = restore_list(latest, running)?;
        let log = Log {
            base: running.first().copied().unwrap_or(latest.next()),
            entries: (0..PLACES).map(|_| AtomicU64::new(0)).collect(),
            number: AtomicU64::new(0),
            latest: AtomicU64::new(latest.get()),
        };
        for &xid in &running {
            if let Some(entry) = log.entry(xid) {
                entry.store(1, Ordering::SeqCst);
            }
        }
        Ok(Numbers { bug: *bug, log: Arc::new(log) })
    }
}
