//! What an operation is compared with: the cheapest thing that could do part of its work.

use std::{
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
};

use super::rows::Bench;

/// A load of a line that stays in the cache.
pub(super) const LOAD: &str = "atomic load";
/// An uncontended read-modify-write of a hot line.
pub(super) const FETCH_ADD: &str = "fetch_add";
/// A copy of 200 running ids.
pub(super) const COPY: &str = "copy of 200 ids";
/// A search for an id among 200.
pub(super) const SEARCH: &str = "binary search in 200 ids";

/// How many ids run in every benchmark.
pub(super) const RUNNING: u64 = 200;

pub(super) fn all(bench: &mut Bench) {
    let word = AtomicU64::new(1);
    bench.yardstick(LOAD, || black_box(&word).load(Ordering::Acquire));
    bench.yardstick(FETCH_ADD, || black_box(&word).fetch_add(1, Ordering::AcqRel));
    let ids: Vec<u64> = (0..RUNNING).map(|place| place * 37).collect();
    let mut copy = vec![0; ids.len()];
    bench.yardstick(COPY, || {
        copy.copy_from_slice(black_box(&ids));
        black_box(copy.as_slice()).len()
    });
    // Every second probe is in the list; the order has no pattern that a branch predictor could learn.
    let probes: Vec<u64> =
        (0..1024_u64).map(|n| n.wrapping_mul(0x9E37_79B9) % (RUNNING * 37)).collect();
    let mut turn = 0;
    bench.yardstick(SEARCH, || {
        turn = (turn + 1) % probes.len();
        let probe = probes[turn];
        black_box(&ids)
            .binary_search(if turn % 2 == 0 { &probe } else { &ids[probe as usize % ids.len()] })
            .is_ok()
    });
}
