//! [`Needs`]: what the registered snapshots can tell apart.

use snapshot_api::sync::{Ordering, fence};

use crate::core::Core;

/// For each snapshot in use its number, or a lower one, and the first id that it need not look up.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// The number published when the slots were read. No later snapshot has a lower one.
    number: u64,
    /// How many slots there were.
    slots: u64,
    /// By number; the id is the highest of those up to here.
    snapshots: Vec<(u64, u64)>,
}

impl Needs {
    /// Reads the slots, and marks those that lag. Called under the writers' lock.
    pub(crate) fn read(&mut self, core: &Core) {
        self.number = core.head.number.get();
        let mark = core.head.latest_of(self.number).get() + 1;
        // Pairs with the fence in `CsnLog::register`: see `slots`.
        fence(Ordering::SeqCst);
        self.slots = core.slots.count();
        self.snapshots.clear();
        self.snapshots.extend(core.slots.needs(self.number, mark));
        self.snapshots.sort_unstable();
        let mut highest = 0;
        for (_, upto) in &mut self.snapshots {
            highest = highest.max(*upto);
            *upto = highest;
        }
    }

    /// After how many changes the slots should be looked at again. What ends until then is kept for a value that is kept; and
    /// each slot is a line that its reader may have written: a few of them for some hundred ends.
    pub(crate) fn patience(&self) -> u64 {
        256.max(32 * self.slots)
    }

    /// Whether some snapshot, now or later, holds as running an id that ended at this number.
    pub(crate) fn keeps(&self, id: u64, number: u64) -> bool {
        if number > self.number {
            return true;
        }
        // Of the snapshots in which it had not ended, the highest id that one looks up.
        let older = self.snapshots.partition_point(|&(held, _)| held < number);
        older > 0 && id < self.snapshots[older - 1].1
    }
}
