//! [`ListConfig`]: how the two designs over the standby's array are set up.

use std::fmt;

use strategy_baseline::{CompactionRule, KnownArrayConfig};

/// How a [`LinkedList`](crate::LinkedList) or [`SkipOffsets`](crate::SkipOffsets) is set up: when gaps are closed, and the
/// number of processes that the array is sized by. It grows where that is not enough, and a snapshot value is kept while
/// nothing has ended.
///
/// ```
/// use snapshot_api::{Restore, SnapshotStrategy, Xid};
/// use strategy_baseline::CompactionRule;
/// use strategy_linkedlist::{LinkedList, ListConfig};
///
/// let config = ListConfig { rule: CompactionRule::Since15_2, ..ListConfig::default() };
/// assert_eq!(LinkedList::restore(&config, Xid::FROZEN, &[])?.facts().name, "linked-list(15.2)");
/// # Ok::<(), snapshot_api::RestoreError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListConfig {
    /// When gaps are closed. The default is the original rule, which the patches of the thread found in place: gaps cost
    /// these designs memory, but no time.
    pub rule: CompactionRule,
    /// How many processes the primary may have: 65 places for each before the array is compacted or grows further, 4 of
    /// span until the original rule closes gaps. 5,022 by default, as
    /// [`KnownArrayConfig::processes`] explains.
    pub processes: usize,
}

impl Default for ListConfig {
    fn default() -> Self {
        let KnownArrayConfig { processes, .. } = KnownArrayConfig::default();
        ListConfig { rule: CompactionRule::Original, processes }
    }
}

impl From<ListConfig> for KnownArrayConfig {
    fn from(ListConfig { rule, processes }: ListConfig) -> Self {
        KnownArrayConfig { rule, processes, bounded: false, reuse: true }
    }
}

/// The variant in parentheses behind a name; nothing for the default rule.
impl fmt::Display for ListConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.rule {
            CompactionRule::Original => "",
            CompactionRule::Since15_2 => "(15.2)",
        })
    }
}
