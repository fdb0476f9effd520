//! The bits of the running ids, with everything left out that is zero.
//!
//! ```text
//!   id  =  number of a block (52 bits) │ word in the block (6 bits) │ bit in the word (6 bits)
//!
//!   blocks   number      3        911       912                   summary: which of its 64 words a block stores
//!            stored   ·1······  ···11···  1·······
//!            place       0         1         3                    where its first word lies
//!                        │         │         │
//!   words            │ 0…1…0 │ 1…0 │ 0…11 │ 1101… │               one bit an id, packed
//! ```
//!
//! A block covers 4,096 ids, a word 64. Neither is stored where no id of it ran since the last compaction, so the size
//! is by the number running and not by the window.
//!
//! Ids are entered in rising order, which makes every entry an append at both levels. An id that leaves clears its bit; words that
//! have become zero stay until they outnumber the others, then all are moved together.

mod ids;

use snapshot_api::Xid;

use self::ids::Ids;

/// Ids of a word and words of a block, as a shift and as a mask.
const SHIFT: u32 = 6;
const MASK: u64 = (1 << SHIFT) - 1;

/// Zero words fewer than this are not worth a compaction.
const FEW: usize = if cfg!(snapshot_loom) { 1 } else { 8 };

/// Places so few are not given back.
const FEW_PLACES: usize = 256;

/// A set of ids as words of bits under blocks.
#[derive(Debug, Default)]
pub(super) struct Levels {
    /// In rising order of their numbers.
    blocks: Vec<Block>,
    /// The stored words of all blocks, one block after the other.
    words: Vec<u64>,
    /// The blocks before it hold zero words alone. Never beyond the last block.
    front: usize,
    /// How many words are not zero.
    live: usize,
}

/// A summary of 64 words.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// The ids of this block, without the twelve low bits.
    number: u64,
    /// Which of its words are stored.
    stored: u64,
    /// Where the first of them lies.
    place: usize,
}

/// Where the bit of an id lies.
#[derive(Clone, Copy)]
struct Address {
    number: u64,
    /// The bit of the word in [`Block::stored`].
    word: u64,
    /// The bit of the id in its word.
    bit: u64,
}

impl Address {
    #[inline]
    fn of(xid: Xid) -> Self {
        let id = xid.get();
        Address {
            number: id >> (2 * SHIFT),
            word: 1 << (id >> SHIFT & MASK),
            bit: 1 << (id & MASK),
        }
    }
}

impl Levels {
    /// Enters an id above all that were entered before.
    pub(super) fn push(&mut self, xid: Xid) {
        let Address { number, word, bit } = Address::of(xid);
        match self.blocks.last_mut() {
            Some(block) if block.number == number => {
                if block.stored & word == 0 {
                    block.stored |= word;
                    self.words.push(0);
                }
            }
            _ => {
                self.blocks.push(Block { number, stored: word, place: self.words.len() });
                self.words.push(0);
            }
        }
        // Ids rise, so that the word is the last one in any case.
        if let Some(last) = self.words.last_mut() {
            self.live += usize::from(*last == 0);
            *last |= bit;
        }
    }

    /// Removes an id; nothing happens where it is absent.
    pub(super) fn remove(&mut self, xid: Xid) {
        let address = Address::of(xid);
        let Some(place) = self.place(address) else { return };
        let word = self.words[place];
        self.words[place] = word & !address.bit;
        if word == address.bit {
            self.live -= 1;
            self.tidy();
        }
    }

    /// Removes every id below `below`.
    pub(super) fn remove_below(&mut self, below: Xid) {
        for n in self.front..self.blocks.len() {
            let block = self.blocks[n];
            if block.number << (2 * SHIFT) >= below.get() {
                break;
            }
            for (place, base) in block.stored_words() {
                let kept = match below.get().saturating_sub(base) {
                    gone @ 0..64 => self.words[place] >> gone << gone,
                    _ => 0,
                };
                self.live -= usize::from(self.words[place] != 0 && kept == 0);
                self.words[place] = kept;
            }
        }
        self.tidy();
    }

    /// Whether an id is in the set.
    #[inline]
    pub(super) fn contains(&self, xid: Xid) -> bool {
        let address = Address::of(xid);
        self.place(address).is_some_and(|place| self.words[place] & address.bit != 0)
    }

    /// The lowest id.
    pub(super) fn first(&self) -> Option<Xid> {
        self.iter().next()
    }

    /// The ids in rising order.
    #[inline]
    pub(super) fn iter(&self) -> Ids<'_> {
        Ids::new(&self.blocks[self.front..], &self.words)
    }

    /// The same ids, with room for more.
    pub(super) fn copy(&self) -> Self {
        Levels { blocks: roomy(&self.blocks), words: roomy(&self.words), ..*self }
    }

    /// How many words are stored.
    pub(super) fn words(&self) -> usize {
        self.words.len()
    }

    /// The place of the word at this address.
    #[inline]
    fn place(&self, address: Address) -> Option<usize> {
        // Most ids that are asked for are new ones.
        let last = self.blocks.last()?;
        let block = if last.number == address.number {
            last
        } else {
            let live = &self.blocks[self.front..];
            &live[live.binary_search_by_key(&address.number, |block| block.number).ok()?]
        };
        if block.stored & address.word == 0 {
            return None;
        }
        Some(block.place + (block.stored & (address.word - 1)).count_ones() as usize)
    }

    /// Moves the front over blocks that hold nothing, and closes gaps when they are more than what they lie between.
    fn tidy(&mut self) {
        let empty = |block: &&Block| {
            self.words[block.place..][..block.stored.count_ones() as usize].iter().all(|&w| w == 0)
        };
        // Not over the last one: ids may still enter it.
        let last = self.blocks.len().saturating_sub(1);
        self.front += self.blocks[self.front..last].iter().take_while(empty).count();
        if self.words.len() - self.live > self.live + FEW {
            self.compact();
        }
    }

    /// Drops words that are zero and blocks that hold no other.
    fn compact(&mut self) {
        let (mut blocks, mut words) = (0, 0);
        for n in self.front..self.blocks.len() {
            let old = self.blocks[n];
            let mut new = Block { number: old.number, stored: 0, place: words };
            for ((place, _), word) in old.stored_words().zip(bits(old.stored)) {
                if self.words[place] != 0 {
                    // In place: `words` is never ahead of `place`.
                    self.words[words] = self.words[place];
                    new.stored |= 1 << word;
                    words += 1;
                }
            }
            if new.stored != 0 {
                self.blocks[blocks] = new;
                blocks += 1;
            }
        }
        self.blocks.truncate(blocks);
        self.words.truncate(words);
        self.front = 0;
        shrink(&mut self.blocks);
        shrink(&mut self.words);
    }
}

impl Block {
    /// The place of each stored word, and the id of its first bit.
    #[inline]
    fn stored_words(self) -> impl Iterator<Item = (usize, u64)> {
        let words = bits(self.stored);
        (self.place..)
            .zip(words.map(move |word| self.number << (2 * SHIFT) | u64::from(word) << SHIFT))
    }
}

/// A copy that can grow for a while.
fn roomy<T: Copy>(places: &[T]) -> Vec<T> {
    let mut copy = Vec::with_capacity(places.len() + places.len() / 2 + FEW);
    copy.extend_from_slice(places);
    copy
}

/// Gives memory back that is eight times what is used.
fn shrink<T>(places: &mut Vec<T>) {
    let enough = 2 * places.len().max(FEW_PLACES);
    if places.capacity() > 4 * enough {
        places.shrink_to(enough);
    }
}

/// The places of the bits that are set, from the lowest.
#[inline]
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests;
