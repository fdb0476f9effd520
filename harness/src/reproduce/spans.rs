//! How many places a reader of a standby's array walks over: counted, not timed, so that any machine gives the same.

use snapshot_api::{Restore, SessionId, SnapshotStrategy, Xid};
use strategy_baseline::{BooleanArray, BooleanArrayConfig, CompactionRule};

/// What PostgreSQL counts besides connections with its other settings as they come: workers, launcher, WAL senders.
const OTHER_PROCESSES: usize = 22;

/// The set-up of a standby for so many connections.
pub(super) fn sized(rule: CompactionRule, connections: usize) -> BooleanArrayConfig {
    let processes = connections + OTHER_PROCESSES;
    BooleanArrayConfig { rule, processes, ..BooleanArrayConfig::default() }
}

/// The widest span while one transaction stays open and so many others come and go, 4 at a time.
pub(super) fn widest(config: &BooleanArrayConfig, transactions: u64) -> Option<usize> {
    const FIRST: u64 = 1_000;
    const AT_A_TIME: u64 = 4;
    let array = BooleanArray::restore(config, Xid::new(FIRST - 1), &[]).ok()?;
    let session = SessionId::new(0);
    array.begin(session, Xid::new(FIRST)).ok()?;
    let mut widest = 0;
    for number in 1..=transactions {
        array.begin(session, Xid::new(FIRST + number)).ok()?;
        if number.is_multiple_of(64) {
            widest = widest.max(array.occupancy().span);
        }
        if number > AT_A_TIME {
            array.end(session, &[Xid::new(FIRST + number - AT_A_TIME)]);
        }
    }
    Some(widest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4 places a process under the original rule, twice those running or 128 ends later since 15.2.
    #[test]
    fn spans_are_those_of_the_rules() {
        let original = widest(&sized(CompactionRule::Original, 978), 10_000).expect("they fit");
        assert!((3_900..=4_005).contains(&original), "{original}");
        let since = widest(&sized(CompactionRule::Since15_2, 978), 10_000).expect("they fit");
        assert!((64..=140).contains(&since), "{since}");
    }
}
