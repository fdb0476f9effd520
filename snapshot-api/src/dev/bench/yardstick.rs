//! What an operation is compared with: the cheapest thing that could do part of its work.

use std::{
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// A load of a line that stays in the cache.
pub(super) const LOAD: &str = "atomic load";
/// An uncontended read-modify-write of a hot line.
pub(super) const FETCH_ADD: &str = "fetch_add";
/// A copy of 200 running ids.
pub(super) const COPY: &str = "copy of 200 ids";
/// A search for an id among 200.
pub(super) const SEARCH: &str = "binary search in 200 ids";

/// All of them.
pub(super) const ALL: [&str; 4] = [LOAD, FETCH_ADD, COPY, SEARCH];

/// How many ids run in every benchmark.
pub(super) const RUNNING: u64 = 200;

/// What the yardsticks work on.
#[derive(Debug)]
pub(super) struct Yardsticks {
    word: AtomicU64,
    ids: Vec<u64>,
    copy: Vec<u64>,
    probes: Vec<u64>,
}

impl Yardsticks {
    pub(super) fn new() -> Self {
        let ids: Vec<u64> = (0..RUNNING).map(|place| place * 37).collect();
        let mut random = crate::dev::laws::Random::new(3);
        // Every second probe is in the list; the order has no pattern that a branch predictor could learn.
        let mut probe = |turn: usize| match turn % 2 {
            0 => ids[random.below(RUNNING) as usize],
            _ => random.below(RUNNING * 37),
        };
        let probes = (0..4_096).map(&mut probe).collect();
        Yardsticks { word: AtomicU64::new(1), copy: vec![0; ids.len()], ids, probes }
    }

    /// The time of so many calls; `None` where nothing has this name.
    pub(super) fn time(&mut self, name: &str, times: u64) -> Option<Duration> {
        let start = Instant::now();
        match name {
            LOAD => {
                for _ in 0..times {
                    black_box(black_box(&self.word).load(Ordering::Acquire));
                }
            }
            FETCH_ADD => {
                for _ in 0..times {
                    black_box(black_box(&self.word).fetch_add(1, Ordering::AcqRel));
                }
            }
            COPY => (0..times).for_each(|_| {
                self.copy.copy_from_slice(black_box(&self.ids));
                black_box(self.copy.as_slice());
            }),
            SEARCH => (0..times).for_each(|turn| {
                let probe = self.probes[turn as usize % self.probes.len()];
                black_box(black_box(&self.ids).binary_search(&probe).is_ok());
            }),
            _ => return None,
        }
        Some(start.elapsed())
    }
}
