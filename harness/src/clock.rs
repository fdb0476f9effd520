//! What it costs to look at the clock.

use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

/// A time in nanoseconds.
pub(crate) fn nanos(time: Duration) -> f64 {
    time.as_secs() as f64 * 1e9 + f64::from(time.subsec_nanos())
}

/// The time between two looks at the clock with nothing between them, the median of some: what each batch takes too long.
pub(crate) fn own_time() -> Duration {
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

/// The same in nanoseconds, measured once.
pub(crate) fn own_nanos() -> f64 {
    static OWN: OnceLock<f64> = OnceLock::new();
    *OWN.get_or_init(|| nanos(own_time()))
}

/// Times between one look at the clock and the next, less what the look itself costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lap {
    last: Instant,
    own: f64,
}

impl Lap {
    /// From now on; a look costs so many nanoseconds.
    pub(crate) fn start(own: f64) -> Self {
        Lap { last: Instant::now(), own }
    }

    /// Nanoseconds since the last look.
    pub(crate) fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let time = nanos(now - self.last) - self.own;
        self.last = now;
        time.max(0.0)
    }

    /// When the last look was.
    pub(crate) fn last(&self) -> Instant {
        self.last
    }
}
