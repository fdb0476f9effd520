//! The rows of a snapshot strategy.

use std::{
    cell::OnceCell,
    hint::black_box,
    time::{Duration, Instant},
};

use super::{
    churn::{Churn, Distribution, Turn},
    rows::{Bench, Label},
    yardstick::{COPY, FETCH_ADD, LOAD, RUNNING, SEARCH},
};
use crate::{Restore, Snapshot, Xid};

const WINDOWS: [u64; 4] = [256, 65_536, 1_000_000, 10_000_000];
const FIRST: Xid = Xid::new(1_000);

/// Measures every operation of one variant.
///
/// # Panics
///
/// When a snapshot is wrong: a benchmark of a wrong answer is worth nothing.
pub fn snapshot<S: Restore>(bench: &mut Bench, config: &S::Config) {
    for distribution in [Distribution::Clustered, Distribution::Uniform] {
        for window in WINDOWS {
            // Made by the first row that is not filtered out.
            let busy = OnceCell::new();
            let busy = || {
                busy.get_or_init(|| {
                    std::cell::RefCell::new(Busy::<S>::new(config, window, distribution))
                })
            };
            let name = name::<S>(config);
            let label = |operation, yardstick| Label {
                strategy: name.clone(),
                operation,
                place: format!("{distribution} {window}"),
                yardstick,
            };
            bench.row(label("take fresh", COPY), |times| busy().borrow_mut().take_fresh(times));
            let far = window >= 1_000_000;
            if window == 1_000_000 {
                bench.row(label("take fresh into 64", COPY), |times| {
                    busy().borrow_mut().take_into_many(times)
                });
            }
            if distribution == Distribution::Clustered && (window == 256 || window == 1_000_000) {
                bench.row(label("take unchanged", LOAD), |times| {
                    busy().borrow_mut().take_unchanged(times)
                });
                bench.row(label("begin + end", FETCH_ADD), |times| {
                    busy().borrow_mut().begin_end(times)
                });
            }
            if distribution == Distribution::Uniform && far {
                bench.row(label("visibility hit", SEARCH), |times| {
                    busy().borrow_mut().visibility(times, Probe::Hit)
                });
                bench.row(label("visibility miss", SEARCH), |times| {
                    busy().borrow_mut().visibility(times, Probe::Miss)
                });
                bench.row(label("visibility hot", SEARCH), |times| {
                    busy().borrow_mut().visibility(times, Probe::Hot)
                });
            }
        }
    }
}

