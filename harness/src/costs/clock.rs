//! What it costs to look at the clock.

use std::time::{Duration, Instant};

/// A time in nanoseconds.
pub(super) fn nanos(time: Duration) -> f64 {
    time.as_nanos() as f64
}

/// The time between two looks at the clock with nothing between them, the median of some: what each batch takes too long.
pub(super) fn own_time() -> Duration {
    const LOOKS: usize = 101;
    let mut times: Vec<Duration> = (0..LOOKS)
        .map(|_| {
            let start = Instant::now();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[LOOKS / 2]
}
