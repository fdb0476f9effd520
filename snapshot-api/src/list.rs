//! [`ListSnapshot`]: the plain answer, a sorted list of running ids, shared by every design that builds one.

use crate::{InstanceId, Snapshot, Xid};

/// The running ids below xmax in rising order, and the version of the strategy that they were read at.
///
/// A strategy fills it in [`take`](crate::SnapshotStrategy::take):
///
/// ```
/// use snapshot_api::{InstanceId, ListSnapshot, Snapshot, Xid};
///
/// let (instance, version) = (InstanceId::unique(), 42);
/// let mut snapshot = ListSnapshot::new();
/// if !snapshot.is_from(instance, version) {
///     snapshot.refill(Xid::new(9)).extend([Xid::new(5), Xid::new(7)]);
///     snapshot.stamp(instance, version);
/// }
/// assert!(snapshot.is_from(instance, version), "the next take has nothing to do");
/// assert!(snapshot.is_running(Xid::new(7)));
/// assert!(!snapshot.is_running(Xid::new(8)));
/// ```
#[derive(Clone, Debug)]
pub struct ListSnapshot {
    instance: InstanceId,
    version: u64,
    xmax: Xid,
    running: Vec<Xid>,
}

impl ListSnapshot {
    /// A snapshot in which nothing has ended.
    pub const fn new() -> Self {
        ListSnapshot {
            instance: InstanceId::NONE,
            version: 0,
            xmax: Xid::FIRST_NORMAL,
            running: Vec::new(),
        }
    }

    /// Whether the content was read from this instance at this version.
    #[inline]
    pub fn is_from(&self, instance: InstanceId, version: u64) -> bool {
        self.version == version && self.instance == instance
    }

    /// Empties the list, keeping its memory, and sets `xmax`. The caller pushes the running ids below `xmax` in rising
    /// order. The content is from no version until it is [stamped](Self::stamp).
    #[inline]
    pub fn refill(&mut self, xmax: Xid) -> &mut Vec<Xid> {
        self.instance = InstanceId::NONE;
        self.xmax = xmax;
        self.running.clear();
        &mut self.running
    }

    /// Remembers where the content was read.
    #[inline]
    pub fn stamp(&mut self, instance: InstanceId, version: u64) {
        self.instance = instance;
        self.version = version;
    }
}

impl Default for ListSnapshot {
    fn default() -> Self {
        Self::new()
    }
}

impl Snapshot for ListSnapshot {
    #[inline]
    fn xmin(&self) -> Xid {
        self.running.first().copied().unwrap_or(self.xmax)
    }

    #[inline]
    fn xmax(&self) -> Xid {
        self.xmax
    }

    #[inline]
    fn is_running(&self, xid: Xid) -> bool {
        // The bounds decide for most ids: rows are old, or newer than everything that has completed.
        if xid >= self.xmax {
            return true;
        }
        xid >= self.xmin() && self.running.binary_search(&xid).is_ok()
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        self.running.iter().copied()
    }
}
