//! A threshold that prunes and tells nobody.

use snapshot_api::{Threshold, ThresholdFacts, ThresholdStrategy, Timestamp};
use strategy_atomic_threshold::SeqlockThreshold;
use strategy_csn::CsnLog;

use super::finds;
use crate::{checker::Anomaly, pairings::options, workload::Lists};

/// Law (b) of thresholds: the new xid with an old timestamp.
#[derive(Default)]
struct Silent(SeqlockThreshold);

impl ThresholdStrategy for Silent {
    fn facts(&self) -> ThresholdFacts {
        self.0.facts()
    }

    fn timestamp(&self) -> Timestamp {
        Timestamp::ZERO
    }

    fn load(&self) -> Threshold {
        self.0.load()
    }

    fn advance(&self, to: Threshold) {
        self.0.advance(to);
    }
}

#[test]
fn to_prune_and_to_tell_nobody_is_a_silent_wrong_answer() {
    let store = || {
        let store = Lists::<CsnLog, _>::new(&Default::default(), Silent::default(), options());
        store.expect("an empty store")
    };
    finds(&[Anomaly::GSingle], |load| load, store);
}
