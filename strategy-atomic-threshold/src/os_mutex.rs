//! `mutex-os`: the pair under the operating system's mutex, what a Rust program would write first.
//!
//! ```text
//!  ┌──────────────────────┬───────────┬───────┬───────┐
//!  │ lock word (a futex)  │ timestamp │  xid  │ waits │   one cache line
//!  └──────────────────────┴───────────┴───────┴───────┘
//! ```
//!
//! Like [`mutex`](crate::mutex) every reader writes the line twice. Unlike it, a caller that has spun in vain sleeps in the
//! kernel until the holder wakes it: no millisecond is lost after the lock has become free, but waker and sleeper pay
//! for a system call each.
//!
//! # Proof
//!
//! All calls are critical sections of one lock, and so they lie in one order that includes happens-before: the pair is
//! whole (law c), the maximum is not lost (law a), and a reader whose call comes after a pruner's reads at least what that
//! one read (law b).
//!
//! # Costs
//!
//! Every call: two writes to one line. Readers and writers block.

use snapshot_api::{
    Pairing, Progress, Threshold, ThresholdFacts, ThresholdStrategy, Timestamp, sync::Mutex,
    sync::Padded,
};

/// The pair under a futex mutex. See the [module](self).
#[derive(Debug, Default)]
pub struct OsMutexThreshold(Padded<Mutex<Threshold>>);

impl OsMutexThreshold {
    /// The threshold before its first advance.
    pub fn new() -> Self {
        Self::default()
    }
}

impl ThresholdStrategy for OsMutexThreshold {
    fn facts(&self) -> ThresholdFacts {
        ThresholdFacts {
            name: "mutex-os".into(),
            source: "the standard library's mutex",
            readers: Progress::Blocking,
            writers: Progress::Blocking,
            pairing: Pairing::Whole,
        }
    }

    #[inline]
    fn timestamp(&self) -> Timestamp {
        self.0.lock().timestamp
    }

    #[inline]
    fn load(&self) -> Threshold {
        *self.0.lock()
    }

    fn advance(&self, to: Threshold) {
        let mut threshold = self.0.lock();
        *threshold = threshold.max(to);
    }

    fn lock_waits(&self) -> u64 {
        self.0.waits()
    }
}
