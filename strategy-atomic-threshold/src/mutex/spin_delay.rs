//! PostgreSQL's spin-then-sleep policy (`s_lock.c`), apart from the lock that it serves.
//!
//! ```text
//!  spin × n   sleep 1 ms   spin × n   sleep 1..2 ms   spin × n   sleep 1..4 ms   …   above 1 s: 1 ms again
//!             └ × 1..2, at random ──────┘
//!  n: the thread's own, 100 at first; +100 after a wait without a sleep (≤ 1,000), −1 after one with (≥ 10)
//! ```

use std::{cell::Cell, time::Duration};

const DEFAULT_SPINS_PER_DELAY: u32 = 100;
const MIN_SPINS_PER_DELAY: u32 = 10;
const MAX_SPINS_PER_DELAY: u32 = 1000;
const MIN_SLEEP: Duration = Duration::from_millis(1);
const MAX_SLEEP: Duration = Duration::from_secs(1);

thread_local! {
    /// What this thread has learnt; PostgreSQL keeps it per process.
    static SPINS_PER_DELAY: Cell<u32> = const { Cell::new(DEFAULT_SPINS_PER_DELAY) };
    /// State of this thread's xorshift; zero before its first use.
    static RANDOM: Cell<u64> = const { Cell::new(0) };
}

/// One wait.
#[derive(Debug)]
pub(super) struct SpinDelay {
    spins_per_delay: u32,
    spins: u32,
    /// The last sleep; `None` if it has not slept.
    slept: Option<Duration>,
}

impl SpinDelay {
    /// A wait that starts from what this thread has learnt.
    pub(super) fn of_this_thread() -> Self {
        SpinDelay { spins_per_delay: SPINS_PER_DELAY.get(), spins: 0, slept: None }
    }

    /// To be called once a round: how long to sleep now, `None` if it should spin on.
    pub(super) fn next_sleep(&mut self) -> Option<Duration> {
        self.next_sleep_with(random_fraction)
    }

    fn next_sleep_with(&mut self, fraction: impl FnOnce() -> f64) -> Option<Duration> {
        self.spins += 1;
        if self.spins < self.spins_per_delay {
            return None;
        }
        self.spins = 0;
        let sleep = match self.slept.map(|last| last.mul_f64(1.0 + fraction())) {
            Some(longer) if longer <= MAX_SLEEP => longer,
            _ => MIN_SLEEP,
        };
        self.slept = Some(sleep);
        self.slept
    }

    /// The wait is over: teaches this thread how long to spin the next time.
    pub(super) fn learn(self) {
        SPINS_PER_DELAY.set(self.lesson());
    }

    fn lesson(&self) -> u32 {
        match self.slept {
            None => (self.spins_per_delay + 100).min(MAX_SPINS_PER_DELAY),
            Some(_) => (self.spins_per_delay - 1).max(MIN_SPINS_PER_DELAY),
        }
    }
}

/// From 0 to below 1. Threads differ, so that sleepers do not all wake at once; nothing else hangs on its quality.
fn random_fraction() -> f64 {
    RANDOM.with(|state| {
        let mut x = state.get();
        if x == 0 {
            // Threads keep their state at different addresses; an address is not zero.
            x = std::ptr::from_ref(state).addr() as u64;
        }
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        state.set(x);
        // The upper 53 bits, as many as the fraction of a double has.
        (x >> 11) as f64 / (1u64 << 53) as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleeps(delay: &mut SpinDelay, rounds: u32, fraction: f64) -> Vec<(u32, Duration)> {
        (1..=rounds)
            .filter_map(|n| delay.next_sleep_with(|| fraction).map(|time| (n, time)))
            .collect()
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn spins_a_hundred_rounds_then_sleeps_one_millisecond() {
        let mut delay = SpinDelay::of_this_thread();
        assert_eq!(sleeps(&mut delay, 199, 0.5), [(100, ms(1))]);
    }

    #[test]
    fn each_sleep_is_longer_and_beyond_a_second_they_start_again() {
        let mut delay = SpinDelay { spins_per_delay: 10, spins: 0, slept: None };
        let times: Vec<_> =
            sleeps(&mut delay, 120, 1.0).into_iter().map(|(_, t)| t.as_millis()).collect();
        assert_eq!(times, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1, 2]);
    }

    #[test]
    fn a_wait_without_a_sleep_teaches_to_spin_longer() {
        let delay = |spins_per_delay| SpinDelay { spins_per_delay, spins: 3, slept: None };
        assert_eq!([100, 950, 1000].map(|n| delay(n).lesson()), [200, 1000, 1000]);
    }

    #[test]
    fn a_wait_with_a_sleep_teaches_to_spin_a_little_less() {
        let delay = |spins_per_delay| SpinDelay { spins_per_delay, spins: 3, slept: Some(ms(1)) };
        assert_eq!([100, 11, 10].map(|n| delay(n).lesson()), [99, 10, 10]);
    }

    #[test]
    fn the_lesson_is_the_threads_own() {
        std::thread::scope(|scope| {
            let taught = scope.spawn(|| {
                SpinDelay::of_this_thread().learn();
                SpinDelay::of_this_thread().spins_per_delay
            });
            let other = scope.spawn(|| SpinDelay::of_this_thread().spins_per_delay);
            assert_eq!((taught.join().unwrap(), other.join().unwrap()), (200, 100));
        });
    }

    #[test]
    fn random_fractions_lie_between_zero_and_one_and_differ() {
        let drawn: Vec<f64> = (0..1000).map(|_| random_fraction()).collect();
        assert!(drawn.iter().all(|f| (0.0..1.0).contains(f)));
        assert!(drawn.iter().any(|&f| f < 0.1) && drawn.iter().any(|&f| f > 0.9));
    }
}
