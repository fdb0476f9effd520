//! [`Arena`]: words for the pages that keep a few numbers only, and [`Blocks`], which of them are free.
//!
//! A word holds an id's place in its page and the number of its end, zero while it runs; a block's words rise by place, and
//! what is left over at its end lies behind every place.
//!
//! ```text
//!   63       52 51                    0
//!  ┌───────────┬───────────────────────┐
//!  │ place     │ number of the end     │      numbers up to 2⁵²: fourteen years of ten million ends a second
//!  └───────────┴───────────────────────┘
//! ```
//!
//! Words are never given back to the heap while the log lives, so that a reader with an old page word reads a word of the
//! arena, whatever it holds by then, and finds out by the page's word.

use std::sync::OnceLock;

use crate::{
    page::{self, Block},
    word::Word,
};

/// Words of the first segment, as a power of two: room for a block of any class. Every other one is as long as all before.
const FIRST: u32 = if cfg!(snapshot_loom) { 2 } else { 11 };

const SEGMENTS: usize = (page::PLACES.ilog2() - FIRST) as usize + 1;

const NUMBER: u64 = (1 << 52) - 1;

/// What is left over at a block's end.
const NOBODY: u64 = u64::MAX;

/// A word of a block.
pub(crate) const fn exception(offset: u64, number: u64) -> u64 {
    offset << 52 | number
}

/// The place in its page of a word's id, behind every place for what is left over.
pub(crate) const fn offset(word: u64) -> u64 {
    word >> 52
}

/// The number of a word.
pub(crate) const fn number(word: u64) -> u64 {
    word & NUMBER
}

/// Segments of words, made when they are first needed.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    segments: [OnceLock<Box<[Word]>>; SEGMENTS],
}

/// In which segment a place lies, and where in it.
#[inline]
fn locate(place: u32) -> (usize, usize) {
    let at = u64::from(place) + (1 << FIRST);
    let segment = at.ilog2() - FIRST;
    (segment as usize, (at - (1 << (FIRST + segment))) as usize)
}

impl Arena {
    #[inline]
    pub(crate) fn word(&self, place: u32) -> &Word {
        let (segment, at) = locate(place);
        &self.segments[segment].get().expect("a segment is made before its places are named")[at]
    }

    fn make(&self, place: u32) {
        let (segment, _) = locate(place);
        let words = || (0..1_usize << (FIRST as usize + segment)).map(|_| Word::new(NOBODY));
        self.segments[segment].get_or_init(|| words().collect());
    }

    /// The words of a block that are in use, oldest id first; `look` is a reader's or the holder's.
    pub(crate) fn words(
        &self,
        block: Block,
        look: impl Fn(&Word) -> u64,
    ) -> impl Iterator<Item = (u64, &Word)> {
        let words = block.places().map(|place| self.word(place));
        words.map(move |word| (look(word), word)).take_while(|&(word, _)| offset(word) < page::IDS)
    }

    /// The same from the first word on whose id lies at or behind this place of the page.
    pub(crate) fn words_from(
        &self,
        block: Block,
        wanted: u64,
        look: impl Fn(&Word) -> u64 + Copy,
    ) -> impl Iterator<Item = (u64, &Word)> {
        let (mut first, mut size) = (block.place, 1_u32 << block.class);
        while size > 0 {
            let half = size / 2;
            if offset(look(self.word(first + half))) < wanted {
                first += half + 1;
                size -= half + 1;
            } else {
                size = half;
            }
        }
        (first..block.places().end)
            .map(move |place| (look(self.word(place)), self.word(place)))
            .take_while(|&(word, _)| offset(word) < page::IDS)
    }

    /// The word of the id at this place of the page, if the block has one.
    #[inline]
    pub(crate) fn find(
        &self,
        block: Block,
        wanted: u64,
        look: impl Fn(&Word) -> u64,
    ) -> Option<(u64, &Word)> {
        let (mut low, mut size) = (block.place, 1_u32 << block.class);
        while size > 1 {
            size /= 2;
            if offset(look(self.word(low + size))) <= wanted {
                low += size;
            }
        }
        let cell = self.word(low);
        let word = look(cell);
        (offset(word) == wanted).then_some((word, cell))
    }

