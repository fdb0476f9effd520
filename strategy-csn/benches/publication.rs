//! Ends from many threads: three ways to give them numbers and to publish these in order, on a plain log of one entry an id.
//!
//! - *lock*: a short mutex around number, entry and publication. What [`strategy_csn::CsnLog`] does.
//! - *turn*: the number from a `fetch_add`, entries written side by side, then each waits for its predecessor's publication.
//! - *combining*: each leaves its id in a place of its own; whoever gets the lock ends all that are waiting, under one number.
//!
//! And *own log*, what an end would cost with a log for each session, where nothing is published in order: a `fetch_add` and a
//! store to a line of one's own. It bounds what any design can gain, and answers no snapshot by one number.
//!
//! The ways take turns, some rounds each; the median of the rounds counts. Threads beyond cores show what it costs that a
//! holder or a predecessor is not running, not contention.

use std::{
    hint::{black_box, spin_loop},
    sync::{
        Barrier, Mutex,
        atomic::{AtomicU64, Ordering::*},
    },
    thread,
    time::{Duration, Instant},
};

/// Entries of the log; ids beyond use them again.
const ENTRIES: usize = 1 << 16;
const MOST_THREADS: usize = 8;
const THREADS: [usize; 4] = [1, 2, 4, MOST_THREADS];

#[derive(Default)]
#[repr(align(128))]
struct Line(AtomicU64);

struct Log {
    published: Line,
    latest: Line,
    next: Line,
    entries: Box<[AtomicU64]>,
    lock: Mutex<()>,
    /// The id that a thread waits to have ended; 0 none.
    waiting: [Line; MOST_THREADS],
    own: [Line; MOST_THREADS],
}

impl Log {
    fn new() -> Self {
        Log {
            published: Line::default(),
            latest: Line::default(),
            next: Line::default(),
            entries: (0..ENTRIES).map(|_| AtomicU64::new(0)).collect(),
            lock: Mutex::new(()),
            waiting: Default::default(),
            own: Default::default(),
        }
    }

    fn write(&self, id: u64, number: u64) {
        self.entries[id as usize % ENTRIES].store(number, Release);
    }
}

type End = fn(&Log, usize, u64);

fn lock(log: &Log, _thread: usize, id: u64) {
    let _held = log.lock.lock().expect("nobody panics");
    let number = log.published.0.load(Relaxed) + 1;
    log.write(id, number);
    if id > log.latest.0.load(Relaxed) {
        log.latest.0.store(id, Release);
    }
    log.published.0.store(number, Release);
}

fn turn(log: &Log, _thread: usize, id: u64) {
    let before = log.next.0.fetch_add(1, AcqRel);
    log.write(id, before + 1);
    log.latest.0.fetch_max(id, Release);
    let mut rounds = 0;
    while log.published.0.load(Acquire) != before {
        rounds += 1;
        if rounds < 200 { spin_loop() } else { thread::yield_now() }
    }
    log.published.0.store(before + 1, Release);
}

fn combining(log: &Log, thread: usize, id: u64) {
    log.waiting[thread].0.store(id, Release);
    let mut rounds = 0;
    while log.waiting[thread].0.load(Acquire) != 0 {
        if let Ok(_held) = log.lock.try_lock() {
            let number = log.published.0.load(Relaxed) + 1;
            let (mut found, mut highest) = ([0; MOST_THREADS], log.latest.0.load(Relaxed));
            for (place, id) in log.waiting.iter().zip(&mut found) {
                *id = place.0.load(Acquire);
                if *id != 0 {
                    log.write(*id, number);
                    highest = highest.max(*id);
                }
            }
            log.latest.0.store(highest, Release);
            log.published.0.store(number, Release);
            for (place, id) in log.waiting.iter().zip(found) {
                if id != 0 {
                    place.0.store(0, Release);
                }
            }
        } else {
            rounds += 1;
            if rounds < 200 { spin_loop() } else { thread::yield_now() }
        }
    }
}

fn own_log(log: &Log, thread: usize, id: u64) {
    let number = log.next.0.fetch_add(1, AcqRel);
    log.own[thread].0.store(number + id, Release);
}

/// Nanoseconds from one end to the next, of all threads together.
fn measure(end: End, threads: usize, duration: Duration) -> f64 {
    let (log, start) = (&Log::new(), &Barrier::new(threads));
    let runs: Vec<(Instant, Instant, u64)> = thread::scope(|scope| {
        let runs: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    start.wait();
                    let (begin, mut ends) = (Instant::now(), 0);
                    while begin.elapsed() < duration {
                        for _ in 0..256 {
                            ends += 1;
                            end(log, thread, ends * threads as u64 + thread as u64);
                        }
                    }
                    (begin, Instant::now(), ends)
                })
            })
            .collect();
        runs.into_iter().map(|run| run.join().expect("no panic")).collect()
    });
    black_box(&log.entries);
    let ends: u64 = runs.iter().map(|run| run.2).sum();
    let published = log.published.0.load(Relaxed).max(log.next.0.load(Relaxed));
    assert!(published > 0 && published <= ends, "{published} numbers for {ends} ends");
    let begin = runs.iter().map(|run| run.0).min().expect("a thread ran");
    let over = runs.iter().map(|run| run.1).max().expect("a thread ran");
    (over - begin).as_secs_f64() * 1e9 / ends as f64
}

fn main() {
    let ways: [(&str, End); 4] =
        [("lock", lock), ("turn", turn), ("combining", combining), ("own log", own_log)];
    // `cargo test --benches` only wants to know that it runs.
    let (rounds, duration) = if std::env::args().any(|arg| arg == "--bench") {
        (7, Duration::from_millis(100))
    } else {
        (1, Duration::from_millis(1))
    };
    println!("ns from one end to the next, all threads together; {} cores", cores());
    println!("{:>8}  {}", "threads", ways.map(|(name, _)| format!("{name:>10}")).concat());
    for threads in THREADS {
        let mut times = vec![Vec::new(); ways.len()];
        for _ in 0..rounds {
            for ((_, end), times) in ways.iter().zip(&mut times) {
                times.push(measure(*end, threads, duration));
            }
        }
        let medians = times.into_iter().map(|mut times| {
            times.sort_by(f64::total_cmp);
            format!("{:>10.1}", times[times.len() / 2])
        });
        println!("{threads:>8}  {}", medians.collect::<String>());
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
