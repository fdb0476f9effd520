//! What an operation is compared with: the cheapest thing that could do part of its work.

use std::{
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use crate::Xid;

/// Something cheap that every machine can do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Yardstick {
    /// A load of a line that stays in the cache.
    Load,
    /// An uncontended read-modify-write of a hot line.
    FetchAdd,
    /// A copy of the running ids.
    Copy,
    /// A search for an id among the running ones.
    Search,
}

impl Yardstick {
    /// All of them.
    pub const ALL: [Yardstick; 4] =
        [Yardstick::Load, Yardstick::FetchAdd, Yardstick::Copy, Yardstick::Search];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Yardstick::Load => "atomic load",
            Yardstick::FetchAdd => "fetch_add",
            Yardstick::Copy => "copy of the running list",
            Yardstick::Search => "binary search in the running list",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|yardstick| yardstick.name() == name)
    }
}

/// What the yardsticks work on.
#[derive(Debug)]
pub struct Yardsticks {
    word: AtomicU64,
    ids: Vec<Xid>,
    copy: Vec<Xid>,
    probes: Vec<Xid>,
    /// Where in the probes the next search begins.
    next: usize,
}

impl Yardsticks {
    /// `running` in rising order is what is copied and searched, `probes` what is searched for, one after another.
    pub fn new(running: Vec<Xid>, probes: Vec<Xid>) -> Self {
        let copy = vec![Xid::INVALID; running.len()];
        Yardsticks { word: AtomicU64::new(1), copy, ids: running, probes, next: 0 }
    }

    /// The time of so many calls.
    pub fn time(&mut self, yardstick: Yardstick, times: u64) -> Duration {
        let start = Instant::now();
        match yardstick {
            // Acquire and AcqRel: what a strategy would use. One thread alone; nothing is passed on.
            Yardstick::Load => (0..times).for_each(|_| {
                black_box(black_box(&self.word).load(Ordering::Acquire));
            }),
            Yardstick::FetchAdd => (0..times).for_each(|_| {
                black_box(black_box(&self.word).fetch_add(1, Ordering::AcqRel));
            }),
            Yardstick::Copy => (0..times).for_each(|_| {
                self.copy.copy_from_slice(black_box(&self.ids));
                black_box(self.copy.as_slice());
            }),
            Yardstick::Search => self.search(times),
        }
        start.elapsed()
    }

    /// Walks over the probes again and again, without a division on the way.
    fn search(&mut self, times: u64) {
        let mut left = if self.probes.is_empty() { 0 } else { times as usize };
        while left > 0 {
            let end = (self.next + left).min(self.probes.len());
            let hits = self.probes[self.next..end]
                .iter()
                .filter(|&probe| black_box(&self.ids).binary_search(probe).is_ok())
                .count();
            black_box(hits);
            left -= end - self.next;
            self.next = end % self.probes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_them_apart() {
        for yardstick in Yardstick::ALL {
            assert_eq!(Yardstick::named(yardstick.name()), Some(yardstick));
        }
        assert_eq!(Yardstick::named("ell"), None);
    }

    #[test]
    fn searches_go_round() {
        let mut yardsticks = Yardsticks::new(vec![], [1, 2, 3].map(Xid::new).to_vec());
        yardsticks.search(2);
        assert_eq!(yardsticks.next, 2);
        yardsticks.search(5);
        assert_eq!(yardsticks.next, 1);
        Yardsticks::new(vec![], vec![]).search(9);
    }
}
