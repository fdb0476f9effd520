//! [`CsnLog`]: the strategy.

use std::sync::Arc;

use snapshot_api::{
    BeginError, CapacityExceeded, Costs, Facts, Memory, Progress, Restore, RestoreError, SessionId,
    SnapshotStrategy, Standby, Xid, check_order, restore_list,
    sync::{MutexGuard, Ordering, fence},
};

use crate::{
    config::{BeginOrder, CsnConfig},
    core::Core,
    page,
    restore::restore,
    ring::MOST_PAGES,
    snapshot::CsnSnapshot,
    writer::Writer,
};

/// A log from transaction id to the number of its end; a snapshot is the last number published.
///
/// ```
/// use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid};
/// use strategy_csn::CsnLog;
///
/// let log = CsnLog::restore(&Default::default(), Xid::new(9), &[])?;
/// // Any order will do: ids come from a counter, without a lock.
/// log.begin(SessionId::new(1), Xid::new(11))?;
/// log.begin(SessionId::new(0), Xid::new(10))?;
/// log.end(SessionId::new(1), &[Xid::new(11)]);
///
/// let mut snapshot = log.snapshot();
/// log.take(&mut snapshot);
/// log.end(SessionId::new(0), &[Xid::new(10)]);
/// assert!(snapshot.running().eq([Xid::new(10)]), "it stays as it was taken");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CsnLog {
    core: Arc<Core>,
    begin: BeginOrder,
}

/// The window is as wide as it can be.
const FULL: CapacityExceeded = CapacityExceeded {
    what: "ids from the oldest that runs on",
    limit: (MOST_PAGES * page::IDS) as usize,
};

impl CsnLog {
    /// Registers a value that has no slot, lags behind, or comes from another log. The protocol is in [`crate::slots`].
    #[cold]
    fn register(&self, value: &mut CsnSnapshot) {
        if !Arc::ptr_eq(&value.core, &self.core) {
            // The slot in the other log goes with the old value.
            *value = self.snapshot();
        }
        // Should this thread panic, the value is from no number.
        value.number = 0;
        if !Arc::ptr_eq(&value.ring, self.core.rings.current()) {
            value.ring = Arc::clone(self.core.rings.current());
        }
        let head = &self.core.head;
        if value.slot.is_none() {
            // Any number published before will do as a bound.
            value.slot = Some(self.core.slots.claim(head.number.again()));
        }
        let CsnSnapshot { slot: Some(slot), .. } = value else { return };
        loop {
            // What the value held counts no more, and what it will hold has this number or a higher one.
            slot.raise(head.number.again());
            slot.unmark();
            // Pairs with the fence in `Needs::read`.
            fence(Ordering::SeqCst);
            let (oldest, number, latest) = head.read();
            if !slot.is_marked() {
                slot.raise(number);
                value.fill(oldest, number, latest);
                return;
            }
        }
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.core.writer.lock()
    }

    fn rising(&self) -> bool {
        self.begin == BeginOrder::Rising
    }

    #[cold]
    fn begin_in_order(&self, xid: Xid) -> Result<(), BeginError> {
        let writer = &mut *self.writer();
        check_order(xid, Xid::new(writer.last))?;
        if !writer.has_room(xid.get()) {
            return Err(FULL.into());
        }
        // Those that are passed over end with the next change: until it is published they lie at or above every xmax.
        let number = Writer::next_number(&self.core);
        writer.end_range(&self.core, writer.last + 1, xid.get(), number);
        writer.last = xid.get();
        Ok(())
    }
}

impl SnapshotStrategy for CsnLog {
    type Snapshot = CsnSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: if self.rising() { "csn(rising)" } else { "csn" }.into(),
            source: "pgsql-hackers: commit sequence numbers, 2013 to 2025",
            costs: Costs {
                take: "O(1)",
                begin: "O(1)",
                end: "O(1)",
                is_running: "O(1), O(log running in the page) where the page is old",
            },
            readers: Progress::LockFree,
            writers: Progress::Blocking,
            unordered_begin: !self.rising(),
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> CsnSnapshot {
        CsnSnapshot::new(Arc::clone(&self.core))
    }

