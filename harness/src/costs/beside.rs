//! Single takes while another core ends transactions without pause.
//!
//! The yardstick comes first, between the same two threads: they write one line in turn, and half a round trip is what a line
//! needs from core to core.
//!
//! ```text
//!  measured   1 ─► 3 ─► 5 …  │ look at the clock, take, look at the clock │ …                           │ over
//!  other        2 ─► 4 ─► …  │ begin, end, begin, end, begin, end, begin, end, begin, end, begin, end … │
//! ```
//!
//! Takes while the other thread had lost its core do not count, nor does a trip of the line then: a median is taken of many.

use std::{
    panic::resume_unwind,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use snapshot_api::{
    Restore, Snapshot, SnapshotStrategy, Xid,
    measure::{Busy, Fault},
};

use super::rounds::{Batches, percentile};
use crate::clock::{self, nanos};

/// Round trips between two looks at the clock.
const TRIPS: u64 = 16;
/// So often they are timed.
const TIMES: u64 = 100;
/// Turns of the other thread between two looks at whether it is over.
const TURNS: u64 = 64;
/// Where nothing has ended for so long and in so many takes, the other thread is not there.
const AWAY: (Duration, usize) = (Duration::from_micros(20), 64);
/// Takes that a round should have beside the other thread; it may last so many slices for them.
const ENOUGH: (usize, u32) = (64, 10);
/// Fewer are none.
const FEWEST: usize = 16;
/// No line needs so many nanoseconds: the two threads had one core between them.
const ONE_CORE: f64 = 5_000.0;
/// Most takes of a round.
const TAKES: usize = 100_000;
/// Looks at a line before the core is offered to others.
const PATIENCE: u32 = 20_000;

/// What one round yields, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Beside {
    /// The median take, and the one that 99 of 100 do not exceed.
    pub(super) percentiles: [f64; 2],
    /// A line from one core to the other.
    pub(super) transfer: f64,
}

/// A word on a line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line(AtomicU64);

/// The word after the last trip.
const END: u64 = u64::MAX;

impl Line {
    /// Waits for the other's word, then writes one's own; false if the other's is the end.
    fn answer(&self, awaited: u64, word: u64) -> bool {
        let mut looks = 0;
        loop {
            // Acquire and Release: each word comes after all that its reader had written before.
            match self.0.load(Ordering::Acquire) {
                END => return false,
                seen if seen == awaited => break,
                _ => looks += 1,
            }
            if looks % PATIENCE == 0 {
                // Where both share a core the other has to get it.
                thread::yield_now();
            }
        }
        self.0.store(word, Ordering::Release);
        true
    }
}

/// Measures once; `None` where the other thread got no core of its own.
pub(super) fn round<S: Restore>(
    busy: &mut Busy<S>,
    slice: Duration,
) -> Result<Option<Beside>, Fault> {
    let (subject, stream, value) = busy.parts();
    let (line, over) = (&Line::default(), &AtomicBool::new(false));
    let clock = clock::own_time();
    thread::scope(|scope| {
        let other = scope.spawn(move || {
            let mut word = 1;
            while line.answer(word, word + 1) {
                word += 2;
            }
            // Relaxed: the flag passes nothing on.
            while !over.load(Ordering::Relaxed) {
                stream.plan(TURNS);
                stream.play(subject, || {})?;
            }
            Ok(())
        });
        let transfer = transfer(line, slice, clock);
        let taken = takes(subject, value, slice, clock);
        // Relaxed: as above.
        over.store(true, Ordering::Relaxed);
        other.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        let sorted = taken?;
        let percentiles = [0.5, 0.99].map(|share| percentile(&sorted, share));
        let had_cores = sorted.len() >= FEWEST && transfer < ONE_CORE;
        Ok(had_cores.then_some(Beside { percentiles, transfer }))
    })
}

/// Nanoseconds of half a round trip. Done sooner where each trip waits for a core.
fn transfer(line: &Line, slice: Duration, clock: Duration) -> f64 {
    let begun = Instant::now();
    let mut word = 0;
    let mut transfers: Vec<f64> = (0..TIMES)
        .take_while(|time| *time == 0 || begun.elapsed() < slice * ENOUGH.1)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..TRIPS {
                line.answer(word, word + 1);
                word += 2;
            }
            let mut there_and_back = Batches::default();
            there_and_back.add(start.elapsed(), 2 * TRIPS);
            there_and_back.ns(clock)
        })
        .collect();
    line.answer(word, END);
    transfers.sort_unstable_by(f64::total_cmp);
    percentile(&transfers, 0.5)
}

/// Times of single takes, less the clock's own, sorted.
fn takes<S: SnapshotStrategy>(
    subject: &S,
    value: &mut S::Snapshot,
    slice: Duration,
    clock: Duration,
) -> Result<Vec<f64>, Fault> {
    let mut taken = Vec::with_capacity(TAKES);
    let mut last = Xid::INVALID;
    let start = Instant::now();
    // When a take saw something new, and how many takes there were until then.
    let (mut seen, mut kept) = (start, 0);
    loop {
        let before = Instant::now();
        subject.take(value);
        let after = Instant::now();
        let (xmin, xmax) = (value.xmin(), value.xmax());
        if xmax < last || xmin > xmax {
            return Err(Fault::Wrong(format!("xmin {xmin} and xmax {xmax} after xmax {last}")));
        }
        let spent = after - start;
        let is_enough = spent >= slice && kept >= ENOUGH.0;
        let is_over = is_enough || spent >= slice * ENOUGH.1 || taken.len() == TAKES;
        if xmax > last || is_over {
            forget_if_away(&mut taken, kept, after - seen);
            (last, seen, kept) = (xmax, after, taken.len());
        }
        if is_over {
            taken.sort_unstable_by(f64::total_cmp);
            return Ok(taken);
        }
        taken.push(nanos((after - before).saturating_sub(clock)));
    }
}

/// Drops the takes from number `kept` on, in which nothing was new, if the other thread was away meanwhile.
fn forget_if_away(taken: &mut Vec<f64>, kept: usize, quiet: Duration) {
    if quiet > AWAY.0 && taken.len() - kept > AWAY.1 {
        taken.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_without_the_other_thread_do_not_count() {
        let (short, long) = (AWAY.0 / 2, AWAY.0 * 2);
        let takes = |number: usize, kept, quiet| {
            let mut taken = vec![1.0; number];
            forget_if_away(&mut taken, kept, quiet);
            taken.len()
        };
        assert_eq!(takes(1_000, 10, long), 10, "many, for long");
        assert_eq!(takes(1_000, 10, short), 1_000, "fast ones between two ends");
        assert_eq!(takes(20, 10, long), 20, "slow ones");
    }
}
