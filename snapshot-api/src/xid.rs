//! Transaction ids: [`Xid`] counts up for ever, [`FullXid`] is PostgreSQL's pair of epoch and 32-bit id.
//!
//! Strategies know [`Xid`] alone: 64 bits, dense, never wrapping, ordered as plain numbers. PostgreSQL hands out 32-bit
//! ids that wrap every four billion transactions and skip three reserved values at each turn. [`FullXid`] stands
//! between the two: it widens a 32-bit id against a known one, and it maps to and from the dense numbers, so that
//! *latest completed + 1* is the same id on both sides of a wrap.
//!
//! ```text
//!  FullXid   0:3 … 0:4294967295 │ 1:3 … 1:4294967295 │ 2:3 …      (0, 1 and 2 of each epoch are no transactions)
//!  Xid         3 …   4294967295 │ 4294967296 …       │ …          (no holes)
//! ```

use std::fmt;

/// A transaction id: 64 bits, handed out in rising order, never wrapping.
///
/// Ids 0, 1 and 2 are reserved as in PostgreSQL (`access/transam.h`: invalid, bootstrap, frozen), and the last value is
/// kept free so that *latest completed + 1* always exists.
///
/// ```
/// use snapshot_api::Xid;
///
/// let xid = Xid::new(100);
/// assert!(xid.is_normal());
/// assert_eq!(xid.next(), Xid::new(101));
/// assert!(!Xid::FROZEN.is_normal());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Xid(u64);

impl Xid {
    /// No transaction (0).
    pub const INVALID: Xid = Xid(0);
    /// PostgreSQL's bootstrap transaction (1): ended before everything else.
    pub const BOOTSTRAP: Xid = Xid(1);
    /// PostgreSQL's frozen transaction (2): ended before everything else. As *latest completed* it says that nothing
    /// has completed yet.
    pub const FROZEN: Xid = Xid(2);
    /// The first id that a transaction can have (3).
    pub const FIRST_NORMAL: Xid = Xid(3);
    /// The last id that a transaction can have. The one above it is a bound only.
    pub const LAST_NORMAL: Xid = Xid(u64::MAX - 1);

    /// The id with this number; any number will do, see [`is_normal`](Self::is_normal).
    #[inline]
    pub const fn new(id: u64) -> Self {
        Xid(id)
    }

    /// The number.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Whether a transaction can have this id: neither reserved nor the bound at the end of the range.
    #[inline]
    pub const fn is_normal(self) -> bool {
        self.0 >= Self::FIRST_NORMAL.0 && self.0 <= Self::LAST_NORMAL.0
    }

    /// The id above. The bound at the end of the range is its own successor.
    #[inline]
    #[must_use]
    pub const fn next(self) -> Self {
        Xid(self.0.saturating_add(1))
    }

    /// The id below. Zero is its own predecessor.
    #[inline]
    #[must_use]
    pub const fn prev(self) -> Self {
        Xid(self.0.saturating_sub(1))
    }
}

impl From<u64> for Xid {
    fn from(id: u64) -> Self {
        Xid(id)
    }
}

impl From<Xid> for u64 {
    fn from(xid: Xid) -> Self {
        xid.0
    }
}

impl fmt::Debug for Xid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Display for Xid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// PostgreSQL's 64-bit id: an epoch in the high half, the 32-bit id in the low half (`access/transam.h`,
/// `FullTransactionId`).
///
/// ```
/// use snapshot_api::FullXid;
///
/// // The wrap: 0xFFFF_FFFF is followed by 3 of the next epoch.
/// let last = FullXid::from_parts(5, u32::MAX);
/// assert_eq!(last.next(), FullXid::from_parts(6, 3));
///
/// // A 32-bit id out of the log is the one nearest to an id that is known.
/// assert_eq!(FullXid::widen(4_294_967_290, last.next()), FullXid::from_parts(5, 4_294_967_290));
///
/// // Dense ids leave no hole at the wrap.
/// assert_eq!(last.next().dense(), last.dense().next());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct FullXid(u64);

