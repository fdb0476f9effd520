//! The gate: whether the machine had its cores for us, and how fast they were.
//!
//! Between any two measurements two short pieces of arithmetic run on every core at once:
//!
//! - A chain in which each step waits for the last. It takes longer where the thread loses its core to somebody: if the cores are
//!   ours, together they do as much as one alone times their number.
//! - A scan of a quarter of a megabyte with a branch at each word, as the loads are made of. A core is slower at it where another
//!   thread shares its caches and its branch predictor: on a virtual machine a neighbour's may, which no book of this system tells
//!   and a chain does not feel. So does a clock that changes its rate.
//!
//! The first closes the gate. The second is told: measurements beside each other in time are hit alike, and where it changes
//! often a ratio's interval is wider.

use std::{
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

use super::cores::Cores;

/// Steps of the chain: a millisecond or two.
const CHAIN: u64 = 750_000;
/// Words of the scan.
const WORDS: u64 = 32_768;
/// How often they are scanned: half a millisecond.
const SCANS: usize = 20;
/// Spreads counters over all bits.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Below so much of each core a cell is noisy.
const ENOUGH: f64 = 0.95;

/// Knows how long the two pieces take undisturbed.
#[derive(Clone, Debug)]
pub struct Gate {
    chain: Duration,
    scan: Duration,
    words: Vec<u64>,
    cores: usize,
}

/// What one look at the cores found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Look {
    /// How many cores were ours.
    pub cores: f64,
    /// How fast they were, of the fastest that the gate has seen at its start, 0 to 1.
    pub speed: f64,
}

impl Look {
    /// The worse of two.
    #[must_use]
    pub fn worse(self, other: Look) -> Self {
        Look { cores: self.cores.min(other.cores), speed: self.speed.min(other.speed) }
    }
}

impl Gate {
    /// How long one look takes, about.
    pub const TAKES: Duration = Duration::from_millis(2);

    /// Measures them on this machine: the fastest of some times.
    pub fn new() -> Self {
        // Bits that no pattern tells beforehand.
        let words: Vec<u64> = (0..WORDS).map(|place| place.wrapping_mul(ODD) >> 40).collect();
        let least = |times: usize, piece: &dyn Fn() -> Duration| (0..times).map(|_| piece()).min();
        Gate {
            chain: least(10, &chain).unwrap_or_default(),
            scan: least(40, &|| scan(&words)).unwrap_or_default(),
            words,
            cores: thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// Looks at all cores at once.
    pub fn look(&self) -> Look {
        let all = Cores::of_this_machine();
        let times: Vec<[Duration; 2]> = thread::scope(|scope| {
            let on = |number| {
                move || {
                    all.keep(number, self.cores);
                    [chain(), scan(&self.words)]
                }
            };
            let threads: Vec<_> = (0..self.cores).map(|number| scope.spawn(on(number))).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        self.judge(&times)
    }

    /// From the two times of each core.
    fn judge(&self, times: &[[Duration; 2]]) -> Look {
        let share = |of: Duration, time: Duration| {
            (of.as_secs_f64() / time.as_secs_f64().max(f64::MIN_POSITIVE)).min(1.0)
        };
        let cores = times.iter().map(|[time, _]| share(self.chain, *time)).sum();
        let speed: f64 = times.iter().map(|[_, time]| share(self.scan, *time)).sum();
        Look { cores, speed: speed / times.len().max(1) as f64 }
    }

    /// How many cores there are.
    pub fn cores(&self) -> usize {
        self.cores
    }

    /// Whether so many are enough to believe what is measured.
    pub fn is_open(&self, look: Look) -> bool {
        look.cores >= ENOUGH * self.cores as f64
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

/// Each step waits for the one before.
fn chain() -> Duration {
    let start = Instant::now();
    let mut word = black_box(88_172_645_463_325_252_u64);
    for _ in 0..CHAIN {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
    }
    black_box(word);
    start.elapsed()
}

/// A branch at each word.
fn scan(words: &[u64]) -> Duration {
    let start = Instant::now();
    let mut sum = 0_u64;
    for _ in 0..SCANS {
        for word in words {
            // Hidden, so that it stays a branch.
            match black_box(*word) {
                even if even & 4 == 0 => sum = sum.wrapping_add(even),
                odd => sum ^= odd >> 3,
            }
        }
    }
    black_box(sum);
    start.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_and_their_speed_are_shares_of_what_an_undisturbed_one_takes() {
        let ms = Duration::from_millis;
        let gate = Gate { chain: ms(4), scan: ms(1), words: Vec::new(), cores: 2 };
        let look = |times: [[u64; 2]; 2]| gate.judge(&times.map(|of_core| of_core.map(ms)));
        assert_eq!(look([[4, 1], [4, 1]]), Look { cores: 2.0, speed: 1.0 });
        assert_eq!(look([[3, 1], [4, 1]]), Look { cores: 2.0, speed: 1.0 }, "no core is two");
        let half = look([[4, 1], [8, 1]]);
        assert!(half == Look { cores: 1.5, speed: 1.0 } && !gate.is_open(half));
        let shared = look([[4, 2], [4, 2]]);
        assert!(shared == Look { cores: 2.0, speed: 0.5 } && gate.is_open(shared));
        assert_eq!(half.worse(shared), Look { cores: 1.5, speed: 0.5 });
    }

    #[test]
    fn a_look_finds_some_of_each_core() {
        let gate = Gate::new();
        let look = gate.look();
        assert!(look.cores > 0.0 && look.cores <= gate.cores() as f64, "{look:?}");
        assert!(look.speed > 0.0 && look.speed <= 1.0, "{look:?}");
    }
}
