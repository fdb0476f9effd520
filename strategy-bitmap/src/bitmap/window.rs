//! The bits from the oldest running id to the newest, and the walk over their words.

use bitvec::{order::Lsb0, vec::BitVec};
use snapshot_api::Xid;

/// Bits of a word, which is what the walk reads at once.
const WORD: u64 = u64::BITS as u64;

/// Dead words fewer than this are not worth cutting off.
const FEW_WORDS: usize = if cfg!(snapshot_loom) { 1 } else { 64 };

/// Words that the walk looks at together before it looks at each: a cache line.
const LINE: usize = 8;

/// One bit for each id from `base` on.
#[derive(Debug)]
pub(super) struct Window {
    /// Whole words; its capacity doubles.
    bits: BitVec<u64, Lsb0>,
    /// The id of the first bit, a multiple of 64.
    base: u64,
    /// The first word that may have a bit: those before it are dead.
    first: usize,
    /// How many bits are set.
    running: usize,
}

impl Window {
    /// Nothing runs.
    pub(super) fn new() -> Self {
        Window { bits: BitVec::new(), base: 0, first: 0, running: 0 }
    }

    /// The words from that of the oldest running id on.
    pub(super) fn live(&self) -> &[u64] {
        &self.bits.as_raw_slice()[self.first..]
    }

    /// The id of the first bit of a live word.
    fn live_base(&self) -> u64 {
        self.base + self.first as u64 * WORD
    }

    /// The offset of an id that has a bit.
    fn offset(&self, xid: Xid) -> Option<usize> {
        let offset = usize::try_from(xid.get().checked_sub(self.base)?).ok()?;
        (offset < self.bits.len()).then_some(offset)
    }

    /// Enters an id above all that have a bit set. False, and nothing done, where the window from the oldest running id to it
    /// is wider than `widest`.
    pub(super) fn set(&mut self, xid: Xid, widest: u64) -> bool {
        if self.running == 0 {
            self.restart(xid);
        }
        let oldest = self.oldest().unwrap_or(xid.get());
        if xid.get() - oldest >= widest {
            return false;
        }
        let offset = (xid.get() - self.base) as usize;
        if offset >= self.bits.len() {
            self.bits.resize((offset / WORD as usize + 1) * WORD as usize, false);
        }
        self.running += usize::from(!self.bits.replace(offset, true));
        true
    }

    /// Removes an id; nothing happens where it does not run.
    pub(super) fn clear(&mut self, xid: Xid) {
        if let Some(offset) = self.offset(xid)
            && self.bits.replace(offset, false)
        {
            self.running -= 1;
            self.advance();
        }
    }

    /// Removes every id below `below`.
    pub(super) fn clear_below(&mut self, below: Xid) {
        let count = below.get().saturating_sub(self.base).min(self.bits.len() as u64) as usize;
        let (whole, rest) = (count / WORD as usize, count % WORD as usize);
        let words = self.bits.as_raw_mut_slice();
        for word in &mut words[self.first.min(whole)..whole] {
            self.running -= std::mem::take(word).count_ones() as usize;
        }
        if rest > 0 {
            let gone = words[whole] & ((1 << rest) - 1);
            words[whole] &= !gone;
            self.running -= gone.count_ones() as usize;
        }
        self.advance();
    }

    /// The oldest running id.
    fn oldest(&self) -> Option<u64> {
        let word = self.live().first()?;
        (*word != 0).then(|| self.live_base() + u64::from(word.trailing_zeros()))
    }

    /// Nothing runs: the window starts anew at `xid`.
    fn restart(&mut self, xid: Xid) {
        self.bits.clear();
        self.base = xid.get() / WORD * WORD;
        self.first = 0;
    }

    /// Moves over words that have become zero, and cuts them off when they are many: each word is moved at most once for
    /// every word that is cut off.
    fn advance(&mut self) {
        let dead = self.live().iter().take_while(|&&word| word == 0).count();
        self.first += dead;
        let len = self.bits.as_raw_slice().len();
        if self.first >= FEW_WORDS && self.first * 2 >= len {
            self.bits.as_raw_mut_slice().copy_within(self.first.., 0);
            self.bits.truncate((len - self.first) * WORD as usize);
            self.base += self.first as u64 * WORD;
            self.first = 0;
            if self.bits.capacity() > 8 * self.bits.len().max(FEW_WORDS * WORD as usize) {
                self.bits.shrink_to_fit();
            }
        }
    }

    /// Adds the running ids below `xmax` to `running`, in rising order.
    #[inline(never)]
    pub(super) fn list(&self, xmax: Xid, running: &mut Vec<Xid>) {
        let (mut base, words) = (self.live_base(), self.live());
        let below = xmax.get().saturating_sub(base);
        let whole = ((below / WORD) as usize).min(words.len());
        for line in words[..whole].chunks(LINE) {
            // Most of a wide window is zero; eight words are tested as fast as one.
            if line.iter().fold(0, |any, word| any | word) != 0 {
                for (&word, base) in line.iter().zip((base..).step_by(WORD as usize)) {
                    list_word(word, base, running);
                }
            }
            base += line.len() as u64 * WORD;
        }
        // The word that xmax falls into: what lies at or above it counts as running without being listed.
        if let Some(word) = words.get(whole) {
            list_word(word & ((1 << (below % WORD)) - 1), base, running);
        }
    }
}

/// Adds the ids of the bits that are set in a word whose first bit stands for `base`.
#[inline(always)]
fn list_word(mut word: u64, base: u64, running: &mut Vec<Xid>) {
    while word != 0 {
        running.push(Xid::new(base + u64::from(word.trailing_zeros())));
        word &= word - 1;
    }
}
