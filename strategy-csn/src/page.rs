//! Ids in pages, and the word that says how a page's numbers are kept.
//!
//! ```text
//!   63                                   3 2  0
//!  ┌──────────────────────────────────────┬────┐
//!  │ page                                 │ tag│     dense
//!  └──────────────────────────────────────┴────┘
//!   63                     16 15         3 2  0
//!  ┌─────────────────────────┬────────────┬────┐
//!  │ lap of the ring         │ who runs   │ tag│     one, done
//!  └─────────────────────────┴────────────┴────┘
//!   63             37 36            7 6   3 2  0
//!  ┌─────────────────┬───────────────┬─────┬────┐
//!  │ lap of the ring │ block's place │class│ tag│     block, whole
//!  └─────────────────┴───────────────┴─────┴────┘
//! ```
//!
//! A page goes through its states in one direction only:
//!
//! ```text
//!  untouched ─► dense ─► block ─► smaller block ─► … ─► one ─► smallest block ─► done
//!       ├──────────────────▲                                                      ▲
//!       └─► whole ────────────────────────────────────────────────────────────────┘
//! ```
//!
//! *untouched*: every id runs or is not begun. *dense*: a number for each id, in a frame of the dense log. *block*: numbers
//! of a few ids, all others ended before every snapshot. *one*: all others, too, but for one that runs. *whole*: all ids ended at one number. *done*: all ended before every
//! snapshot. Because no state comes twice, a reader that finds the same word before and after it has read a number knows
//! that nothing behind the word was used for another page in between.
//!
//! A lap is told by 27 bits: the word of a page with a block could be taken for that of another one by a value that is kept
//! while 2³⁷ pages pass, that is 2·10¹⁴ ids.

/// How many bits of an id tell its place in a page.
pub(crate) const BITS: u32 = if cfg!(snapshot_loom) { 1 } else { 11 };

/// Ids in a page.
pub(crate) const IDS: u64 = 1 << BITS;

/// The page of an id.
#[inline]
pub(crate) const fn of(id: u64) -> u64 {
    id >> BITS
}

/// An id's place in its page.
#[inline]
pub(crate) const fn offset(id: u64) -> u64 {
    id & (IDS - 1)
}

/// The first id of a page.
#[inline]
pub(crate) const fn start(page: u64) -> u64 {
    page << BITS
}

/// The first id behind a page; for the last page the highest number there is, which is no transaction's.
#[inline]
pub(crate) const fn end(page: u64) -> u64 {
    start(page).saturating_add(IDS)
}

/// How a page's numbers are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Untouched,
    Dense,
    Block(Block),
    /// The place in the page of the one id that runs.
    One(u64),
    /// The place of the one number.
    Whole(u32),
    Done,
    /// The ring was replaced by a larger one.
    Moved,
}

/// `2^class` words of the arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Block {
    pub(crate) place: u32,
    pub(crate) class: u32,
}

impl Block {
    /// The class of the smallest block with room for so many words.
    pub(crate) fn class_for(words: usize) -> u32 {
        words.next_power_of_two().ilog2()
    }

    pub(crate) fn places(self) -> std::ops::Range<u32> {
        self.place..self.place + (1 << self.class)
    }
}

const TAG_BITS: u32 = 3;
const TAG: u64 = (1 << TAG_BITS) - 1;
const DENSE: u64 = 1;
const BLOCK: u64 = 2;
const WHOLE: u64 = 3;
const ONE: u64 = 4;
const CLASS_SHIFT: u32 = TAG_BITS;
const PLACE_SHIFT: u32 = 7;
const LAP_SHIFT: u32 = 37;
const ONE_LAP_SHIFT: u32 = 16;

/// Behind every place of a page: who runs in a page that is done.
const NOBODY: u64 = IDS;

/// One more than the highest place that a word can name.
pub(crate) const PLACES: u32 = 1 << (LAP_SHIFT - PLACE_SHIFT);

/// The word of a ring that was replaced.
pub(crate) const MOVED: u64 = u64::MAX;

/// The word of a dense page.
#[inline]
pub(crate) const fn dense(page: u64) -> u64 {
    page << TAG_BITS | DENSE
}

/// The word of a page in which one id runs, or none.
#[inline]
const fn one(offset: u64, page: u64, bits: u32) -> u64 {
    page >> bits << ONE_LAP_SHIFT | offset << TAG_BITS | ONE
}