impl FullXid {
    /// The first id that a transaction can have.
    pub const FIRST_NORMAL: FullXid = FullXid(3);

    const RESERVED: u64 = 3;
    const NORMAL_PER_EPOCH: u64 = (1 << 32) - Self::RESERVED;

    /// From the number as PostgreSQL prints it, for instance in `pg_current_snapshot()`.
    #[inline]
    pub const fn new(value: u64) -> Self {
        FullXid(value)
    }

    /// From an epoch and a 32-bit id.
    #[inline]
    pub const fn from_parts(epoch: u32, low: u32) -> Self {
        FullXid((epoch as u64) << 32 | low as u64)
    }

    /// The number as PostgreSQL prints it.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// How often the 32-bit ids had wrapped.
    #[inline]
    pub const fn epoch(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The 32-bit id as it stands in tuples and in the log.
    #[inline]
    pub const fn low(self) -> u32 {
        self.0 as u32
    }

    /// Whether a transaction can have this id: 0, 1 and 2 of each epoch are reserved.
    #[inline]
    pub const fn is_normal(self) -> bool {
        self.low() as u64 >= Self::RESERVED
    }

    /// The id above, reserved ones skipped; the last one of the range is its own successor.
    #[must_use]
    pub const fn next(self) -> Self {
        let up = FullXid(self.0.saturating_add(1));
        if up.is_normal() { up } else { FullXid((up.0 & !0xFFFF_FFFF) | Self::RESERVED) }
    }

    /// The id below, reserved ones skipped; the first normal id of epoch 0 is its own predecessor.
    #[must_use]
    pub const fn prev(self) -> Self {
        if self.0 <= Self::RESERVED {
            return Self::FIRST_NORMAL;
        }
        let down = FullXid(self.0 - 1);
        if down.is_normal() { down } else { FullXid((down.0 & !0xFFFF_FFFF) - 1) }
    }

    /// The 64-bit id with the low half `low` that lies nearest to `reference`: at a distance in [-2³¹, 2³¹).
    ///
    /// Reserved ids are the same in every epoch and stay in epoch 0. An id that would lie before epoch 0 becomes
    /// [`FIRST_NORMAL`](Self::FIRST_NORMAL) and one beyond the last epoch becomes the last id: neither can be far in the
    /// other direction (PostgreSQL commit b3a83055 repaired just that).
    #[must_use]
    pub const fn widen(low: u32, reference: FullXid) -> Self {
        if (low as u64) < Self::RESERVED {
            return FullXid(low as u64);
        }
        let distance = low.wrapping_sub(reference.low()) as i32;
        match reference.0.checked_add_signed(distance as i64) {
            Some(id) if id >= Self::RESERVED => FullXid(id),
            None if distance > 0 => FullXid(u64::MAX),
            _ => Self::FIRST_NORMAL,
        }
    }

    /// The dense number of this id. Reserved ids of any epoch map to their low half.
    #[must_use]
    pub const fn dense(self) -> Xid {
        if !self.is_normal() {
            return Xid(self.low() as u64);
        }
        Xid(self.epoch() as u64 * Self::NORMAL_PER_EPOCH + self.low() as u64)
    }

    /// The id that a dense number stands for; `None` beyond the last epoch.
    #[must_use]
    pub const fn from_dense(xid: Xid) -> Option<Self> {
        if xid.0 < Self::RESERVED {
            return Some(FullXid(xid.0));
        }
        let rank = xid.0 - Self::RESERVED;
        let epoch = rank / Self::NORMAL_PER_EPOCH;
        if epoch > u32::MAX as u64 {
            return None;
        }
        Some(FullXid(epoch << 32 | (rank % Self::NORMAL_PER_EPOCH + Self::RESERVED)))
    }
}

impl fmt::Debug for FullXid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.epoch(), self.low())
    }
}

impl fmt::Display for FullXid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
