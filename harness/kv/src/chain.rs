//! [`Chain`]: the versions of one key.
//!
//! ```text
//!   oldest                                        newest
//!   │ 10 by 3 │ 25 by 8 │ gone by 11 │ 30 by 17 │
//!                │            │           └─ runs: its own transaction reads 30, nobody else
//!                │            └─ a tombstone: whoever sees 11 finds nothing
//!                └─ what a snapshot reads that sees 8 and not 11
//! ```
//!
//! **Invariant.** Versions stand in the order in which their transactions commit. A new one goes on top only if its writer sees
//! the one below ([`Rules`](crate::Rules)), which has ended by then or is of the same transaction; and what is aborted goes
//! before it ends. So whoever sees a version may forget those below it, and the newest one that a reader sees is what it reads.
//!
//! # What may go
//!
//! Let *base* be the newest version whose writer lies below the horizon. Every snapshot, held or to come, sees that writer as
//! ended. What stands before base is read by nobody; base itself is, by every snapshot that sees nothing newer. Where base is
//! a tombstone it may go as well: to find it and to find nothing are the same to a reader, and no writer has to give way to it
//! since every writer sees it.

use snapshot_api::Xid;

use crate::Rules;

/// What one transaction, or subtransaction, made of a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Version<V> {
    writer: Xid,
    /// None where it was deleted.
    pub(crate) value: Option<V>,
}

#[derive(Debug)]
pub(crate) struct Chain<V> {
    /// Oldest first.
    versions: Vec<Version<V>>,
}

impl<V> Default for Chain<V> {
    fn default() -> Self {
        Chain { versions: Vec::new() }
    }
}

impl<V> Chain<V> {
    /// The newest version that is visible.
    pub(crate) fn find(&self, mut visible: impl FnMut(Xid) -> bool) -> Option<&Version<V>> {
        self.versions.iter().rev().find(|version| visible(version.writer))
    }

    /// Who wrote the newest one.
    pub(crate) fn newest(&self) -> Option<Xid> {
        self.versions.last().map(|version| version.writer)
    }

    /// Puts a version on top. What the same writer had there is replaced: nobody else sees it.
    pub(crate) fn put(&mut self, writer: Xid, value: Option<V>) {
        match self.versions.last_mut() {
            Some(newest) if newest.writer == writer => newest.value = value,
            _ => self.versions.push(Version { writer, value }),
        }
    }

    /// Takes away what `writer` wrote.
    pub(crate) fn undo(&mut self, writer: Xid) {
        self.versions.retain(|version| version.writer != writer);
    }

    /// Takes out what nobody reads under this horizon.
    pub(crate) fn collect(&mut self, horizon: Xid, rules: &dyn Rules) -> Vec<Version<V>> {
        let below = |version: &Version<V>| version.writer < horizon;
        let Some(base) = self.versions.iter().rposition(below) else { return Vec::new() };
        let mut kept = rules.first_kept(base);
        if kept == base && self.versions[base].value.is_none() {
            kept += 1;
        }
        self.versions.drain(..kept).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.versions.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SnapshotIsolation;

    fn chain(versions: &[(u64, Option<u64>)]) -> Chain<u64> {
        let mut chain = Chain::default();
        for &(writer, value) in versions {
            chain.put(Xid::new(writer), value);
        }
        chain
    }

    fn writers(chain: &Chain<u64>) -> Vec<u64> {
        chain.versions.iter().map(|version| version.writer.get()).collect()
    }

    fn after(versions: &[(u64, Option<u64>)], horizon: u64) -> Vec<u64> {
        let mut chain = chain(versions);
        chain.collect(Xid::new(horizon), &SnapshotIsolation);
        writers(&chain)
    }

    #[test]
    fn the_newest_visible_one_is_read() {
        let chain = chain(&[(3, Some(10)), (8, Some(25)), (11, None), (17, Some(30))]);
        let seen = |by: u64| chain.find(|writer| writer.get() <= by).map(|version| version.value);
        assert_eq!(
            [2, 3, 10, 11, 17].map(seen),
            [None, Some(Some(10)), Some(Some(25)), Some(None), Some(Some(30))]
        );
    }

    /// cockroach 6573: only versions at or above the cutoff were kept.
    #[test]
    fn the_newest_one_below_the_horizon_stays() {
        let versions = [(9, Some(1)), (11, Some(2)), (13, Some(3)), (14, Some(4))];
        assert_eq!(after(&versions, 9), [9, 11, 13, 14]);
        assert_eq!(after(&versions, 10), [9, 11, 13, 14]);
        assert_eq!(after(&versions, 13), [11, 13, 14]);
        assert_eq!(after(&versions, 14), [13, 14]);
        assert_eq!(after(&versions, 90), [14]);
    }

    #[test]
    fn a_tombstone_goes_when_everybody_sees_it() {
        let versions = [(9, Some(1)), (11, None), (13, Some(3))];
        assert_eq!(after(&versions, 11), [9, 11, 13]);
        assert_eq!(after(&versions, 12), [13], "nothing, or a tombstone: the same to a reader");
        assert_eq!(after(&versions[..2], 12), [0; 0]);
    }

    /// A parent that goes on writing after a subtransaction was released has the lower id.
    #[test]
    fn the_order_is_that_of_writing_not_of_ids() {
        let versions = [(2, Some(0)), (5, Some(1)), (3, Some(2))];
        let chain = chain(&versions);
        assert_eq!(chain.find(|_| true).and_then(|version| version.value), Some(2));
        assert_eq!(after(&versions, 4), [3], "whoever sees 3 sees the whole tree");
    }

    #[test]
    fn what_is_undone_leaves_the_rest() {
        let mut chain = chain(&[(9, Some(1)), (11, Some(2)), (12, Some(3))]);
        chain.put(Xid::new(12), Some(4));
        assert_eq!(chain.len(), 3, "the same writer's is replaced");
        chain.undo(Xid::new(11));
        assert_eq!((writers(&chain), chain.newest()), (vec![9, 12], Some(Xid::new(12))));
    }
}
