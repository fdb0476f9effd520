//! Who is calling: the number of a session's slot.

use std::fmt;

/// The slot of a session, counted from 0 (PostgreSQL's backend number).
///
/// Designs that keep one place a session need it; the others ignore it. One session runs one transaction at a time and
/// is used by one thread at a time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct SessionId(u32);

impl SessionId {
    /// The slot with this number.
    #[inline]
    pub const fn new(slot: u32) -> Self {
        SessionId(slot)
    }

    /// The number of the slot, ready to index with.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session {}", self.0)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
