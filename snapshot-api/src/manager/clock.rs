//! [`Clock`]: where a manager gets the time from.

use std::{
    sync::{
        Arc,
        // The standard library's in every build: it orders nothing that a model should look at.
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crate::Timestamp;

/// Tells the time, in microseconds from a start of its own. Asked by [`tick`](crate::TransactionManager::tick) and by whoever
/// wants to know an age; never when a snapshot is taken.
///
/// It should not go back. Where it does, nothing is younger than before: the manager keeps the latest time that it has seen.
pub trait Clock: Send + Sync {
    /// The time.
    fn now(&self) -> Timestamp;
}

/// The operating system's monotonic clock, counted from when this value was made.
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock(Instant);

impl Default for MonotonicClock {
    fn default() -> Self {
        MonotonicClock(Instant::now())
    }
}

impl Clock for MonotonicClock {
    fn now(&self) -> Timestamp {
        micros(self.0.elapsed())
    }
}

/// A clock that stands still until it is told to go on: for tests and simulations. Clones are the same clock.
///
/// ```
/// use std::time::Duration;
/// use snapshot_api::{Clock, ManualClock, Timestamp};
///
/// let clock = ManualClock::default();
/// clock.advance(Duration::from_secs(60));
/// assert_eq!(clock.now(), Timestamp::from_micros(60_000_000));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    /// Moves the time on.
    pub fn advance(&self, by: Duration) {
        // Relaxed: the manager's own time carries the order.
        self.0.fetch_add(micros(by).as_micros(), Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        // Relaxed: as above.
        Timestamp::from_micros(self.0.load(Ordering::Relaxed))
    }
}

/// As far as 64 bits of microseconds go: half a million years.
pub(super) fn micros(time: Duration) -> Timestamp {
    Timestamp::from_micros(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

/// How long ago `then` was.
pub(super) fn since(now: Timestamp, then: Timestamp) -> Duration {
    Duration::from_micros(now.as_micros().saturating_sub(then.as_micros()))
}
