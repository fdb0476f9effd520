//! [`time`]: what applying a history and taking snapshots of it costs.
//!
//! The clock is read before and after a batch of up to 64 events, and before and after each snapshot; what a reading costs
//! is measured before and taken off. Events are unpacked, and times recorded, while no clock runs; what is allocated while it
//! does is the machine's and the strategy's alone. So a snapshot that takes
//! less than a clock's tick shows as 0 or as one tick: percentiles are as fine as the clock.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use hdrhistogram::Histogram;
use snapshot_api::Standby;

use super::{History, look::apply, steps::Steps};
use crate::standby::Machine;

/// What it took.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Events applied.
    pub events: u64,
    /// Nanoseconds for all of them.
    pub ns: f64,
    /// Nanoseconds of each snapshot.
    pub takes: Histogram<u64>,
}

impl Timing {
    /// Nanoseconds for an event; `None` if there was none.
    pub fn ns_per_event(&self) -> Option<f64> {
        (self.events > 0).then(|| self.ns / self.events as f64)
    }

    /// Of two runs of the same, the faster one: events and snapshots each for themselves.
    pub fn faster(self, other: Timing) -> Timing {
        let (ns, events) =
            if other.ns < self.ns { (other.ns, other.events) } else { (self.ns, self.events) };
        let takes = if other.takes.mean() < self.takes.mean() { other.takes } else { self.takes };
        Timing { events, ns, takes }
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
    let mut timing = Timing { events: 0, ns: 0.0, takes: histogram()? };
    let mut steps = Steps::new(history, every);
    while let Some((batch, snapshot)) = steps.next() {
        let begin = Instant::now();
        for event in batch {
            apply(&mut machine, event)?;
        }
        let ns = begin.elapsed().as_nanos() as f64;
        timing.ns += (ns - clock).max(0.0);
        timing.events += batch.len() as u64;
        if snapshot {
            let begin = Instant::now();
            black_box(machine.take());
            let ns = begin.elapsed().as_nanos() as f64;
            timing.takes.saturating_record((ns - clock).max(0.0).round() as u64);
        }
    }
    Ok(timing)
}

/// A second is more than any snapshot takes; 3 digits.
fn histogram() -> Result<Histogram<u64>, String> {
    Histogram::new_with_bounds(1, 1_000_000_000, 3).map_err(|why| why.to_string())
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
