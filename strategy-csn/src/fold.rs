//! How pages open and fold: the part of [`Writer`] that bounds memory.
//!
//! A page opens with the first end in it and takes a frame of the dense log. The frame's page before it is *retired* then:
//! what no registered snapshot can tell apart is dropped, and the rest, ids that run and ids that some snapshot holds as
//! running, moves to a block of the arena.
//!
//! ```text
//!   dense frame   │ 7│ 9│ 0│ 8│ 0│12│ 9│ 8│      published 12, a snapshot holds 10
//!                         │     │  └──────────┐
//!   block         │ 2: 0 │ 4: 0 │ 5: 12 │ –   │   8 bytes for each; a page without any costs one word in the ring
//! ```
//!
//! Blocks are looked over now and then: one that has nothing to keep any more goes, one that has become much too large is
//! replaced by a smaller one. All of this costs O(1) for each id.

use std::{mem, sync::Arc};

use snapshot_api::sync::Ordering;

use crate::{
    arena,
    core::{Core, FRAMES},
    page::{self, Block, State},
    word::Word,
    writer::Writer,
};

impl Writer {
    /// Makes an untouched page fit for the end of any of its ids.
    pub(crate) fn open(&mut self, core: &Core, page: u64) {
        self.read_needs(core);
        self.look_over(core);
        let frame = (page % FRAMES) as usize;
        let tenant = self.frames[frame];
        if let Some(older) = tenant.filter(|&tenant| tenant < page) {
            self.retire(core, older);
            self.frames[frame] = None;
        }
        self.advance_floor(core);
        self.fit(core, page);
        if tenant.is_some_and(|tenant| tenant > page) {
            // A newer page has the frame: all ids of this one run, and go to a block.
            self.kept.clear();
            self.kept.extend((0..page::IDS).map(|offset| arena::exception(offset, 0)));
            self.keep(core, page);
            return;
        }
        for id in page::start(page)..=page::start(page) + (page::IDS - 1) {
            core.dense(id).set(0);
        }
        self.frames[frame] = Some(page);
        self.touch(core, page);
        self.ring.set(page, State::Dense);
    }

    /// Looks at the slots, and marks those that lag.
    pub(crate) fn read_needs(&mut self, core: &Core) {
        self.needs.read(core);
        self.unseen = 0;
    }

    /// Ends a whole untouched page.
    pub(crate) fn end_page(&mut self, core: &Core, page: u64, number: u64) {
        self.fit(core, page);
        let block = self.blocks.allocate(&core.arena, 0);
        core.arena.fill(block, &[number]);
        self.touch(core, page);
        self.ring.set(page, State::Whole(block.place));
        self.held.push(page);
        self.held_words += 1;
    }

    /// Gives a page the numbers in `self.kept`, all other ids of it having ended before every snapshot.
    pub(crate) fn keep(&mut self, core: &Core, page: u64) {
        self.touch(core, page);
        if let Some(small) = self.kept_by_word() {
            self.ring.set(page, small);
            return;
        }
        let block = self.block_of_kept(core);
        self.ring.set(page, State::Block(block));
        self.held.push(page);
    }

    /// The state that needs no block, if there is one for what is kept.
    fn kept_by_word(&self) -> Option<State> {
        match self.kept[..] {
            [] => Some(State::Done),
            [word] if arena::number(word) == 0 => Some(State::One(arena::offset(word))),
            _ => None,
        }
    }

    fn block_of_kept(&mut self, core: &Core) -> Block {
        let block = self.blocks.allocate(&core.arena, Block::class_for(self.kept.len()));
        core.arena.fill(block, &self.kept);
        self.held_words += 1 << block.class;
        block
    }

    /// Folds a dense page.
    fn retire(&mut self, core: &Core, page: u64) {
        self.kept.clear();
        for id in page::start(page)..=page::start(page) + (page::IDS - 1) {
            let number = core.dense(id).get();
            if number == 0 || self.needs.keeps(id, number) {
                self.kept.push(arena::exception(page::offset(id), number));
            }
        }
        self.keep(core, page);
    }

    /// Folds what lies in the arena, once as many ids have come by as there are words.
    fn look_over(&mut self, core: &Core) {
        self.since += page::IDS;
        if self.since < self.held_words {
            return;
        }
        self.since = 0;
        let mut held = mem::take(&mut self.held);
        held.retain(|&page| self.fold(core, page));
        self.held = held;
    }

    /// Folds a page that lies in the arena; whether it still does.
    fn fold(&mut self, core: &Core, page: u64) -> bool {
        let place = match self.state(page) {
            State::Block(block) => {
                self.kept.clear();
                let needs = &self.needs;
                let keeps = |word: &u64| {
                    let (offset, number) = (arena::offset(*word), arena::number(*word));
                    number == 0 || needs.keeps(page::start(page) + offset, number)
                };
                self.kept
                    .extend(core.arena.words(block, Word::get).map(|(word, _)| word).filter(keeps));
                if let Some(small) = self.kept_by_word() {
                    self.ring.set(page, small);
                    self.give_back(block);
                    return false;
                }
                if Block::class_for(self.kept.len()) < block.class {
                    let smaller = self.block_of_kept(core);
                    self.ring.set(page, State::Block(smaller));
                    self.give_back(block);
                }
                return true;
            }
            State::Whole(place) => {
                let number = core.arena.word(place).get();
                if self.needs.keeps(page::start(page), number) {
                    return true;
                }
                place
            }
            State::Untouched | State::Dense | State::One(_) | State::Done | State::Moved => {
                return false;
            }
        };
        self.ring.set(page, State::Done);
        self.give_back(Block { place, class: 0 });
        false
    }

    fn give_back(&mut self, block: Block) {
        self.blocks.free(block);
        self.held_words -= 1 << block.class;
    }

    fn advance_floor(&mut self, core: &Core) {
        while self.floor <= self.highest && self.state(self.floor) == State::Done {
            self.floor += 1;
        }
        // Before a place of the ring behind the floor is used for another page.
        core.bounds.floor.set(self.floor);
    }

    /// Makes the ring long enough for a page.
    fn fit(&mut self, core: &Core, page: u64) {
        while page - self.floor >= self.ring.pages() {
            core.rings.grow(self.floor, self.highest);
            self.ring = Arc::clone(core.rings.current());
        }
    }

    fn touch(&mut self, core: &Core, page: u64) {
        self.highest = self.highest.max(page);
        // Relaxed: orders nothing, see `CsnLog::begin`.
        core.bounds.high.fetch_max(page, Ordering::Relaxed);
    }
}
