//! The threshold's laws; [`crate::threshold`] states them. [`threshold_laws!`](crate::threshold_laws) runs them all.

mod order;
mod pair;
mod progress;

pub use order::{never_back, timestamp_before_xid};
pub use pair::prefix;
pub use progress::progress;

use proptest::{collection::vec, prelude::*};

use super::{law::Law, mirror::on_random};
use crate::{Threshold, ThresholdStrategy, Timestamp, Xid};

fn at(micros: u64, xid: u64) -> Threshold {
    Threshold { timestamp: Timestamp::from_micros(micros), xid: Xid::new(xid) }
}

/// Before its first advance a threshold makes nobody too old and lets nothing be pruned.
pub fn starts_at_zero<T: ThresholdStrategy>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("threshold law exact", "starts at zero");
    let threshold = new();
    LAW.check(
        threshold.load() == Threshold::NONE && threshold.timestamp() == Timestamp::ZERO,
        || format!("a new one says {:?}", threshold.load()),
    );
}

/// With nobody beside it, each half is the maximum of what was asked; the whole range of numbers counts.
pub fn exact<T: ThresholdStrategy>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("threshold law exact", "maximum of what was asked");
    let half =
        prop_oneof![0..9_u64, any::<u64>(), Just(u64::MAX), Just(u64::MAX - 1), Just(1 << 63)];
    on_random(LAW, 128, vec((half.clone(), half), 1..12), |advances| {
        let threshold = new();
        let mut right = Threshold::NONE;
        for (micros, xid) in advances {
            threshold.advance(at(micros, xid));
            right = right.max(at(micros, xid));
            if (threshold.load(), threshold.timestamp()) != (right, right.timestamp) {
                return Err(format!(
                    "after advance({micros}, {xid}) it says {:?} and {:?}, should be {right:?}",
                    threshold.load(),
                    threshold.timestamp()
                ));
            }
        }
        Ok(())
    });
}
