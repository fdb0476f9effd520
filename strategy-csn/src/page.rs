//! Ids in pages, and the word that says how a page's numbers are kept.
//!
//! ```text
//!   63             37 36            7 6   3 2  0
//!  ┌─────────────────┬───────────────┬─────┬────┐
//!  │ lap of the ring │ block's place │class│ tag│     one word a page, in the ring of pages
//!  └─────────────────┴───────────────┴─────┴────┘
//! ```
//!
//! A page goes through its states in one direction only:
//!
//! ```text
//!  untouched ─► dense ─► block ─► smaller block ─► … ─► done
//!       ├──────────────────▲                             ▲
//!       └─► whole ───────────────────────────────────────┘
//! ```
//!
//! *untouched*: every id runs or is not begun. *dense*: a number for each id, in a frame of the dense log. *block*: numbers
//! of a few ids, all others ended before every snapshot. *whole*: all ids ended at one number. *done*: all ended before every
//! snapshot. Because no state comes twice, a reader that finds the same word before and after it has read a number knows
//! that nothing behind the word was used for another page in between.
//!
//! A lap is told by 27 bits: a word could be taken for that of another page by a value that is kept while 2³⁸ pages pass,
//! that is 5·10¹⁴ ids.

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

const TAG: u64 = 0b111;
const DENSE: u64 = 1;
const BLOCK: u64 = 2;
const WHOLE: u64 = 3;
const DONE: u64 = 4;
const LAP_SHIFT: u32 = 37;
const PLACE_SHIFT: u32 = 7;
const CLASS_SHIFT: u32 = 3;

/// One more than the highest place that a word can name.
pub(crate) const PLACES: u32 = 1 << (LAP_SHIFT - PLACE_SHIFT);

/// The word of a ring that was replaced.
pub(crate) const MOVED: u64 = u64::MAX;

/// The part of a page's word that tells its lap of the ring.
#[inline]
pub(crate) const fn lap(lap: u64) -> u64 {
    lap << LAP_SHIFT
}

/// The word of a dense page.
#[inline]
pub(crate) const fn dense(lap: u64) -> u64 {
    lap | DENSE
}

/// The word of a page that is done.
#[inline]
pub(crate) const fn done(lap: u64) -> u64 {
    lap | DONE
}

/// The word of a page in this state.
pub(crate) const fn word(state: State, lap: u64) -> u64 {
    match state {
        State::Dense => dense(lap),
        State::Block(Block { place, class }) => {
            lap | BLOCK | (place as u64) << PLACE_SHIFT | (class as u64) << CLASS_SHIFT
        }
        State::Whole(place) => lap | WHOLE | (place as u64) << PLACE_SHIFT,
        State::Done => done(lap),
        State::Moved => MOVED,
        // The lap before.
        State::Untouched => done(lap.wrapping_sub(1 << LAP_SHIFT)),
    }
}

/// What a word says of the page whose lap is `lap`; `behind` tells whether the page lies behind every page that is not done.
#[inline]
pub(crate) fn state(word: u64, lap: u64, behind: impl FnOnce() -> bool) -> State {
    if word == MOVED {
        return State::Moved;
    }
    if (word ^ lap) >> LAP_SHIFT != 0 {
        // Another page's: of a later lap, which begins only when this page is done, or of an earlier one.
        return if behind() { State::Done } else { State::Untouched };
    }
    let place = (word >> PLACE_SHIFT) as u32 & (PLACES - 1);
    match word & TAG {
        DENSE => State::Dense,
        BLOCK => State::Block(Block { place, class: (word >> CLASS_SHIFT) as u32 & 0xF }),
        WHOLE => State::Whole(place),
        _ => State::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_they_were_made_of() {
        let laps = [0, 1, 77, (1 << 27) - 1];
        let states = [
            State::Dense,
            State::Block(Block { place: 0, class: 0 }),
            State::Block(Block { place: PLACES - 1, class: 11 }),
            State::Whole(12_345),
            State::Done,
        ];
        for own in laps.map(lap) {
            for made in states {
                assert_eq!(state(word(made, own), own, || false), made);
                for other in laps.map(lap).into_iter().filter(|&other| other != own) {
                    assert_eq!(state(word(made, own), other, || false), State::Untouched);
                    assert_eq!(state(word(made, own), other, || true), State::Done);
                }
            }
            assert_eq!(state(word(State::Untouched, own), own, || false), State::Untouched);
            assert_eq!(state(MOVED, own, || false), State::Moved);
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
