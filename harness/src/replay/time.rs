//! [`time`]: what applying a history and taking snapshots of it costs.
//!
//! The clock is read before and after a batch of up to 64 events, and before and after each snapshot; what a reading costs
//! is measured before and taken off. Events are unpacked, and times recorded, while no clock runs; what is allocated while it
//! does is the machine's and the strategy's alone. A snapshot that takes less than a clock's tick shows as 0 or as one tick.
//!
//! # Several runs
//!
//! All runs do the same work, batch for batch: when an array is compacted, say, it is compacted in the same batch of each.
//! So of each batch and of each snapshot the [fastest run](Timing::faster) counts. Whatever else the machine did in a
//! run is gone unless it struck the same batch every time, where the fastest *whole* run still holds all that
//! struck it.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use snapshot_api::Standby;

use super::{History, look::apply, steps::Steps};
use crate::standby::Machine;

/// What it took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timing {
    events: u64,
    /// Nanoseconds of each batch.
    batches: Vec<u32>,
    /// Nanoseconds of each snapshot.
    takes: Vec<u32>,
}

/// The times of many snapshots, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Takes {
    /// Their mean.
    pub mean: f64,
    /// As long as this or less took half of them.
    pub p50: u32,
    /// The same of 99 of 100.
    pub p99: u32,
}

impl Timing {
    /// Events applied.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Snapshots taken.
    pub fn snapshots(&self) -> u64 {
        self.takes.len() as u64
    }

    /// Nanoseconds for an event; `None` if there was none.
    pub fn ns_per_event(&self) -> Option<f64> {
        let ns: u64 = self.batches.iter().map(|&ns| u64::from(ns)).sum();
        (self.events > 0).then(|| ns as f64 / self.events as f64)
    }

    /// Nanoseconds for a snapshot; `None` if there was none.
    pub fn takes(&self) -> Option<Takes> {
        let mut sorted = self.takes.clone();
        sorted.sort_unstable();
        let last = sorted.len().checked_sub(1)?;
        let sum: u64 = sorted.iter().map(|&ns| u64::from(ns)).sum();
        // The nearest rank from below: the value that at least this share does not exceed.
        let at = |hundredths: usize| sorted[(sorted.len() * hundredths).div_ceil(100) - 1];
        Some(Takes { mean: sum as f64 / (last + 1) as f64, p50: at(50), p99: at(99) })
    }

    /// Of two runs over the same history the faster one, for each batch and each snapshot by itself.
    pub fn faster(mut self, other: &Timing) -> Timing {
        for (mine, theirs) in [(&mut self.batches, &other.batches), (&mut self.takes, &other.takes)]
        {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = (*mine).min(*theirs));
        }
        self
    }
}

/// Lets the strategy `S` play the history, with a snapshot after every so many events (0 for never).
///
/// # Errors
///
/// What the strategy refused.
pub fn time<S: Standby>(
    history: &History,
    config: S::Config,
    every: usize,
) -> Result<Timing, String> {
    let mut machine =
        Machine::<S>::new(config, history.options()).map_err(|why| why.to_string())?;
    for event in history.events().take(history.before_ready()) {
        apply(&mut machine, &event)?;
    }
    let clock = clock_cost();
    let since = |begin: Instant| {
        let ns = begin.elapsed().as_nanos() as f64;
        // Saturates: what is faster than the clock counts as 0, and nothing takes 4 seconds.
        (ns - clock).round() as u32
    };
    let mut timing = Timing { events: 0, batches: Vec::new(), takes: Vec::new() };
    let mut steps = Steps::new(history, every);
    while let Some((batch, snapshot)) = steps.next() {
        let begin = Instant::now();
        for event in batch {
            apply(&mut machine, event)?;
        }
        timing.batches.push(since(begin));
        timing.events += batch.len() as u64;
        if snapshot {
            let begin = Instant::now();
            black_box(machine.take());
            timing.takes.push(since(begin));
        }
    }
    Ok(timing)
}

/// What two readings of the clock say of the time between them if there is nothing between them, in nanoseconds: the least
/// of some means.
fn clock_cost() -> f64 {
    const READINGS: u32 = 256;
    let mean = || {
        let total: Duration = (0..READINGS).map(|_| Instant::now().elapsed()).sum();
        total.as_nanos() as f64 / f64::from(READINGS)
    };
    (0..16).map(|_| mean()).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_run_of_each() {
        let run = |batches: [u32; 3], takes: &[u32]| Timing {
            events: 192,
            batches: batches.into(),
            takes: takes.into(),
        };
        let one = run([100, 900, 92], &[5, 70, 8]);
        let other = run([800, 100, 92], &[6, 7, 80]);
        let best = run([100, 100, 92], &[5, 7, 8]);
        assert_eq!(one.clone().faster(&other), best);
        assert_eq!(other.faster(&one), best);
        assert_eq!(best.ns_per_event(), Some(292.0 / 192.0));
        assert_eq!(best.takes(), Some(Takes { mean: 20.0 / 3.0, p50: 7, p99: 8 }));
    }

    #[test]
    fn percentiles() {
        let takes: Vec<u32> = (1..=200).rev().collect();
        let timing = Timing { events: 0, batches: Vec::new(), takes };
        assert_eq!(timing.takes(), Some(Takes { mean: 100.5, p50: 100, p99: 198 }));
        assert_eq!(timing.ns_per_event(), None);
        assert_eq!(Timing { takes: Vec::new(), ..timing }.takes(), None);
    }
}
