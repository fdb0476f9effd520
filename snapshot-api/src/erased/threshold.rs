//! [`BoxedThreshold`]: [`ThresholdStrategy`] needs no helper type to be an object.

use std::fmt;

use crate::{Threshold, ThresholdFacts, ThresholdStrategy, Timestamp};

/// Any threshold strategy. It is one itself, as every box of one is.
///
/// ```
/// use snapshot_api::{BoxedThreshold, Off, ThresholdStrategy, Timestamp};
///
/// fn of_an_engine<T: ThresholdStrategy>(threshold: T) -> Timestamp {
///     threshold.timestamp()
/// }
///
/// let chosen: BoxedThreshold = Box::new(Off);
/// assert_eq!(of_an_engine(chosen), Timestamp::ZERO);
/// ```
pub type BoxedThreshold = Box<dyn ThresholdStrategy>;

impl<T: ThresholdStrategy + ?Sized> ThresholdStrategy for Box<T> {
    fn facts(&self) -> ThresholdFacts {
        (**self).facts()
    }

    #[inline]
    fn timestamp(&self) -> Timestamp {
        (**self).timestamp()
    }

    #[inline]
    fn load(&self) -> Threshold {
        (**self).load()
    }

    #[inline]
    fn advance(&self, to: Threshold) {
        (**self).advance(to);
    }

    fn lock_waits(&self) -> u64 {
        (**self).lock_waits()
    }
}

impl fmt::Debug for dyn ThresholdStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BoxedThreshold").field(&self.facts().name).finish()
    }
}
