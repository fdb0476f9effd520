//! [`Core`]: what readers and writers of a log share.

use snapshot_api::sync::{AtomicU64, Mutex};

use crate::{
    arena::{self, Arena},
    page::{self, State},
    ring::{Ring, Rings},
    slots::Slots,
    word::Word,
    writer::Writer,
};

/// Pages that have a number for each id at hand: a quarter of a mebibyte.
pub(crate) const FRAMES: u64 = if cfg!(snapshot_loom) { 2 } else { 16 };

/// Ids that have a number at hand.
const ENTRIES: usize = (FRAMES * page::IDS) as usize;

/// The number of what ended before every snapshot.
pub(crate) const OLDEST: u64 = 1;

/// What a take reads and an end writes, on one line. Written under the writers' lock.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Head {
    /// All ids below have ended at a number that is published.
    pub(crate) oldest: Word,
    /// The published number: every end up to it stands in the log.
    pub(crate) number: Word,
    /// Latest completed of the published number, at that number's parity, and of the one before or after it.
    pub(crate) latest: [Word; 2],
}

impl Head {
    /// Oldest, number, and the number's latest completed.
    ///
    /// Lock-free: it starts over only where a number was published beside it.
    #[inline]
    pub(crate) fn read(&self) -> (u64, u64, u64) {
        loop {
            // First, so that it lies below everything that runs at the number: the number under which all below have ended
            // was published before.
            let oldest = self.oldest.load();
            // Every entry up to the number, and its latest completed, were written before.
            let number = self.number.load();
            let latest = self.latest_of(number).load();
            // Another one of this parity is written only when the number between them has been published.
            if self.number.again() == number {
                return (oldest, number, latest);
            }
        }
    }

    #[inline]
    pub(crate) fn latest_of(&self, number: u64) -> &Word {
        &self.latest[(number % 2) as usize]
    }
}

/// What is read often and seldom written, away from the head.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Bounds {
    /// Every page behind it is done.
    pub(crate) floor: Word,
    /// The newest page in which an id was begun or ended.
    pub(crate) high: AtomicU64,
}

/// What readers and writers of a log share.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) head: Head,
    pub(crate) bounds: Bounds,
    pub(crate) rings: Rings,
    /// One number for each id of the newest pages; zero while it runs. The page of a frame is told by the page's word.
    dense: Box<[Word; ENTRIES]>,
    pub(crate) arena: Arena,
    pub(crate) slots: Slots,
    pub(crate) writer: Mutex<Writer>,
}

impl Core {
    pub(crate) fn new(head: Head, bounds: Bounds, rings: Rings, writer: Writer) -> Self {
        let dense = (0..ENTRIES).map(|_| Word::new(0)).collect::<Box<[_]>>();
        let dense = dense.try_into().expect("as many as were counted");
        Core {
            head,
            bounds,
            rings,
            dense,
            arena: Arena::default(),
            slots: Slots::default(),
            writer: Mutex::new(writer),
        }
    }

    /// The entry of an id whose page is dense.
    #[inline]
    pub(crate) fn dense(&self, id: u64) -> &Word {
        &self.dense[id as usize & (ENTRIES - 1)]
    }

    /// How the numbers of a page are kept.
    #[inline]
    pub(crate) fn state(&self, ring: &Ring, page: u64, word: u64) -> State {
        ring.state(word, page, || page < self.bounds.floor.load())
    }

    /// The number at which an id ended, 0 while it runs, [`OLDEST`] where no snapshot can tell.
    ///
    /// Wait-free: a page goes through at most a dozen states, and a ring is replaced a few times.
    pub(crate) fn number_of(&self, ring: &Ring, id: u64) -> u64 {
        self.read(ring, page::of(id), |state| match state {
            State::Dense => self.dense(id).load(),
            State::Block(block) => self
                .arena
                .find(block, page::offset(id), Word::load)
                .map_or(OLDEST, |(word, _)| arena::number(word)),
            State::Whole(place) => self.arena.word(place).load(),
            State::One(offset) if offset == page::offset(id) => 0,
            State::One(_) => OLDEST,
            State::Untouched => 0,
            State::Done | State::Moved => OLDEST,
        })
    }

    /// What `look` finds in a page, once its word was the same before and after.
    #[inline]
    pub(crate) fn read<R>(&self, ring: &Ring, page: u64, mut look: impl FnMut(State) -> R) -> R {
        let mut ring = ring;
        loop {
            let cell = ring.cell(page);
            let word = cell.load();
            let state = self.state(ring, page, word);
            if state == State::Moved {
                ring = self.rings.current();
                continue;
            }
            let found = look(state);
            if cell.again() == word {
                return found;
            }
        }
    }
}
