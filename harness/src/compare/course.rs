//! The course of one measurement: its threads start together and end together.
//!
//! ```text
//!  start ──► warm-up ──┬─────────── duration ───────────┐
//!            not counted                                 over
//! ```
//!
//! Each thread works from the start on. What it did in the warm-up, when pages of a fresh instance are touched for the first time
//! and caches are cold, is forgotten when that is over.

use std::{
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    books::Books,
    cores::Cores,
    part::{Beside, Part},
};
use crate::replay::memory::Meter;

/// How one cell is measured.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How long the threads work before anything counts.
    pub warm_up: Duration,
    /// After that.
    pub duration: Duration,
    /// Threads that are measured. Those that make the load's background come on top.
    pub threads: usize,
    /// For everything random.
    pub seed: u64,
    /// Operations that are due a second, of all threads; none where each begins when the last is over.
    pub rate: Option<f64>,
    /// Whether a wrong answer counts. It does not for a strategy that is known to break a law, and stands there for
    /// comparison alone.
    pub checked: bool,
    /// Whether what takes time to check is checked too: not while something is timed.
    pub thorough: bool,
    /// Whether each thread stays on a core of its own.
    pub pinned: bool,
}

impl Settings {
    /// Operations one after another from the start on, and every wrong answer counts.
    pub fn new(duration: Duration, threads: usize, seed: u64) -> Self {
        Settings {
            warm_up: Duration::ZERO,
            duration,
            threads,
            seed,
            rate: None,
            checked: true,
            thorough: false,
            pinned: false,
        }
    }
}

/// Parts of a measurement's time that are no seconds: a multiple of three, so that the middle third is some of them.
const SHORT_PARTS: usize = 12;

/// The clock and the flag that all threads of a measurement share.
#[derive(Debug)]
pub struct Course {
    start: Barrier,
    over: AtomicBool,
    settings: Settings,
    intervals: usize,
}

impl Course {
    pub(super) fn new(settings: Settings, threads: usize) -> Self {
        let seconds = settings.duration.as_secs() as usize;
        Course {
            start: Barrier::new(threads),
            over: AtomicBool::new(false),
            settings,
            intervals: if seconds < SHORT_PARTS { SHORT_PARTS } else { seconds },
        }
    }

    /// Whether the time is up.
    #[inline]
    pub fn is_over(&self) -> bool {
        // Relaxed: one operation more does no harm.
        self.over.load(Ordering::Relaxed)
    }

    /// How the cell is measured.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// How long the time that counts has lasted, so long after the start; none in the warm-up.
    #[inline]
    pub fn counted(&self, since_start: Duration) -> Option<Duration> {
        since_start.checked_sub(self.settings.warm_up)
    }

    /// From the start to the end.
    pub fn whole(&self) -> Duration {
        self.settings.warm_up + self.settings.duration
    }

    /// In how many parts the time is told: seconds, or twelfths where it is shorter than twelve.
    pub fn intervals(&self) -> usize {
        self.intervals
    }

    /// Which of so many equal parts of the time that counts this is.
    #[inline]
    pub fn part_of(&self, elapsed: Duration, parts: usize) -> usize {
        let all = self.settings.duration.as_nanos().max(1) as u64;
        ((elapsed.as_nanos() as u64).saturating_mul(parts as u64) / all).min(parts as u64 - 1)
            as usize
    }
}

/// What the threads of one measurement say.
#[derive(Debug)]
pub struct Told {
    /// Those that are measured.
    pub parts: Vec<Part>,
    /// The others.
    pub beside: Beside,
    /// From where the first measured thread's time counts to the last end.
    pub seconds: f64,
    /// How often a caller had to wait for another in that time.
    pub lock_waits: u64,
    /// Bytes that the threads allocated and did not free, their own books left out.
    pub held: i64,
}

/// A thread of a load: its number from 0, the course, and what it writes down.
pub type Thread<'a, P> = &'a (dyn Fn(usize, &Course, &mut P) + Sync);

