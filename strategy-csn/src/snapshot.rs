//! [`CsnSnapshot`]: a number, two bounds, and a slot that keeps what they need in the log.

// The standard library's atomic in every build: it keeps an answer that is the same whoever computes it.
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering as Memo},
};

use snapshot_api::{Snapshot, Xid};

use crate::{
    core::{Core, Head},
    page,
    ring::Ring,
    slots::Slot,
    walk::Running,
};

/// An id runs in it if it has not ended, or ended at a higher number. Nothing is copied: the visibility test looks the
/// number up in the log, which stays alive with the value.
#[derive(Debug)]
pub struct CsnSnapshot {
    pub(crate) core: Arc<Core>,
    /// The ring when the slot was registered. A look-up finds a newer one by itself.
    pub(crate) ring: Arc<Ring>,
    /// None before the first take.
    pub(crate) slot: Option<Arc<Slot>>,
    /// 0 before the first take.
    pub(crate) number: u64,
    /// Nothing below runs.
    low: Xid,
    xmax: Xid,
    /// The lowest running id, once somebody has asked for it.
    xmin: AtomicU64,
}

/// An answer that nobody has asked for yet.
const UNKNOWN: u64 = 0;

impl CsnSnapshot {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        CsnSnapshot {
            ring: Arc::clone(core.rings.current()),
            core,
            slot: None,
            number: 0,
            low: Xid::FIRST_NORMAL,
            xmax: Xid::FIRST_NORMAL,
            xmin: AtomicU64::new(UNKNOWN),
        }
    }

    /// Whether nothing was published since it was taken.
    #[inline]
    pub(crate) fn is_at(&self, head: &Head) -> bool {
        self.number == head.number.load()
    }

    #[inline]
    pub(crate) fn fill(&mut self, oldest: u64, number: u64, latest: u64) {
        self.number = number;
        self.low = Xid::new(oldest);
        self.xmax = Xid::new(latest).next();
        *self.xmin.get_mut() = UNKNOWN;
    }

    /// Whether an id of this number runs: 0 or higher than the snapshot's.
    #[inline]
    fn runs(&self, number: u64) -> bool {
        number.wrapping_sub(1) >= self.number
    }

    #[cold]
    fn look_up(&self, id: u64) -> bool {
        self.runs(self.core.number_of(&self.ring, id))
    }

    #[cold]
    fn find_xmin(&self) -> Xid {
        // The bound itself, as a rule: one look-up, where the walk reads a page.
        let xmin = match self.low < self.xmax && self.is_running(self.low) {
            true => self.low,
            false => self.running().next().unwrap_or(self.xmax),
        };
        // Relaxed: an answer, the same whoever finds it.
        self.xmin.store(xmin.get(), Memo::Relaxed);
        xmin
    }
}

impl Snapshot for CsnSnapshot {
    /// Looked for at the first call, from a lower bound that the take has read: the id at the bound itself, unless
    /// something ended beside the take.
    #[inline]
    fn xmin(&self) -> Xid {
        // Relaxed: an answer, the same whoever finds it.
        match self.xmin.load(Memo::Relaxed) {
            UNKNOWN => self.find_xmin(),
            xmin => Xid::new(xmin),
        }
    }

    #[inline]
    fn xmax(&self) -> Xid {
        self.xmax
    }

    #[inline]
    fn is_running(&self, xid: Xid) -> bool {
        if xid >= self.xmax || xid < self.low {
            return xid >= self.xmax;
        }
        let (id, page) = (xid.get(), page::of(xid.get()));
        let cell = self.ring.cell(page);
        // The two usual cases of `Core::read`.
        let word = cell.load();
        if word == page::dense(page) {
            let number = self.core.dense(id).load();
            if cell.again() == word {
                return self.runs(number);
            }
        } else if let Some(runs) = self.ring.is_the_one(word, page, page::offset(id)) {
            return runs;
        }
        self.look_up(id)
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        Running::new(&self.core, &self.ring, self.number, self.low.get(), self.xmax.get())
    }
}

impl Drop for CsnSnapshot {
    fn drop(&mut self) {
        if let Some(slot) = &self.slot {
            self.core.slots.release(slot);
        }
    }
}
