//! [`Padded`]: keeps a value away from its neighbours' cache lines.

use std::ops::Deref;

/// A value on cache lines of its own: 128 bytes, since x86 fetches lines in pairs. Whoever writes a neighbour does not take
/// the value's line away from those who only read it.
///
/// ```
/// use snapshot_api::sync::{AtomicU64, Ordering, Padded};
///
/// let counters = [0, 1].map(|start| Padded(AtomicU64::new(start)));
/// counters[0].fetch_add(5, Ordering::Relaxed);
/// assert_eq!(counters[0].load(Ordering::Relaxed), 5);
/// assert_eq!(size_of_val(&counters), 2 * 128);
/// ```
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Padded<T>(pub T);

impl<T> Deref for Padded<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}
