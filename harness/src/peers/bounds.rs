//! [`Bounds`]: what a concurrent set of ids lacks to be a strategy: xmax, and the highest id so far.

use snapshot_api::{
    BeginError, Xid, check_order,
    sync::{AtomicU64, Ordering},
};

/// xmax and the highest id begun or completed so far, both rising only.
#[derive(Debug)]
pub(super) struct Bounds {
    xmax: AtomicU64,
    last: AtomicU64,
}

impl Bounds {
    /// After a restart in which `running` run, in rising order.
    pub(super) fn new(latest_completed: Xid, running: &[Xid]) -> Self {
        let last = running.last().map_or(latest_completed, |&xid| xid.max(latest_completed));
        Bounds {
            xmax: AtomicU64::new(latest_completed.next().get()),
            last: AtomicU64::new(last.get()),
        }
    }

    /// The first id that counts as not begun. Who began below it has entered its id, or has ended.
    pub(super) fn xmax(&self) -> Xid {
        // Acquire: pairs with the Release in `complete`.
        Xid::new(self.xmax.load(Ordering::Acquire))
    }

    /// Enters an id by `insert`, if it may begin.
    pub(super) fn begin(&self, xid: Xid, insert: impl FnOnce()) -> Result<(), BeginError> {
        // Relaxed: who begins a higher id comes after who began or completed the lower ones, by the caller's own order.
        check_order(xid, Xid::new(self.last.load(Ordering::Relaxed)))?;
        insert();
        self.last.fetch_max(xid.get(), Ordering::Relaxed);
        Ok(())
    }

    /// Raises latest completed. The ids of the tree are out.
    pub(super) fn complete(&self, latest: Xid) {
        if latest.is_normal() {
            // Relaxed: as in `begin`.
            self.last.fetch_max(latest.get(), Ordering::Relaxed);
            // Release: pairs with the Acquire in `xmax`. Lower ids have begun, and this tree's are out.
            self.xmax.fetch_max(latest.next().get(), Ordering::Release);
        }
    }
}
