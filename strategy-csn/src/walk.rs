//! [`Running`]: all ids that run in a snapshot, page by page.

use snapshot_api::Xid;

use crate::{
    arena,
    core::Core,
    page::{self, State},
    ring::Ring,
    word::Word,
};

/// The ids that had not ended at a number, from one id up to another.
pub(crate) struct Running<'a> {
    core: &'a Core,
    ring: &'a Ring,
    number: u64,
    next: u64,
    end: u64,
    /// Those of the page that was read last, the highest first.
    batch: Vec<u64>,
}

impl<'a> Running<'a> {
    pub(crate) fn new(core: &'a Core, ring: &'a Ring, number: u64, from: u64, end: u64) -> Self {
        Running { core, ring, number, next: from, end, batch: Vec::new() }
    }

    /// Reads the next page.
    fn turn(&mut self) {
        let Running { core, number, next, batch, .. } = self;
        let page = page::of(*next);
        let ids = *next..page::end(page).min(self.end);
        let runs = |ended: u64| ended.wrapping_sub(1) >= *number;
        core.read(self.ring, page, |state| {
            batch.clear();
            match state {
                State::Dense => batch.extend(ids.clone().filter(|&id| runs(core.dense(id).load()))),
                State::Block(block) => batch.extend(
                    core.arena
                        .words(block, Word::load)
                        .filter(|&(word, _)| runs(arena::number(word)))
                        .map(|(word, _)| page::start(page) + arena::offset(word))
                        .filter(|id| ids.contains(id)),
                ),
                State::Whole(place) => {
                    if runs(core.arena.word(place).load()) {
                        batch.extend(ids.clone());
                    }
                }
                State::One(offset) => {
                    let one = page::start(page) + offset;
                    batch.extend(Some(one).filter(|id| ids.contains(id)));
                }
                State::Untouched => batch.extend(ids.clone()),
                State::Done | State::Moved => {}
            }
        });
        batch.reverse();
        *next = ids.end;
    }
}

impl Iterator for Running<'_> {
    type Item = Xid;

    fn next(&mut self) -> Option<Xid> {
        while self.batch.is_empty() && self.next < self.end {
            self.turn();
        }
        self.batch.pop().map(Xid::new)
    }
}
