//! What one measurement of one cell yields, and how its threads are run.

use std::{
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use hdrhistogram::Histogram;

/// How long and with how many threads a cell is measured.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// From the start of the first measured thread on.
    pub duration: Duration,
    /// Threads that are measured. Those that make the load's background come on top.
    pub threads: usize,
    /// For everything random.
    pub seed: u64,
}

/// What one measurement of one cell yields.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Operations of all threads a second.
    pub ops_per_s: f64,
    /// Share of the threads' time in `take`, 0 to 1.
    pub take_share: f64,
    /// How often a caller had to wait for another, in snapshots and thresholds.
    pub lock_waits: u64,
    /// Time of single operations, in nanoseconds; one in some is looked at.
    pub latency: Histogram<u64>,
    /// Throughput while the long transaction is open over that before and after; for loads that have one.
    pub while_open: Option<f64>,
    /// Answers that were wrong. One is enough to drop the pairing.
    pub wrong: Vec<String>,
}

/// What one thread has to say.
#[derive(Clone, Debug)]
pub struct Part {
    /// Operations done.
    pub ops: u64,
    /// Those done in each third of the time.
    pub thirds: [u64; 3],
    /// Nanoseconds in `take`, of [`looked_at`](Self::looked_at).
    pub take_ns: u64,
    /// Nanoseconds that were looked at.
    pub looked_at: u64,
    /// Time of single operations.
    pub latency: Histogram<u64>,
    /// The first wrong answer.
    pub wrong: Option<String>,
}

/// Longest time of one operation that the histogram tells apart; longer ones count as this.
const LONGEST_NS: u64 = 60_000_000_000;

impl Default for Part {
    fn default() -> Self {
        Part { ops: 0, thirds: [0; 3], take_ns: 0, looked_at: 0, latency: latencies(), wrong: None }
    }
}

impl Part {
    /// Enters one operation's time.
    pub fn took(&mut self, time: Duration) {
        self.latency.saturating_record(nanos(time).max(1));
    }

    /// Remembers a wrong answer, if it is the first.
    pub fn is_wrong(&mut self, what: impl FnOnce() -> String) {
        self.wrong.get_or_insert_with(what);
    }
}

fn latencies() -> Histogram<u64> {
    // Two digits are enough for p50 and p99; the bounds are constants that are right.
    Histogram::new_with_bounds(1, LONGEST_NS, 2)
        .unwrap_or_else(|_| unreachable!("1 < 60 s, 2 digits"))
}

/// A duration in nanoseconds.
pub fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The clock and the flag that all threads of a cell share.
#[derive(Debug)]
pub struct Course {
    start: Barrier,
    over: AtomicBool,
    /// Stamped by the first through the barrier is not known; each thread stamps its own.
    duration: Duration,
}

impl Course {
    /// Whether the time is up.
    pub fn is_over(&self) -> bool {
        // Relaxed: one operation more does no harm.
        self.over.load(Ordering::Relaxed)
    }

    /// How long the cell is measured.
    pub fn duration(&self) -> Duration {
        self.duration
    }
}

/// Runs `background` on one thread and `measured` on `threads` others, from one start to one end. Returns what the measured
/// threads say, and the seconds from the first start to the last end.
pub fn run_threads(
    settings: Settings,
    background: impl FnOnce(&Course) + Send,
    measured: impl Fn(usize, &Course) -> Part + Sync,
) -> (Vec<Part>, f64) {
    let course = Course {
        start: Barrier::new(settings.threads + 2),
        over: AtomicBool::new(false),
        duration: settings.duration,
    };
    let (course, measured) = (&course, &measured);
    thread::scope(|scope| {
        let backdrop = scope.spawn(move || {
            course.start.wait();
            background(course);
        });
        let threads: Vec<_> = (0..settings.threads)
            .map(|number| {
                scope.spawn(move || {
                    course.start.wait();
                    let start = Instant::now();
                    let part = measured(number, course);
                    (part, start, Instant::now())
                })
            })
            .collect();
        course.start.wait();
        thread::sleep(settings.duration);
        // Relaxed: the threads are joined below.
        course.over.store(true, Ordering::Relaxed);
        let ended: Vec<_> = threads.into_iter().map(thread::ScopedJoinHandle::join).collect();
        if let Err(panic) = backdrop.join() {
            std::panic::resume_unwind(panic);
        }
        let mut parts = Vec::new();
        let mut span: Option<(Instant, Instant)> = None;
        for thread in ended {
            let (part, start, end) =
                thread.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let (first, last) = span.unwrap_or((start, end));
            span = Some((first.min(start), last.max(end)));
            parts.push(part);
        }
        let seconds = span.map_or(0.0, |(first, last)| (last - first).as_secs_f64());
        (parts, seconds)
    })
}

impl Sample {
    /// Adds up what the threads say.
    pub fn of(parts: Vec<Part>, seconds: f64, lock_waits: u64, has_long_transaction: bool) -> Self {
        let mut all = Part::default();
        let mut wrong = Vec::new();
        for part in parts {
            all.ops += part.ops;
            all.take_ns += part.take_ns;
            all.looked_at += part.looked_at;
            for (sum, third) in all.thirds.iter_mut().zip(part.thirds) {
                *sum += third;
            }
            // Histograms of the same bounds always add.
            let _ = all.latency.add(part.latency);
            wrong.extend(part.wrong);
        }
        let outside = (all.thirds[0] + all.thirds[2]) as f64 / 2.0;
        Sample {
            ops_per_s: all.ops as f64 / seconds.max(f64::MIN_POSITIVE),
            take_share: all.take_ns as f64 / (all.looked_at as f64).max(1.0),
            lock_waits,
            latency: all.latency,
            while_open: has_long_transaction.then(|| all.thirds[1] as f64 / outside.max(1.0)),
            wrong,
        }
    }
}