fn name<S: Restore>(config: &S::Config) -> String {
    match S::restore(config, Xid::FROZEN, &[]) {
        Ok(strategy) => strategy.facts().name.into_owned(),
        Err(refused) => panic!("an empty state can always be restored: {refused}"),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Probe {
    Hit,
    Miss,
    Hot,
}

/// An instance with a full window, and the stream that keeps it full.
struct Busy<S: Restore> {
    subject: S,
    churn: Churn,
    value: S::Snapshot,
    script: Vec<Turn>,
}

/// Turns that are played between two looks at the clock.
const BATCH: u64 = 64;

impl<S: Restore> Busy<S> {
    fn new(config: &S::Config, window: u64, distribution: Distribution) -> Self {
        let subject = match S::restore(config, FIRST.prev(), &[]) {
            Ok(subject) => subject,
            Err(refused) => panic!("an empty state can always be restored: {refused}"),
        };
        let churn = Churn::new(FIRST, window, RUNNING, distribution);
        let value = subject.snapshot();
        let mut busy = Busy { subject, churn, value, script: Vec::new() };
        let mut left = window + window / 2;
        while left > 0 {
            let turns = left.min(4 * BATCH);
            busy.plan(turns);
            busy.script.iter().for_each(|turn| busy.play(turn));
            left -= turns;
        }
        busy.check();
        busy
    }

    fn plan(&mut self, turns: u64) {
        self.script.clear();
        self.script.extend(self.churn.by_ref().take(turns as usize));
    }

    #[inline]
    fn play(&self, turn: &Turn) {
        if let Err(refused) = self.subject.begin(turn.begin.0, turn.begin.1) {
            panic!("{} is refused: {refused}", turn.begin.1);
        }
        if let Some((session, xid)) = turn.end {
            self.subject.end(session, &[xid]);
        }
    }

    /// Sees that the strategy still knows what runs.
    fn check(&mut self) {
        self.subject.take(&mut self.value);
        let xmax = self.value.xmax();
        let right: Vec<Xid> = self.churn.running().filter(|&xid| xid < xmax).collect();
        assert!(self.value.running().eq(right.iter().copied()), "what is measured is wrong");
        assert!(right.iter().all(|&xid| self.value.is_running(xid)), "what is measured is wrong");
    }

    /// Time of (begin + end + take) less time of (begin + end), batch by batch.
    fn take_fresh(&mut self, times: u64) -> Duration {
        let (mut with, mut without) = (Duration::ZERO, Duration::ZERO);
        let mut left = times;
        while left > 0 {
            let turns = left.min(BATCH);
            self.plan(turns);
            let start = Instant::now();
            for turn in &self.script {
                self.play(turn);
                self.subject.take(&mut self.value);
                black_box(self.value.xmax());
            }
            with += start.elapsed();
            self.plan(turns);
            let start = Instant::now();
            self.script.iter().for_each(|turn| self.play(turn));
            without += start.elapsed();
            left -= turns;
        }
        self.check();
        with.saturating_sub(without)
    }

    /// One end, then 64 takes, each into a value of its own.
    fn take_into_many(&mut self, times: u64) -> Duration {
        let mut values: Vec<S::Snapshot> = (0..BATCH).map(|_| self.subject.snapshot()).collect();
        let mut taken = Duration::ZERO;
        let mut left = times;
        while left > 0 {
            self.plan(1);
            self.play(&self.script[0]);
            let turns = left.min(BATCH);
            let start = Instant::now();
            for value in &mut values[..turns as usize] {
                self.subject.take(value);
                black_box(value.xmax());
            }
            taken += start.elapsed();
            left -= turns;
        }
        self.check();
        taken
    }

    fn take_unchanged(&mut self, times: u64) -> Duration {
        self.subject.take(&mut self.value);
        let start = Instant::now();
        for _ in 0..times {
            black_box(&self.subject).take(black_box(&mut self.value));
        }
        let taken = start.elapsed();
        self.check();
        taken
    }

    fn begin_end(&mut self, times: u64) -> Duration {
        let mut elapsed = Duration::ZERO;
        let mut left = times;
        while left > 0 {
            let turns = left.min(4 * BATCH);
            self.plan(turns);
            let start = Instant::now();
            self.script.iter().for_each(|turn| self.play(turn));
            elapsed += start.elapsed();
            left -= turns;
        }
        self.check();
        elapsed
    }

    fn visibility(&mut self, times: u64, probe: Probe) -> Duration {
        const PROBES: usize = 4_096;
        self.check();
        let running: Vec<Xid> = self.value.running().collect();
        let (low, high) = (self.value.xmin().get(), self.value.xmax().get());
        let mut random = crate::dev::laws::Random::new(7);
        let probes: Vec<Xid> = (0..PROBES)
            .map(|_| match probe {
                Probe::Hit => running[random.below(running.len() as u64) as usize],
                Probe::Miss => Xid::new(low + random.below(high - low)),
                Probe::Hot => Xid::new(high - 1 - random.below(8)),
            })
            .filter(|xid| probe != Probe::Miss || running.binary_search(xid).is_err())
            .collect();
        let expected = probes.iter().filter(|&xid| running.binary_search(xid).is_ok()).count();
        let rounds = times.div_ceil(probes.len() as u64);
        let start = Instant::now();
        let mut hits = 0;
        for _ in 0..rounds {
            for &xid in &probes {
                hits += usize::from(black_box(&self.value).is_running(xid));
            }
        }
        let elapsed = start.elapsed();
        assert_eq!(hits, expected * rounds as usize, "what is measured is wrong");
        // A little more was done than asked for.
        elapsed.mul_f64(times as f64 / (rounds * probes.len() as u64) as f64)
    }
}
