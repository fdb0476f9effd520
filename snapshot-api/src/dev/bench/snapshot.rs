//! The rows of a snapshot strategy.

use std::{
    cell::{OnceCell, RefCell},
    time::Duration,
};

use super::rows::{Bench, Label};
use crate::{
    Restore, Snapshot, Xid,
    dev::laws::Random,
    measure::{Busy, Distribution, Fault, Yardstick},
};

/// How many ids run in every benchmark.
pub(super) const RUNNING: u64 = 200;
const WINDOWS: [u64; 4] = [256, 65_536, 1_000_000, 10_000_000];

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
            let busy =
                || busy.get_or_init(|| RefCell::new(Bout::<S>::new(config, window, distribution)));
            let name = name::<S>(config);
            let label = |operation, yardstick: Yardstick| Label {
                strategy: name.clone(),
                operation,
                place: format!("{distribution} {window}"),
                yardstick: yardstick.name(),
            };
            bench.row(label("take fresh", Yardstick::Copy), |times| {
                busy().borrow_mut().take_fresh(times)
            });
            let far = window >= 1_000_000;
            if window == 1_000_000 {
                bench.row(label("take fresh into 64", Yardstick::Copy), |times| {
                    busy().borrow_mut().take_into_many(times)
                });
            }
            if distribution == Distribution::Clustered && (window == 256 || window == 1_000_000) {
                bench.row(label("take unchanged", Yardstick::Load), |times| {
                    busy().borrow_mut().take_unchanged(times)
                });
                bench.row(label("begin + end", Yardstick::FetchAdd), |times| {
                    busy().borrow_mut().begin_end(times)
                });
            }
            if distribution == Distribution::Uniform && far {
                bench.row(label("visibility hit", Yardstick::Search), |times| {
                    busy().borrow_mut().visibility(times, Probe::Hit)
                });
                bench.row(label("visibility miss", Yardstick::Search), |times| {
                    busy().borrow_mut().visibility(times, Probe::Miss)
                });
                bench.row(label("visibility hot", Yardstick::Search), |times| {
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

/// An instance with a full window, and each operation so often as criterion asks.
struct Bout<S: Restore>(Busy<S>);

/// Turns that are played between two looks at the clock.
const BATCH: u64 = 64;

fn right<T>(result: Result<T, Fault>) -> T {
    result.unwrap_or_else(|fault| panic!("what is measured is wrong: {fault}"))
}

/// `times` in batches of at most `most`.
fn batches(times: u64, most: u64) -> impl Iterator<Item = u64> {
    (0..times).step_by(most as usize).map(move |done| most.min(times - done))
}

impl<S: Restore> Bout<S> {
    fn new(config: &S::Config, window: u64, distribution: Distribution) -> Self {
        let mut bout = Bout(right(Busy::new(config, window, RUNNING, distribution)));
        right(bout.0.turns(window + window / 2));
        right(bout.0.check());
        bout
    }

    /// What `timed` says, if the strategy still knows what runs.
    fn checked(&mut self, timed: impl FnOnce(&mut Busy<S>) -> Duration) -> Duration {
        let elapsed = timed(&mut self.0);
        right(self.0.check());
        elapsed
    }

    /// Time of (begin + end + take) less time of (begin + end), batch by batch.
    fn take_fresh(&mut self, times: u64) -> Duration {
        self.checked(|busy| {
            let (mut with, mut without) = (Duration::ZERO, Duration::ZERO);
            for turns in batches(times, BATCH) {
                let pair = right(busy.fresh(turns));
                with += pair.0;
                without += pair.1;
            }
            with.saturating_sub(without)
        })
    }

    /// One end, then 64 takes, each into a value of its own.
    fn take_into_many(&mut self, times: u64) -> Duration {
        self.checked(|busy| {
            batches(times, BATCH).map(|values| right(busy.into_many(values as usize))).sum()
        })
    }

    fn take_unchanged(&mut self, times: u64) -> Duration {
        self.checked(|busy| busy.unchanged(times))
    }

    fn begin_end(&mut self, times: u64) -> Duration {
        self.checked(|busy| {
            batches(times, 4 * BATCH).map(|turns| right(busy.begin_end(turns))).sum()
        })
    }

    fn visibility(&mut self, times: u64, probe: Probe) -> Duration {
        const PROBES: usize = 4_096;
        right(self.0.check());
        let running = self.0.running();
        let (low, high) = (self.0.value().xmin().get(), self.0.value().xmax().get());
        let mut random = Random::new(7);
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
        let mut elapsed = Duration::ZERO;
        for _ in 0..rounds {
            let (time, hits) = self.0.visibility(&probes);
            assert_eq!(hits, expected, "what is measured is wrong");
            elapsed += time;
        }
        // A little more was done than asked for.
        elapsed.mul_f64(times as f64 / (rounds * probes.len() as u64) as f64)
    }
}
