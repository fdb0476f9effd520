//! A value on cache lines of its own.

use std::ops::Deref;

/// Nothing else lies on the cache lines of the value, so that nobody loses it to a write that does not concern it.
///
/// 128 bytes: a line has 64, and Intel's prefetcher fetches lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Line<T>(pub(crate) T);

impl<T> Deref for Line<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