/// Runs `background` on some threads and `measured` on others, from one start to one end: when the time is up, or all that are
/// measured have ended by themselves. Callers have had to wait so often for another, as `waits` counts.
pub fn run_threads(
    settings: Settings,
    waits: &dyn Fn() -> u64,
    (measured_threads, measured): (usize, Thread<'_, Part>),
    (background_threads, background): (usize, Thread<'_, Beside>),
) -> Told {
    let course = &Course::new(settings, measured_threads + background_threads);
    let keep = |number| settings.pinned && Cores::of_this_machine().keep(number, measured_threads);
    thread::scope(|scope| {
        let beside: Vec<_> = (0..background_threads)
            .map(|number| {
                scope.spawn(move || {
                    keep(measured_threads + number);
                    let (mut beside, mut meter) = (Beside::default(), Meter::default());
                    course.start.wait();
                    let start = Instant::now();
                    meter.run(|| background(number, course, &mut beside));
                    beside.lasted(start.elapsed());
                    (beside, meter.held())
                })
            })
            .collect();
        // Nobody sends anything: the channel is closed when all that are measured have ended.
        let (running, ended) = mpsc::channel::<()>();
        let parts: Vec<_> = (0..measured_threads)
            .map(|number| {
                let running = running.clone();
                scope.spawn(move || {
                    let _running = running;
                    keep(number);
                    let (mut part, mut meter) = (Part::new(course), Meter::default());
                    course.start.wait();
                    let (books, start) = (Books::of_this_thread(), Instant::now());
                    meter.run(|| measured(number, course, &mut part));
                    let end = Instant::now();
                    let start = part.book(books, (start, end));
                    (part, start, end, meter.held())
                })
            })
            .collect();
        drop(running);
        let _ = ended.recv_timeout(settings.warm_up);
        let before = waits();
        let _ = ended.recv_timeout(settings.duration);
        // Relaxed: the threads are joined below.
        course.over.store(true, Ordering::Relaxed);
        let parts: Vec<_> = parts.into_iter().map(join).collect();
        let mut told = Told {
            parts: Vec::new(),
            beside: Beside::default(),
            seconds: 0.0,
            lock_waits: waits() - before,
            held: 0,
        };
        for (beside, held) in beside.into_iter().map(join) {
            told.beside.add(beside);
            told.held += held;
        }
        let mut span: Option<(Instant, Instant)> = None;
        for (part, start, end, held) in parts {
            let (first, last) = span.unwrap_or((start, end));
            span = Some((first.min(start), last.max(end)));
            told.parts.push(part);
            told.held += held;
        }
        told.seconds = span.map_or(0.0, |(first, last)| (last - first).as_secs_f64());
        told
    })
}

fn join<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::compare::part::Spent;

    #[test]
    fn time_is_told_in_seconds_or_in_twelfths() {
        let intervals = |seconds| {
            Course::new(Settings::new(Duration::from_secs_f64(seconds), 1, 1), 1).intervals()
        };
        assert_eq!([0.1, 11.9, 12.0, 60.5].map(intervals), [12, 12, 12, 60]);
        let course = Course::new(Settings::new(Duration::from_millis(90), 1, 1), 1);
        let third = |millis| course.part_of(Duration::from_millis(millis), 3);
        assert_eq!([0, 29, 30, 59, 60, 89, 90, 1_000].map(third), [0, 0, 1, 1, 2, 2, 2, 2]);
    }

    /// The thread's own clock says when the warm-up is over; it goes on until something has counted, however late it began.
    #[test]
    fn what_is_done_in_the_warm_up_does_not_count() {
        let ms = Duration::from_millis;
        let settings = Settings { warm_up: ms(3), ..Settings::new(ms(6), 1, 1) };
        // Callers that waited before the start are nobody's here.
        let (all, waits) = (AtomicU64::new(0), AtomicU64::new(1_000));
        let told = run_threads(
            settings,
            &|| waits.load(Ordering::Relaxed),
            (1, &|_, course, part| {
                let start = Instant::now();
                while !course.is_over() || part.latency.is_empty() {
                    thread::yield_now();
                    part.ops += 1;
                    all.fetch_add(1, Ordering::Relaxed);
                    waits.fetch_add(2, Ordering::Relaxed);
                    part.took(course, start.elapsed(), ms(1), Spent::default());
                }
            }),
            (0, &|_, _, _| ()),
        );
        let (ops, all) = (told.parts[0].ops, all.load(Ordering::Relaxed));
        assert!(ops > 0 && ops < all, "{ops} of {all}");
        assert!(told.parts[0].latency.len() <= ops, "{} of {ops}", told.parts[0].latency.len());
        assert!(told.lock_waits <= 2 * all, "{} of {all}", told.lock_waits);
        assert_eq!(told.parts[0].slices.iter().map(|slice| slice.ops).sum::<u64>(), ops);
    }

    /// A thread that never gets so far has done nothing that counts.
    #[test]
    fn who_is_still_warming_up_at_the_end_has_done_nothing() {
        let settings =
            Settings { warm_up: Duration::from_secs(600), ..Settings::new(Duration::ZERO, 1, 1) };
        let one = |_, course: &Course, part: &mut Part| {
            part.ops = 5;
            part.took(course, Duration::ZERO, Duration::ZERO, Spent::default());
        };
        let told = run_threads(settings, &|| 0, (1, &one), (0, &|_, _, _| ()));
        assert_eq!(told.parts[0].ops, 0);
    }

    #[test]
    fn a_measurement_is_over_when_all_that_are_measured_have_ended() {
        let settings = Settings::new(Duration::from_secs(600), 2, 1);
        let told = run_threads(
            settings,
            &|| 0,
            (2, &|number, _, part| part.ops = number as u64 + 1),
            (1, &|_, course, beside| {
                while !course.is_over() {
                    thread::yield_now();
                }
                beside.done = 7;
            }),
        );
        assert!(told.seconds < 60.0, "nobody waits for the end of the time: {}", told.seconds);
        assert_eq!(told.parts.iter().map(|part| part.ops).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(told.beside.done, 7);
    }
}
