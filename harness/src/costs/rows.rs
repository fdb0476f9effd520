//! A line of the table, as it is printed and written.

use serde::Serialize;

use super::{operation::Operation, rounds::Middle};

/// Where a snapshot strategy is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Ids from the oldest running to the newest, about.
    pub window: u64,
    /// How many run.
    pub running: u64,
    /// How they lie: `clustered` or `uniform`.
    pub distribution: &'static str,
    /// What strategy and snapshot value hold, in bytes, when the window is full; `None` where no allocator counts.
    pub bytes_held: Option<u64>,
}

/// One operation of one strategy against one yardstick.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// Name of the snapshot or threshold strategy.
    pub strategy: &'static str,
    /// Name of the operation.
    pub operation: &'static str,
    /// Ids from the oldest running to the newest, about; absent for thresholds, as the next two.
    pub window: Option<u64>,
    /// How many ids run.
    pub running: Option<u64>,
    /// How they lie in the window: `clustered`, a few old and the rest recent, or `uniform`.
    pub distribution: Option<&'static str>,
    /// Nanoseconds a call, in the round whose ratio is the median.
    pub ns: f64,
    /// What it is compared with.
    pub yardstick: &'static str,
    /// Nanoseconds of the yardstick in the same round.
    pub yardstick_ns: f64,
    /// One over the other.
    pub ratio: f64,
    /// Lower end of the ratio's 95% interval.
    pub ratio_low: f64,
    /// Upper end of the ratio's 95% interval.
    pub ratio_high: f64,
    /// Bytes that strategy and snapshot hold.
    pub bytes_held: Option<u64>,
    /// Whether the machine was busy before or after.
    pub noisy: bool,
}

impl Row {
    /// A row that is not known to be noisy.
    pub(super) fn new(
        strategy: &'static str,
        operation: &Operation,
        yardstick: &'static str,
        place: Option<Place>,
        middle: Middle,
    ) -> Self {
        Row {
            strategy,
            operation: operation.name,
            window: place.map(|place| place.window),
            running: place.map(|place| place.running),
            distribution: place.map(|place| place.distribution),
            ns: middle.round.ns,
            yardstick,
            yardstick_ns: middle.round.yardstick_ns,
            ratio: middle.ratio,
            ratio_low: middle.low,
            ratio_high: middle.high,
            bytes_held: place.and_then(|place| place.bytes_held),
            noisy: false,
        }
    }
}
