//! [`Ring`]: the words of the pages from the oldest that is not done to the newest.

use std::sync::{Arc, OnceLock};

use snapshot_api::sync::{AtomicUsize, Ordering};

use crate::{
    page::{self, State},
    word::Word,
};

/// Words of the smallest ring, as a power of two: a window of two million ids.
const SMALLEST: u32 = if cfg!(snapshot_loom) { 1 } else { 10 };

/// Sizes of rings, each twice the one before.
const SIZES: usize = if cfg!(snapshot_loom) { 3 } else { 17 };

/// How many pages there can be from the oldest that is not done to the newest: 1.4·10¹¹ ids, in a ring of half a gibibyte.
pub(crate) const MOST_PAGES: u64 = 1 << (SMALLEST as usize + SIZES - 1);

/// One word a page, at the page's number modulo the ring's length.
#[derive(Debug)]
pub(crate) struct Ring {
    bits: u32,
    words: Box<[Word]>,
}

impl Ring {
    /// A ring in which `floor` and all pages behind it are untouched.
    pub(crate) fn new(size: usize, floor: u64) -> Self {
        let bits = SMALLEST + size as u32;
        let length = 1_u64 << bits;
        // Positions before the floor's belong to its next lap.
        let first = floor & !(length - 1);
        let page_at =
            |place| if first + place < floor { first + place + length } else { first + place };
        let untouched = |place| page::word(State::Untouched, page_at(place), bits);
        let words = (0..length).map(|place| Word::new(untouched(place))).collect();
        Ring { bits, words }
    }

    pub(crate) fn pages(&self) -> u64 {
        self.words.len() as u64
    }

    #[inline]
    pub(crate) fn cell(&self, page: u64) -> &Word {
        &self.words[page as usize & (self.words.len() - 1)]
    }

    /// What a word of this ring says of a page; `behind` tells whether the page lies behind every page that is not done.
    #[inline]
    pub(crate) fn state(&self, word: u64, page: u64, behind: impl FnOnce() -> bool) -> State {
        page::state(word, page, self.bits, behind)
    }

    /// Whether an id of this page is the one that runs there, where the word alone says it.
    #[inline]
    pub(crate) fn is_the_one(&self, word: u64, page: u64, offset: u64) -> Option<bool> {
        page::is_the_one(word, page, self.bits, offset)
    }

    pub(crate) fn set(&self, page: u64, state: State) {
        // What the new state points to was written before.
        self.cell(page).set(page::word(state, page, self.bits));
    }

    /// Sends readers to the next ring.
    fn close(&self) {
        for word in &self.words {
            // The next ring is in force.
            word.set(page::MOVED);
        }
    }
}

/// The ring in force, and those before it, which some readers may still hold.
#[derive(Debug)]
pub(crate) struct Rings {
    rings: [OnceLock<Arc<Ring>>; SIZES],
    current: AtomicUsize,
}

impl Rings {
    /// The smallest ring that has room for `pages` pages from `floor` on; `None` where no ring has.
    pub(crate) fn new(floor: u64, pages: u64) -> Option<Self> {
        let size = (0..SIZES).find(|&size| 1 << (SMALLEST + size as u32) >= pages)?;
        let rings: [OnceLock<Arc<Ring>>; SIZES] = Default::default();
        rings[size].get_or_init(|| Arc::new(Ring::new(size, floor)));
        Some(Rings { rings, current: AtomicUsize::new(size) })
    }

    /// The ring in force.
    pub(crate) fn current(&self) -> &Arc<Ring> {
        // Acquire: pairs with the Release store in `grow`.
        let size = self.current.load(Ordering::Acquire);
        self.rings[size].get().expect("a ring is put in its place before it is named")
    }

    /// Puts a ring of twice the size in force. `floor` is the oldest page that is not done, `highest` the newest that was
    /// touched. Called by one thread at a time.
    pub(crate) fn grow(&self, floor: u64, highest: u64) {
        let old = self.current();
        let size = (old.bits - SMALLEST) as usize;
        let new = Ring::new(size + 1, floor);
        for page in floor..=highest {
            let word = old.cell(page).get();
            let state = old.state(word, page, || false);
            if state != State::Untouched {
                new.set(page, state);
            }
        }
        self.rings[size + 1].get_or_init(|| Arc::new(new));
        // Release: the ring's words were written; pairs with the Acquire load in `current`.
        self.current.store(size + 1, Ordering::Release);
        old.close();
    }
}
