//! Marks that readers walk without a lock while writers clear them: the obvious design without a proof.
//!
//! The plain walk sees a later end and misses an earlier one. `Bug::WalksTwice` walks until two walks agree, which is right
//! while ends never come back, and which starts over for as long as others end: lock-free, not wait-free as it claims.

use snapshot_api::{
    BeginError, Costs, Facts, ListSnapshot, Memory, Progress, Restore, RestoreError, SessionId,
    SnapshotStrategy, Xid, check_order, highest_normal, restore_list,
    sync::{AtomicBool, AtomicU64, Ordering},
};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Bug {
    #[default]
    PlainWalk,
    WalksTwice,
}

#[derive(Debug)]
pub(crate) struct Walk {
    bug: Bug,
    base: Xid,
    marks: Vec<AtomicBool>,
    latest: AtomicU64,
    last: AtomicU64,
}

/// Enough for the histories that these toys are shown.
const PLACES: usize = 4_096;

impl Walk {
    fn mark(&self, xid: Xid) -> Option<&AtomicBool> {
        let place = xid.get().checked_sub(self.base.get())?;
        self.marks.get(usize::try_from(place).ok()?)
    }

    fn walk(&self, snapshot: &mut ListSnapshot) {
        let xmax = Xid::new(self.latest.load(Ordering::SeqCst)).next();
        let list = snapshot.refill(xmax);
        for id in self.base.get()..xmax.get() {
            let xid = Xid::new(id);
            if self.mark(xid).is_some_and(|mark| mark.load(Ordering::SeqCst)) {
                list.push(xid);
            }
        }
    }
}

impl SnapshotStrategy for Walk {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "walk".into(),
            source: "made to fail",
            costs: Costs {
                take: "O(window)",
                begin: "O(1)",
                end: "O(1)",
                is_running: "O(log running)",
            },
            readers: Progress::WaitFree,
            writers: Progress::WaitFree,
            unordered_begin: false,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        check_order(xid, Xid::new(self.last.load(Ordering::SeqCst)))?;
        if let Some(mark) = self.mark(xid) {
            mark.store(true, Ordering::SeqCst);
        }
        self.last.fetch_max(xid.get(), Ordering::SeqCst);
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        if let Some(highest) = highest_normal(tree) {
            self.last.fetch_max(highest.get(), Ordering::SeqCst);
            self.latest.fetch_max(highest.get(), Ordering::SeqCst);
        }
        for &xid in tree {
            if let Some(mark) = self.mark(xid) {
                mark.store(false, Ordering::SeqCst);
            }
        }
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        self.walk(snapshot);
        if self.bug == Bug::WalksTwice {
            let mut again = ListSnapshot::new();
            self.walk(&mut again);
            while !same(snapshot, &again) {
                std::mem::swap(snapshot, &mut again);
                self.walk(&mut again);
            }
        }
    }
}

fn same(one: &ListSnapshot, other: &ListSnapshot) -> bool {
    use snapshot_api::Snapshot;
    one.xmax() == other.xmax() && one.running().eq(other.running())
}

impl Restore for Walk {
    type Config = Bug;

    fn restore(bug: &Bug, latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest, running) = restore_list(latest, running)?;
        let base = running.first().copied().unwrap_or(latest.next());
        let last = running.last().map_or(latest, |&xid| xid.max(latest));
        let toy = Walk {
            bug: *bug,
            base,
            marks: (0..PLACES).map(|_| AtomicBool::new(false)).collect(),
            latest: AtomicU64::new(latest.get()),
            last: AtomicU64::new(last.get()),
        };
        for &xid in &running {
            if let Some(mark) = toy.mark(xid) {
                mark.store(true, Ordering::SeqCst);
            }
        }
        Ok(toy)
    }
}
