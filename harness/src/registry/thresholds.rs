//! All threshold strategies.

use snapshot_api::{Off, ThresholdStrategy};
use strategy_atomic_threshold::{
    MutexThreshold, OsMutexThreshold, PackedThreshold, SeqlockThreshold, SplitAtomicThreshold,
};

use super::Unknown;

/// Does something with a threshold strategy whose type is known where it is called.
pub trait ThresholdVisitor {
    /// What comes out.
    type Output;

    /// Called with what makes a new instance.
    fn visit<T: ThresholdStrategy + 'static>(self, new: fn() -> T) -> Self::Output;
}

macro_rules! thresholds {
    ($($name:literal => $new:expr;)*) => {
        /// The names of all threshold strategies.
        pub const THRESHOLDS: &[&str] = &[$($name),*];

        /// Calls `visitor` with the threshold strategy of this name.
        ///
        /// # Errors
        ///
        /// Nothing has this name.
        pub fn visit_threshold<V: ThresholdVisitor>(name: &str, visitor: V) -> Result<V::Output, Unknown> {
            match name {
                $($name => Ok(visitor.visit($new)),)*
                _ => Err(Unknown::new("threshold strategy", name, THRESHOLDS.to_vec())),
            }
        }
    };
}

// The name on the command line, which is the one in the strategy's facts => what makes a new one.
thresholds! {
    "off" => || Off;
    "split-atomic" => SplitAtomicThreshold::new;
    "seqlock" => SeqlockThreshold::new;
    "packed" => PackedThreshold::new;
    "mutex-os" => OsMutexThreshold::new;
    "mutex" => MutexThreshold::new;
}
