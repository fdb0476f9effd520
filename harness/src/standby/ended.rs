//! Which ids have ended, from the oldest running one on.

use std::collections::BTreeMap;

use snapshot_api::Xid;

/// A set of ids, one bit each, in words that exist where a bit is set: ids cluster, but one may lie far away.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    words: BTreeMap<u64, u64>,
}

impl Ended {
    /// Whether the id was not in the set before.
    pub(crate) fn insert(&mut self, xid: Xid) -> bool {
        let bit = 1 << (xid.get() % 64);
        // Most ends happen near the last one.
        let word = match self.words.last_entry() {
            Some(last) if *last.key() == xid.get() / 64 => last.into_mut(),
            _ => self.words.entry(xid.get() / 64).or_default(),
        };
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }

    pub(crate) fn contains(&self, xid: Xid) -> bool {
        self.words.get(&(xid.get() / 64)).is_some_and(|word| word >> (xid.get() % 64) & 1 == 1)
    }

    /// Forgets ids below `oldest`, but for those that share a word with it.
    pub(crate) fn forget_before(&mut self, oldest: Xid) {
        if self.words.first_key_value().is_some_and(|(&word, _)| word < oldest.get() / 64) {
            self.words = self.words.split_off(&(oldest.get() / 64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_from_the_oldest_on() {
        let mut ended = Ended::default();
        for id in [3, 63, 64, 130, 1 << 40] {
            assert!(ended.insert(Xid::new(id)));
            assert!(!ended.insert(Xid::new(id)));
        }
        ended.forget_before(Xid::new(128));
        assert!([3, 63, 64].iter().all(|&id| !ended.contains(Xid::new(id))));
        assert!([130, 1 << 40].iter().all(|&id| ended.contains(Xid::new(id))));
        assert!(!ended.contains(Xid::new(131)));
    }
}