    /// Writes a block's words, the rest of it as left over.
    pub(crate) fn fill(&self, block: Block, words: &[u64]) {
        let words = words.iter().copied().chain(std::iter::repeat(NOBODY));
        for (place, word) in block.places().zip(words) {
            // A reader that still has an earlier page's word for this block finds that word changed.
            self.word(place).set(word);
        }
    }
}

/// Free blocks by class, and the first place that was never used.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    free: [Vec<u32>; page::BITS as usize + 1],
    next: u32,
}

impl Blocks {
    /// A block of this class.
    ///
    /// # Panics
    ///
    /// More than 2³⁰ ids run: 8 GiB of words are in use.
    pub(crate) fn allocate(&mut self, arena: &Arena, class: u32) -> Block {
        if let Some(place) = self.free[class as usize].pop() {
            return Block { place, class };
        }
        // Blocks begin at a multiple of their length; what is skipped becomes smaller blocks.
        while !self.next.is_multiple_of(1 << class) {
            let smaller = self.next.trailing_zeros();
            self.free[smaller as usize].push(self.next);
            self.next += 1 << smaller;
        }
        let place = self.next;
        assert!(place <= page::PLACES - (1 << class), "more than {} ids run", page::PLACES);
        arena.make(place);
        self.next += 1 << class;
        Block { place, class }
    }

    pub(crate) fn free(&mut self, block: Block) {
        self.free[block.class as usize].push(block.place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_lies_in_one_segment() {
        let mut before = (0, 0);
        assert_eq!(locate(0), before);
        for place in 1..100_000 {
            let at = locate(place);
            assert!(at == (before.0, before.1 + 1) || at == (before.0 + 1, 0), "{place}: {at:?}");
            before = at;
        }
        assert!(locate(page::PLACES - 1).0 < SEGMENTS);
    }

    #[test]
    fn blocks_do_not_overlap_and_are_used_again() {
        let (arena, mut blocks) = (Arena::default(), Blocks::default());
        let mut used = std::collections::BTreeSet::new();
        let classes = [0, 3, 0, 11, 1, 11, 5, 0, 2, 2].map(|class: u32| class.min(page::BITS));
        let made: Vec<Block> =
            classes.iter().map(|&class| blocks.allocate(&arena, class)).collect();
        for block in &made {
            arena.fill(*block, &[]);
            assert!(block.places().all(|place| used.insert(place)), "{block:?} overlaps");
        }
        for block in made {
            blocks.free(block);
            assert_eq!(blocks.allocate(&arena, block.class), block);
        }
    }

    #[test]
    fn finds_what_was_filled_in() {
        let (arena, mut blocks) = (Arena::default(), Blocks::default());
        for count in 1..=page::IDS.min(40) {
            let block = blocks.allocate(&arena, Block::class_for(count as usize));
            let offsets: Vec<u64> = (0..count).map(|at| at * page::IDS / count).collect();
            let words: Vec<u64> = offsets.iter().map(|&at| exception(at, at + 7)).collect();
            arena.fill(block, &words);
            for wanted in 0..page::IDS {
                let found = arena.find(block, wanted, Word::get).map(|(word, _)| number(word));
                assert_eq!(
                    found,
                    offsets.contains(&wanted).then_some(wanted + 7),
                    "{wanted} of {offsets:?}"
                );
            }
            assert_eq!(arena.words(block, Word::get).count(), words.len());
            for wanted in 0..=page::IDS {
                let found = arena.words_from(block, wanted, Word::get).map(|(word, _)| word);
                let right = words.iter().copied().filter(|&word| offset(word) >= wanted);
                assert!(found.eq(right), "from {wanted} of {offsets:?}");
            }
        }
    }
}
