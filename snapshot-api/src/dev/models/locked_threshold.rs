//! [`LockedThreshold`]: the pair under one lock. The naive implementation that the threshold's laws have to pass.

use crate::{
    Pairing, Progress, Threshold, ThresholdFacts, ThresholdStrategy, Timestamp, sync::Mutex,
};

/// The pair under one lock.
#[derive(Debug, Default)]
pub struct LockedThreshold(Mutex<Threshold>);

impl ThresholdStrategy for LockedThreshold {
    fn facts(&self) -> ThresholdFacts {
        ThresholdFacts {
            name: "locked".into(),
            source: "the law book's oracle",
            readers: Progress::Blocking,
            writers: Progress::Blocking,
            pairing: Pairing::Whole,
        }
    }

    fn timestamp(&self) -> Timestamp {
        self.0.lock().timestamp
    }

    fn load(&self) -> Threshold {
        *self.0.lock()
    }

    fn advance(&self, to: Threshold) {
        let mut pair = self.0.lock();
        *pair = pair.max(to);
    }

    fn lock_waits(&self) -> u64 {
        self.0.waits()
    }
}
