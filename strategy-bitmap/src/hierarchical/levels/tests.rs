//! The levels beside a sorted set, step by step.

use std::collections::BTreeSet;

use super::*;

/// A generator of numbers without a pattern (xorshift64, Marsaglia 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

impl Levels {
    /// What must hold after every step.
    fn check(&self, right: &BTreeSet<u64>) {
        assert!(self.iter().map(Xid::get).eq(right.iter().copied()));
        assert_eq!(self.first().map(Xid::get), right.first().copied());
        assert_eq!(self.live, self.words.iter().filter(|&&word| word != 0).count());
        assert!(self.words.len() <= 2 * self.live + FEW, "zero words outnumber the others");
        let mut place = 0;
        for (n, block) in self.blocks.iter().enumerate() {
            assert!(n == 0 || self.blocks[n - 1].number < block.number);
            assert_eq!(block.place, place);
            place += block.stored.count_ones() as usize;
        }
        assert_eq!(place, self.words.len());
    }
}

/// Ids that enter `gap` apart at most; half of the steps take out one that is there, some one that is not.
fn beside_a_set(gap: u64, most: usize) {
    let mut random = Numbers(gap | 1);
    let (mut levels, mut right) = (Levels::default(), BTreeSet::new());
    let mut last = random.below(gap);
    for step in 0..4_000 {
        match random.below(16) {
            0..8 if right.len() < most => {
                last += 1 + random.below(gap);
                levels.push(Xid::new(last));
                right.insert(last);
            }
            0..14 if !right.is_empty() => {
                let from = random.below(last + 1);
                let gone = right.range(from..).next().or(right.first()).copied().unwrap_or(0);
                levels.remove(Xid::new(gone));
                right.remove(&gone);
            }
            14 => levels.remove(Xid::new(last + 1 + random.below(gap))),
            _ if step % 8 == 0 => {
                let below = right.iter().nth(most / 4).copied().unwrap_or(last + 1);
                levels.remove_below(Xid::new(below));
                right = right.split_off(&below);
            }
            _ => {}
        }
        levels.check(&right);
        for id in [0, last, last + 1, random.below(last + 1), u64::MAX] {
            assert_eq!(levels.contains(Xid::new(id)), right.contains(&id), "id {id}");
        }
    }
}

#[test]
fn dense_ids() {
    beside_a_set(2, 300);
}

#[test]
fn ids_of_neighbouring_words() {
    beside_a_set(100, 100);
}

#[test]
fn ids_of_distant_blocks() {
    beside_a_set(1 << 40, 50);
}

#[test]
fn a_prune_at_each_bit_of_a_word_and_a_block() {
    for below in (0..=64).chain(4_090..=4_100).chain([0, 8_192, u64::MAX]) {
        let mut levels = Levels::default();
        (0..8_192).for_each(|id| levels.push(Xid::new(id)));
        levels.remove_below(Xid::new(below));
        levels.check(&(below..8_192).collect());
    }
}

#[test]
fn both_ends_of_the_range() {
    let mut levels = Levels::default();
    let ids = [0, 63, 64, 1 << 63, u64::MAX - 1, u64::MAX];
    ids.into_iter().for_each(|id| levels.push(Xid::new(id)));
    levels.check(&BTreeSet::from(ids));
    levels.remove_below(Xid::new(u64::MAX));
    levels.check(&BTreeSet::from([u64::MAX]));
}

#[test]
fn a_burst_gives_its_memory_back() {
    let mut levels = Levels::default();
    (0..100_000).for_each(|n| levels.push(Xid::new(n * 64)));
    assert!(levels.words.capacity() >= 100_000);
    (1..100_000).for_each(|n| levels.remove(Xid::new(n * 64)));
    levels.check(&BTreeSet::from([0]));
    assert!(levels.words.capacity() <= 8 * FEW_PLACES, "{}", levels.words.capacity());
}
