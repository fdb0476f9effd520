//! [`Shards`]: all keys, spread over maps with a lock each.
//!
//! ```text
//!   hash of the key ─► │ lock, sorted map │ lock, sorted map │ …   64 of them, on lines of their own
//! ```
//!
//! A lock is held for one look at one chain, or for one page of a scan: readers and writers of different keys seldom meet,
//! readers of the same key never wait for one another. A snapshot makes a scan over many locks one instant; locks need not.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, RandomState},
};

use snapshot_api::sync::{Padded, RwLock};

use crate::{Key, chain::Chain};

const SHARDS: usize = 64;

pub(crate) type Shard<K, V> = RwLock<BTreeMap<K, Chain<V>>>;

pub(crate) struct Shards<K, V> {
    hasher: RandomState,
    shards: [Padded<Shard<K, V>>; SHARDS],
}

impl<K: Key, V> Shards<K, V> {
    pub(crate) fn new() -> Self {
        Shards {
            hasher: RandomState::new(),
            shards: std::array::from_fn(|_| Padded(RwLock::new(BTreeMap::new()))),
        }
    }

    /// Where the key lies.
    pub(crate) fn of(&self, key: &K) -> &Shard<K, V> {
        &self.shards[self.hasher.hash_one(key) as usize % SHARDS]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Shard<K, V>> {
        self.shards.iter().map(|shard| &shard.0)
    }

    /// Changes the chain of a key that is there, and forgets the key where no version is left.
    pub(crate) fn change<R>(&self, key: &K, change: impl FnOnce(&mut Chain<V>) -> R) -> Option<R> {
        let mut map = self.of(key).write();
        let chain = map.get_mut(key)?;
        let result = change(chain);
        if chain.is_empty() {
            map.remove(key);
        }
        Some(result)
    }
}
