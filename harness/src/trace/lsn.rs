//! [`Lsn`]: a position in the write-ahead log.

use std::fmt;

/// A position in the write-ahead log, in bytes (PostgreSQL's `pg_lsn`).
///
/// ```
/// use harness::trace::Lsn;
///
/// let lsn: Lsn = "0/05000028".parse()?;
/// assert_eq!(lsn, Lsn::new(0x500_0028));
/// assert_eq!(lsn.to_string(), "0/5000028");
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Lsn(u64);

impl Lsn {
    /// Behind every record.
    pub const MAX: Lsn = Lsn(u64::MAX);

    /// The position with this number of bytes before it.
    pub const fn new(bytes: u64) -> Self {
        Lsn(bytes)
    }

    /// The number of bytes before it.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl std::str::FromStr for Lsn {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut cursor = super::fields::Cursor::new(text.as_bytes());
        match cursor.lsn() {
            Ok(lsn) if cursor.rest().is_empty() => Ok(lsn),
            _ => Err(super::fields::LSN),
        }
    }
}

impl fmt::Display for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:X}/{:X}", self.0 >> 32, self.0 & 0xFFFF_FFFF)
    }
}

impl fmt::Debug for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
