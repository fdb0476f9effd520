//! `packed`: both halves in one 128-bit atomic.
//!
//! ```text
//!  bit 127                 64 63                   0
//!  ┌─────────────────────────┬──────────────────────┐
//!  │ timestamp, microseconds │ xid                  │
//!  └─────────────────────────┴──────────────────────┘
//!
//!  advance     load, then compare-exchange against the part-wise maximum until it holds or nothing would change
//! ```
//!
//! # Proof
//!
//! The word has one modification order, and each write in it is a compare-exchange from a pair to a part-wise larger one:
//! neither half falls (law a), and each value is the maximum of the advances up to it (law c). A reader that sees a pruner's
//! work reads this word after the pruner did; by read-read coherence it gets the same pair or a later one (law b). No
//! ordering is needed for that, since there is no second location. The Release and Acquire are for the caller: what a setter did
//! before it advanced has happened for the pruner that acts on it.
//!
//! # Where it is lock-free
//!
//! Where the processor has a 128-bit compare-exchange (`cmpxchg16b`, on every x86-64 since about 2006; aarch64), found at
//! run time. A reader then takes one instruction: a vector load on processors with AVX, else a `cmpxchg16b`, which writes the
//! line like a lock would. Elsewhere the crate `portable-atomic` takes a lock of its own: the facts then say blocking, and
//! its waits are not counted, for nobody outside can see them.
//!
//! # Costs
//!
//! `timestamp` and `load`: one 128-bit load. `advance`: a load, and a compare-exchange if something rises.

mod cell;

use snapshot_api::{
    Pairing, Progress, Threshold, ThresholdFacts, ThresholdStrategy, Timestamp, Xid, sync::Padded,
};

use self::cell::WordCell;

/// The pair in one 128-bit atomic. See the [module](self).
#[derive(Debug, Default)]
pub struct PackedThreshold(Padded<WordCell>);

impl PackedThreshold {
    /// The threshold before its first advance.
    pub fn new() -> Self {
        Self::default()
    }
}

fn pack(Threshold { timestamp, xid }: Threshold) -> u128 {
    u128::from(timestamp.as_micros()) << 64 | u128::from(xid.get())
}

fn unpack(word: u128) -> Threshold {
    Threshold { timestamp: Timestamp::from_micros((word >> 64) as u64), xid: Xid::new(word as u64) }
}

impl ThresholdStrategy for PackedThreshold {
    fn facts(&self) -> ThresholdFacts {
        let lock_free = WordCell::is_lock_free();
        ThresholdFacts {
            name: "packed".into(),
            source: "own, on the crate portable-atomic",
            // On other processors than x86-64 a 128-bit load may be a loop that a writer can send back.
            readers: match lock_free {
                true if cfg!(target_arch = "x86_64") => Progress::WaitFree,
                true => Progress::LockFree,
                false => Progress::Blocking,
            },
            writers: if lock_free { Progress::LockFree } else { Progress::Blocking },
            pairing: Pairing::Whole,
        }
    }

    #[inline]
    fn timestamp(&self) -> Timestamp {
        self.load().timestamp
    }

    #[inline]
    fn load(&self) -> Threshold {
        unpack(self.0.load())
    }

    fn advance(&self, to: Threshold) {
        let mut known = self.load();
        loop {
            let raised = known.max(to);
            if raised == known {
                return;
            }
            match self.0.compare_exchange(pack(known), pack(raised)) {
                Ok(()) => return,
                Err(now) => known = unpack(now),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_loses_no_bit() {
        for (timestamp, xid) in [(0, 0), (1, 2), (u64::MAX, 0), (0, u64::MAX), (u64::MAX, u64::MAX)]
        {
            let pair =
                Threshold { timestamp: Timestamp::from_micros(timestamp), xid: Xid::new(xid) };
            assert_eq!(unpack(pack(pair)), pair);
        }
    }
}
