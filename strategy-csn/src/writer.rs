//! [`Writer`]: what an end does, under the writers' lock.
//!
//! ```text
//!   entries of the whole tree := n + 1      nobody reads them as ended: no snapshot has a number above n
//!   latest completed of n + 1 := …
//!   published := n + 1                      one step: whoever takes from now on has n + 1 or more
//!   oldest moves over what has ended
//! ```
//!
//! Everything stands in the log before the number that it is under is published; a reader loads the number first (Acquire),
//! so that it finds all entries up to it.

use std::sync::Arc;

use snapshot_api::Xid;

use crate::{
    arena::{self, Blocks},
    core::{Core, FRAMES},
    needs::Needs,
    page::{self, State},
    ring::{MOST_PAGES, Ring},
    word::Word,
};

/// What only the holder of the writers' lock knows.
#[derive(Debug)]
pub(crate) struct Writer {
    /// The ring in force.
    pub(crate) ring: Arc<Ring>,
    /// Which page has each frame of the dense log.
    pub(crate) frames: [Option<u64>; FRAMES as usize],
    /// The oldest page that is not done.
    pub(crate) floor: u64,
    /// The newest page that is not untouched.
    pub(crate) highest: u64,
    /// Latest completed, of the change that is published next.
    latest: u64,
    /// The highest id begun or completed. Kept up only where ids begin in rising order.
    pub(crate) last: u64,
    pub(crate) blocks: Blocks,
    /// Pages that keep their numbers in the arena.
    pub(crate) held: Vec<u64>,
    /// Words that these pages have there.
    pub(crate) held_words: u64,
    /// Ids whose pages were opened since those were looked over.
    pub(crate) since: u64,
    pub(crate) needs: Needs,
    /// Changes since slots were looked at.
    pub(crate) unseen: u64,
    /// Numbers that a page has to keep: memory that is used again.
    pub(crate) kept: Vec<u64>,
}

impl Writer {
    pub(crate) fn new(ring: Arc<Ring>, floor: u64, latest: u64, last: u64) -> Self {
        Writer {
            ring,
            frames: [None; FRAMES as usize],
            floor,
            highest: floor,
            latest,
            last,
            blocks: Blocks::default(),
            held: Vec::new(),
            held_words: 0,
            since: 0,
            needs: Needs::default(),
            unseen: 0,
            kept: Vec::new(),
        }
    }

    /// The number of the change that comes next.
    pub(crate) fn next_number(core: &Core) -> u64 {
        core.head.number.get() + 1
    }

    /// Whether the log can hold this id beside the oldest that it has to.
    pub(crate) fn has_room(&self, id: u64) -> bool {
        page::of(id).saturating_sub(self.floor) < MOST_PAGES
    }

    /// Ends a tree under this number; whether anything changed. Latest completed stays.
    pub(crate) fn end_ids(&mut self, core: &Core, ids: &[Xid], number: u64) -> bool {
        let mut changed = false;
        for id in ids.iter().filter(|id| id.is_normal()).map(|id| id.get()) {
            if self.has_room(id) {
                changed |= self.end_id(core, id, number);
            }
        }
        changed
    }

    fn end_id(&mut self, core: &Core, id: u64, number: u64) -> bool {
        let page = page::of(id);
        if self.state(page) == State::Untouched {
            self.open(core, page);
        }
        match self.state(page) {
            State::Dense => {
                let entry = core.dense(id);
                let runs = entry.get() == 0;
                if runs {
                    entry.set(number);
                }
                runs
            }
            State::Block(block) => {
                let found = core.arena.find(block, page::offset(id), Word::get);
                let running = found.filter(|&(word, _)| arena::number(word) == 0);
                if let Some((word, cell)) = running {
                    cell.set(arena::exception(arena::offset(word), number));
                }
                running.is_some()
            }
            State::One(offset) => {
                let runs = offset == page::offset(id);
                if runs {
                    self.kept.clear();
                    self.kept.push(arena::exception(offset, number));
                    self.keep(core, page);
                }
                runs
            }
            State::Untouched | State::Whole(_) | State::Done | State::Moved => false,
        }
    }

    /// Ends every id from `from` up to, not including, `to` under this number; whether anything changed.
    pub(crate) fn end_range(&mut self, core: &Core, from: u64, to: u64, number: u64) -> bool {
        let (mut at, mut changed) = (from, false);
        while at < to {
            let page = page::of(at);
            let upto = page::end(page).min(to);
            changed |= match self.state(page) {
                State::Untouched if (at, upto) == (page::start(page), page::end(page)) => {
                    self.end_page(core, page, number);
                    true
                }
                State::Whole(_) | State::Done => false,
                State::Block(block) => {
                    let mut ended = false;
                    for (word, cell) in core.arena.words(block, Word::get) {
                        let id = page::start(page) + arena::offset(word);
                        if arena::number(word) == 0 && (at..upto).contains(&id) {
                            cell.set(arena::exception(arena::offset(word), number));
                            ended = true;
                        }
                    }
                    ended
                }
                State::One(offset) => {
                    let one = page::start(page) + offset;
                    (at..upto).contains(&one) && self.end_id(core, one, number)
                }
                State::Untouched | State::Dense | State::Moved => {
                    (at..upto).fold(false, |ended, id| self.end_id(core, id, number) | ended)
                }
            };
            at = upto;
        }
        changed
    }

    /// Raises latest completed, for the change that is published next; whether it rose.
    pub(crate) fn raise(&mut self, latest: u64) -> bool {
        let rises = latest > self.latest;
        self.latest = self.latest.max(latest);
        rises
    }

    /// Makes everything under this number visible in one step.
    pub(crate) fn publish(&mut self, core: &Core, number: u64) {
        core.head.latest_of(number).set(self.latest);
        core.head.number.set(number);
        self.advance_oldest(core);
        self.unseen += 1;
        if self.unseen >= self.needs.patience() {
            self.read_needs(core);
        }
    }

    /// Moves the lower bound of what runs over all that has ended. Each id is passed once.
    fn advance_oldest(&mut self, core: &Core) {
        let before = core.head.oldest.get();
        let stop = self.latest + 1;
        let mut at = before;
        while at < stop {
            let page = page::of(at);
            let end = page::end(page);
            let next = match self.state(page) {
                State::Done | State::Whole(_) => end,
                State::Dense => {
                    (at..end.min(stop)).find(|&id| core.dense(id).get() == 0).unwrap_or(end)
                }
                // From where it stands, so that each word is passed once.
                State::Block(block) => core
                    .arena
                    .words_from(block, page::offset(at), Word::get)
                    .find(|&(word, _)| arena::number(word) == 0)
                    .map_or(end, |(word, _)| page::start(page) + arena::offset(word)),
                State::One(offset) => {
                    let one = page::start(page) + offset;
                    if one >= at { one } else { end }
                }
                State::Untouched | State::Moved => at,
            };
            at = next;
            if next < end {
                break;
            }
        }
        let at = at.min(stop);
        if at != before {
            core.head.oldest.set(at);
        }
    }

    /// How the numbers of a page are kept.
    pub(crate) fn state(&self, page: u64) -> State {
        self.ring.state(self.ring.cell(page).get(), page, || page < self.floor)
    }
}
