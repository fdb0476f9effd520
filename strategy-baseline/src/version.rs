//! [`Version`]: how many changes an instance has seen, for values that are kept while there are none.

use snapshot_api::{
    InstanceId, ListSnapshot,
    sync::{
        AtomicU64,
        Ordering::{Acquire, Release},
    },
};

/// A count of changes and the instance that counts, on a line of their own: all that a take reads where it has nothing to
/// do.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Version {
    count: AtomicU64,
    instance: InstanceId,
}

impl Version {
    pub(crate) fn new() -> Self {
        Version { count: AtomicU64::new(0), instance: InstanceId::unique() }
    }

    /// Publishes the number of changes: after the change, by who excludes other changes.
    #[inline]
    pub(crate) fn publish(&self, count: u64) {
        // Release: pairs with the Acquire load in `is_of`; whoever reads the new count has the change before it.
        self.count.store(count, Release);
    }

    /// Whether the value was stamped and nothing has changed since.
    #[inline]
    pub(crate) fn is_of(&self, snapshot: &ListSnapshot) -> bool {
        // Acquire: pairs with the Release store in `publish`; all changes counted are before the caller's return.
        snapshot.is_from(self.instance, self.count.load(Acquire))
    }

    /// Stamps a value that holds the state after so many changes.
    #[inline]
    pub(crate) fn stamp(&self, snapshot: &mut ListSnapshot, count: u64) {
        snapshot.stamp(self.instance, count);
    }
}
