//! [`View`]: a snapshot with what a standby knows about subtransactions, in PostgreSQL's ids.

use std::collections::BTreeMap;

use snapshot_api::{FullXid, Snapshot, Xid};

/// Which transaction a subtransaction belongs to, as far as assignment records have told.
pub(crate) type Parents = BTreeMap<Xid, Xid>;

/// A snapshot as a query on the standby sees it: bounds and list come from the strategy, the rest from the log.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, P> {
    pub(crate) snapshot: &'a P,
    pub(crate) suboverflowed: bool,
    pub(crate) parents: &'a Parents,
    pub(crate) next: FullXid,
}

impl<P: Snapshot> View<'_, P> {
    /// What the strategy took, in dense ids.
    pub fn snapshot(&self) -> &P {
        self.snapshot
    }

    /// Whether running subtransactions are missing in the list (`SnapshotData.suboverflowed`).
    pub fn suboverflowed(&self) -> bool {
        self.suboverflowed
    }

    /// The id that the primary hands out next, as far as the standby knows (`nextXid`).
    pub fn next(&self) -> FullXid {
        self.next
    }

    /// Whether the id is in progress (`XidInMVCCSnapshot`). Where subtransactions are missing, the id's parent decides,
    /// as far up as parents are known and not below xmin.
    pub fn is_in_progress(&self, xid: Xid) -> bool {
        let (xmin, xmax) = (self.snapshot.xmin(), self.snapshot.xmax());
        if xid >= xmax || xid < xmin {
            return xid >= xmax;
        }
        let mut xid = xid;
        if self.suboverflowed {
            // Ends: a parent's id is lower (rule parent-first).
            while let Some(&parent) = self.parents.get(&xid) {
                if parent < xmin {
                    return false;
                }
                xid = parent;
            }
        }
        self.snapshot.is_running(xid)
    }
}
