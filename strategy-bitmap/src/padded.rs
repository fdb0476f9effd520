//! Keeps a value away from its neighbours' cache lines.

use std::ops::Deref;

/// A value on cache lines of its own: 128 bytes, since x86 fetches lines in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Padded<T>(pub(crate) T);

impl<T> Deref for Padded<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}