/// What the word alone says of an id of this page, in a ring of `1 << bits` words: whether it is the one that runs. `None`
/// where the word does not say it.
#[inline]
pub(crate) const fn is_the_one(word: u64, page: u64, bits: u32, offset: u64) -> Option<bool> {
    let who = word ^ one(0, page, bits);
    if who >> ONE_LAP_SHIFT == 0 && who & TAG == 0 { Some(who == offset << TAG_BITS) } else { None }
}

/// The word of a page in this state, in a ring of `1 << bits` words.
pub(crate) const fn word(state: State, page: u64, bits: u32) -> u64 {
    let lap = page >> bits << LAP_SHIFT;
    match state {
        State::Dense => dense(page),
        State::Block(Block { place, class }) => {
            lap | (place as u64) << PLACE_SHIFT | (class as u64) << CLASS_SHIFT | BLOCK
        }
        State::Whole(place) => lap | (place as u64) << PLACE_SHIFT | WHOLE,
        State::One(offset) => one(offset, page, bits),
        State::Done => one(NOBODY, page, bits),
        State::Moved => MOVED,
        // The page that had the place a lap before, or none that can be.
        State::Untouched => one(NOBODY, page.wrapping_sub(1 << bits), bits),
    }
}

/// What a word says of this page, in a ring of `1 << bits` words; `behind` tells whether the page lies behind every page that
/// is not done.
#[inline]
pub(crate) fn state(word: u64, page: u64, bits: u32, behind: impl FnOnce() -> bool) -> State {
    let own = match word & TAG {
        DENSE => word == dense(page),
        ONE => word >> ONE_LAP_SHIFT == one(0, page, bits) >> ONE_LAP_SHIFT,
        BLOCK | WHOLE => (word >> LAP_SHIFT) == (page >> bits << LAP_SHIFT >> LAP_SHIFT),
        _ => return State::Moved,
    };
    if !own {
        // Another page's: of a later lap, which begins only when this page is done, or of an earlier one.
        return if behind() { State::Done } else { State::Untouched };
    }
    let place = (word >> PLACE_SHIFT) as u32 & (PLACES - 1);
    match word & TAG {
        DENSE => State::Dense,
        BLOCK => State::Block(Block { place, class: (word >> CLASS_SHIFT) as u32 & 0xF }),
        WHOLE => State::Whole(place),
        _ => match word >> TAG_BITS & (2 * IDS - 1) {
            NOBODY => State::Done,
            offset => State::One(offset),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_they_were_made_of() {
        const RING: u32 = 10;
        let states = [
            State::Dense,
            State::Block(Block { place: 0, class: 0 }),
            State::Block(Block { place: PLACES - 1, class: 11 }),
            State::Whole(12_345),
            State::One(0),
            State::One(IDS - 1),
            State::Done,
        ];
        let last = of(u64::MAX) >> RING << RING;
        for own in [0, 1 << RING, 77 << RING, last].map(|first| first + 5) {
            for made in states {
                let word = word(made, own, RING);
                assert_eq!(state(word, own, RING, || false), made);
                for offset in [0, 1, IDS - 1] {
                    let answer = match made {
                        State::One(who) => Some(who == offset),
                        State::Done => Some(false),
                        _ => None,
                    };
                    assert_eq!(is_the_one(word, own, RING, offset), answer);
                }
                for other in [own.wrapping_sub(1 << RING), own + (1 << RING), own + (9 << RING)] {
                    assert_eq!(state(word, other, RING, || false), State::Untouched);
                    assert_eq!(state(word, other, RING, || true), State::Done);
                }
            }
            let untouched = word(State::Untouched, own, RING);
            assert_eq!(state(untouched, own, RING, || false), State::Untouched);
            assert_eq!(state(MOVED, own, RING, || false), State::Moved);
        }
    }

    #[test]
    fn the_last_page_ends() {
        assert_eq!(end(of(u64::MAX)), u64::MAX);
        assert_eq!(end(of(IDS)), 2 * IDS);
        assert_eq!(start(of(IDS + 1)) + offset(IDS + 1), IDS + 1);
    }

    #[test]
    fn classes_have_room() {
        for words in 1..=IDS as usize {
            let class = Block::class_for(words);
            assert!(1 << class >= words && 1 << class < 2 * words);
        }
    }
}
