//! Tells instances apart, so that a snapshot value filled by one is not taken for current by another.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that no other instance of any strategy in this process has.
///
/// A snapshot value that remembers a version remembers the instance as well: versions of two instances may happen to
/// match (law 8).
///
/// ```
/// use snapshot_api::InstanceId;
///
/// assert_ne!(InstanceId::unique(), InstanceId::unique());
/// assert_ne!(InstanceId::unique(), InstanceId::NONE);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InstanceId(u64);

impl InstanceId {
    /// No instance: what an empty snapshot value remembers.
    pub const NONE: InstanceId = InstanceId(0);

    /// A number not given before.
    pub fn unique() -> Self {
        // The standard library's atomic even in models: the number must differ between instances and orders nothing.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // Relaxed: a read-modify-write gives each caller its own number in any order.
        InstanceId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
