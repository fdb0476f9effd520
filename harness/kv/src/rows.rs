//! [`Rows`]: everything that the store keeps, without the transactions.
//!
//! # Undo before the end, and no table of who aborted
//!
//! A snapshot knows who runs, not who committed. An engine has two ways to keep aborted rows from its readers: a table of
//! states that every reader asks for every version, or to take the rows away. This one takes them away, for three reasons.
//! Readers ask one question and not two. There is no table to grow, and none to shrink when nobody can meet its entries any
//! more. And what an abort has to touch is what it wrote a moment ago.
//!
//! The order decides. All of this happens in the manager's hook, [`ManagerOptions::before_end`](snapshot_api::ManagerOptions::before_end):
//!
//! ```text
//!   abort     rows of the ids go (each under its shard's lock) ─► the ids end ─► snapshots see them as ended
//!   commit    write sets move to the list for collection ───────► the ids end: that is the commit
//! ```
//!
//! *An aborted row is visible to nobody but its own transaction.* A reader whose snapshot has the id as running does not take
//! it. One that has it as ended took its snapshot after the end (law 1), which came after the rows were gone; the lock of the
//! shard passes that on. In the other order there is a time in which the rows stand and the id has ended: a dirty read.
//!
//! *A commit needs no mark.* Its rows stood before it, and all its ids end in one step, so it is visible as a whole or not at
//! all. To note its write sets after the end would be right for readers as well; noted before, nothing is lost should the
//! thread die in between.
//!
//! *It can be done again.* A write set is forgotten after its rows are gone. Should the step panic half way (a key's own code
//! may), the manager keeps the ids running, so that nobody sees what is left, and the abort can be tried again
//! by name (`TransactionManager::prepared` lists it as stranded).

use std::hash::Hash;

use snapshot_api::{Outcome, Xid};

use crate::{Rules, chain::Chain, shards::Shards, writes::Writes};

/// What a key has to be able to do.
pub trait Key: Ord + Hash + Clone + Send + Sync + 'static {}

impl<K: Ord + Hash + Clone + Send + Sync + 'static> Key for K {}

/// What a value has to be able to do. Each read clones one: put large ones behind an `Arc`.
pub trait Value: Clone + Send + Sync + 'static {}

impl<V: Clone + Send + Sync + 'static> Value for V {}

pub(crate) struct Rows<K, V> {
    pub(crate) shards: Shards<K, V>,
    pub(crate) writes: Writes<K>,
    pub(crate) rules: Box<dyn Rules>,
}

impl<K: Key, V: Value> Rows<K, V> {
    pub(crate) fn new(rules: impl Rules + 'static) -> Self {
        Rows { shards: Shards::new(), writes: Writes::new(), rules: Box::new(rules) }
    }

    /// The manager's hook.
    pub(crate) fn before_end(&self, outcome: Outcome, ids: &[Xid]) {
        self.rules.before_end(outcome, ids, &|outcome, ids| self.settle(outcome, ids));
    }

    fn settle(&self, outcome: Outcome, ids: &[Xid]) {
        for &id in ids {
            match outcome {
                Outcome::Committed => self.writes.retire(id),
                Outcome::Aborted => {
                    for key in self.writes.keys(id) {
                        self.shards.change(&key, |chain| chain.undo(id));
                    }
                    self.writes.forget(id);
                }
            }
        }
    }

    pub(crate) fn census(&self) -> Census {
        let (open, retired) = self.writes.len();
        let mut census = Census { keys: 0, versions: 0, open, retired };
        for shard in self.shards.iter() {
            let map = shard.read();
            census.keys += map.len();
            census.versions += map.values().map(Chain::len).sum::<usize>();
        }
        census
    }
}

/// How much a store holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Census {
    /// Keys that have a version; it may be a tombstone.
    pub keys: usize,
    /// Versions of all keys, tombstones too.
    pub versions: usize,
    /// Ids that run and have written.
    pub open: usize,
    /// Ids that have committed, and whose keys wait for collection.
    pub retired: usize,
}