    #[inline]
    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        if self.rising() {
            return self.begin_in_order(xid);
        }
        if !xid.is_normal() {
            return Err(BeginError::NotNormal(xid));
        }
        let (page, bounds) = (page::of(xid.get()), &self.core.bounds);
        // Relaxed: orders nothing; who prunes after this begin has returned finds it.
        if page > bounds.high.load(Ordering::Relaxed) {
            // An older floor only refuses sooner.
            let floor = bounds.floor.again();
            if page.saturating_sub(floor) >= MOST_PAGES {
                return Err(FULL.into());
            }
            // Relaxed: as above.
            bounds.high.fetch_max(page, Ordering::Relaxed);
        }
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let (writer, core) = (&mut *self.writer(), &*self.core);
        let number = Writer::next_number(core);
        // Ids beyond the range are ignored, those beside them are not.
        let known = tree.iter().filter(|xid| xid.is_normal() && writer.has_room(xid.get()));
        let highest = known.map(|xid| xid.get()).max();
        let mut changed = writer.end_ids(core, tree, number);
        if let Some(highest) = highest {
            if self.rising() && highest > writer.last {
                changed |= writer.end_range(core, writer.last + 1, highest, number);
                writer.last = highest;
            }
            changed |= writer.raise(highest);
        }
        if changed {
            writer.publish(core, number);
        }
    }

    #[inline]
    fn take(&self, value: &mut CsnSnapshot) {
        let head = &self.core.head;
        let ours = Arc::ptr_eq(&value.core, &self.core);
        if ours & value.is_at(head) {
            return;
        }
        let (oldest, number, latest) = head.read();
        match &value.slot {
            Some(slot) if ours && !slot.is_marked() => {
                slot.raise(number);
                value.fill(oldest, number, latest);
            }
            _ => self.register(value),
        }
    }

    fn lock_waits(&self) -> u64 {
        self.core.writer.waits()
    }
}

impl Restore for CsnLog {
    type Config = CsnConfig;

    fn restore(
        config: &CsnConfig,
        latest_completed: Xid,
        running: &[Xid],
    ) -> Result<Self, RestoreError> {
        let (latest, running) = restore_list(latest_completed, running)?;
        let core = restore(latest.get(), &running).ok_or(RestoreError::Full(FULL))?;
        Ok(CsnLog { core: Arc::new(core), begin: config.begin })
    }
}

impl Standby for CsnLog {
    fn forget(&self, xids: &[Xid]) {
        let (writer, core) = (&mut *self.writer(), &*self.core);
        let number = Writer::next_number(core);
        let begun = |xid: &&Xid| !self.rising() || xid.get() <= writer.last;
        let begun: Vec<Xid> = xids.iter().filter(begun).copied().collect();
        if writer.end_ids(core, &begun, number) {
            writer.publish(core, number);
        }
    }

    fn complete(&self, latest: Xid) {
        let (writer, core) = (&mut *self.writer(), &*self.core);
        if !latest.is_normal() || !writer.has_room(latest.get()) {
            return;
        }
        let (latest, number) = (latest.get(), Writer::next_number(core));
        let mut changed = false;
        if self.rising() && latest > writer.last {
            changed |= writer.end_range(core, writer.last + 1, latest + 1, number);
            writer.last = latest;
        }
        changed |= writer.raise(latest);
        if changed {
            writer.publish(core, number);
        }
    }

    fn prune(&self, below: Xid) {
        let (writer, core) = (&mut *self.writer(), &*self.core);
        let known = if self.rising() {
            writer.last + 1
        } else {
            // Relaxed: the begins that count have returned before this call.
            page::end(core.bounds.high.load(Ordering::Relaxed))
        };
        let number = Writer::next_number(core);
        let oldest = core.head.oldest.get();
        if writer.end_range(core, oldest, below.get().min(known), number) {
            writer.publish(core, number);
        }
    }
}
