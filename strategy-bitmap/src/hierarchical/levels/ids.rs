//! [`Ids`]: the walk over blocks, words and bits.

use std::slice::Iter;

use snapshot_api::Xid;

use super::{Block, SHIFT};

/// The ids in rising order. The words of one block follow those of the block before, so that they are read one after the
/// other, and the blocks only tell which ids they stand for.
#[derive(Debug)]
pub(in super::super) struct Ids<'a> {
    blocks: Iter<'a, Block>,
    words: Iter<'a, u64>,
    /// The id of the first bit of the block.
    block: u64,
    /// The words of the block that are still to come.
    stored: u64,
    /// The id of the first bit of the word.
    base: u64,
    /// The bits of the word that are still to come.
    word: u64,
}

impl<'a> Ids<'a> {
    /// Of some blocks and of all words.
    pub(super) fn new(blocks: &'a [Block], words: &'a [u64]) -> Self {
        let place = blocks.first().map_or(words.len(), |block| block.place);
        Ids {
            blocks: blocks.iter(),
            words: words[place..].iter(),
            block: 0,
            stored: 0,
            base: 0,
            word: 0,
        }
    }
}

impl Iterator for Ids<'_> {
    type Item = Xid;

    #[inline]
    fn next(&mut self) -> Option<Xid> {
        while self.word == 0 {
            while self.stored == 0 {
                let block = self.blocks.next()?;
                (self.block, self.stored) = (block.number << (2 * SHIFT), block.stored);
            }
            self.word = *self.words.next()?;
            self.base = self.block | u64::from(self.stored.trailing_zeros()) << SHIFT;
            self.stored &= self.stored - 1;
        }
        let id = self.base | u64::from(self.word.trailing_zeros());
        self.word &= self.word - 1;
        Some(Xid::new(id))
    }
}
