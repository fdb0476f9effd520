//! The idle gate: whether the machine had its cores for us.
//!
//! Before and after a cell a short piece of arithmetic runs on every core at once. If the cores are ours, together they do
//! as much as one does alone times their number.

use std::{
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

/// Rounds of arithmetic: a few milliseconds.
const ROUNDS: u64 = 1_500_000;
/// Below so much of each core a cell is noisy.
const ENOUGH: f64 = 0.95;

/// Knows how long the arithmetic takes undisturbed.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    undisturbed: Duration,
    cores: usize,
}

impl Gate {
    /// How long one look takes, about.
    pub const TAKES: Duration = Duration::from_millis(4);

    /// Measures it on this machine: the fastest of some times.
    pub fn new() -> Self {
        let undisturbed = (0..10).map(|_| arithmetic()).min().unwrap_or(Duration::ZERO);
        Gate { undisturbed, cores: thread::available_parallelism().map_or(1, usize::from) }
    }

    /// How many cores are ours at the moment.
    pub fn effective_cores(&self) -> f64 {
        let shares = thread::scope(|scope| {
            let threads: Vec<_> = (0..self.cores).map(|_| scope.spawn(arithmetic)).collect();
            let share = |time: Duration| self.undisturbed.as_secs_f64() / time.as_secs_f64();
            threads.into_iter().filter_map(|thread| thread.join().ok()).map(share).sum::<f64>()
        });
        shares.min(self.cores as f64)
    }

    /// How many cores there are.
    pub fn cores(&self) -> usize {
        self.cores
    }

    /// Whether so many are enough to believe what is measured.
    pub fn is_open(&self, effective_cores: f64) -> bool {
        effective_cores >= ENOUGH * self.cores as f64
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

fn arithmetic() -> Duration {
    let start = Instant::now();
    let mut word = black_box(88_172_645_463_325_252_u64);
    for _ in 0..ROUNDS {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
    }
    black_box(word);
    start.elapsed()
}
