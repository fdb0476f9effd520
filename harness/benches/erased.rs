//! What it costs to hide a strategy's type: each operation, by type and boxed, in turn.
//!
//! The batch by type runs right behind each boxed one, and the median of the paired ratios counts.
//!
//! `cargo bench -p harness --bench erased`

use std::{
    cell::RefCell,
    hint::black_box,
    marker::PhantomData,
    time::{Duration, Instant},
};

use snapshot_api::{
    BeginError, BoxedSnapshot, BoxedStrategy, Facts, Restore, RestoreError, SessionId, Snapshot,
    SnapshotStrategy, Xid,
    dev::bench::Criterion,
    measure::{Busy, Distribution, Fault},
};
use strategy_bitmap::HierarchicalBitmap;
use strategy_csn::{CsnConfig, CsnLog};

const RUNNING: u64 = 200;
const WINDOW: u64 = 65_536;
/// Row versions of a page.
const PAGE: usize = 61;
const SAMPLES: usize = 20;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
        .sample_size(SAMPLES)
        .configure_from_args();
    let mut rows = Vec::new();
    pairs::<CsnLog>(&mut criterion, &CsnConfig::default(), &mut rows);
    pairs::<HierarchicalBitmap>(&mut criterion, &(), &mut rows);
    criterion.final_summary();
    print!("{}", rows.concat());
}

/// `S` with its type hidden.
struct Hidden<S>(BoxedStrategy, PhantomData<fn() -> S>);

impl<S: Restore + 'static> Restore for Hidden<S> {
    type Config = S::Config;

    fn restore(config: &S::Config, latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let boxed = BoxedStrategy::new(S::restore(config, latest, running)?);
        // Hidden from the optimiser as well.
        Ok(Hidden(black_box(boxed), PhantomData))
    }
}

impl<S> SnapshotStrategy for Hidden<S> {
    type Snapshot = BoxedSnapshot;

    fn facts(&self) -> Facts {
        self.0.facts()
    }
    fn snapshot(&self) -> BoxedSnapshot {
        self.0.snapshot()
    }
    #[inline]
    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.0.begin(session, xid)
    }
    #[inline]
    fn end(&self, session: SessionId, tree: &[Xid]) {
        self.0.end(session, tree);
    }
    #[inline]
    fn take(&self, snapshot: &mut BoxedSnapshot) {
        self.0.take(snapshot);
    }
}

/// The same load on both, each operation timed in batches.
fn pairs<S: Restore + 'static>(
    criterion: &mut Criterion,
    config: &S::Config,
    rows: &mut Vec<String>,
) {
    let typed = RefCell::new(Bout::<S>::new(config));
    let boxed = RefCell::new(Bout::<Hidden<S>>::new(config));
    let name = typed.borrow().0.subject().facts().name.into_owned();
    for operation in Operation::ALL {
        let (mut ratios, mut nanos) = (Vec::new(), Vec::new());
        let mut group = criterion.benchmark_group(&name);
        group.bench_function(operation.name(), |bencher| {
            bencher.iter_custom(|times| {
                let hidden = boxed.borrow_mut().time(operation, times);
                let bare = typed.borrow_mut().time(operation, times);
                ratios.push(hidden.as_secs_f64() / bare.as_secs_f64());
                nanos.push(bare.as_secs_f64() * 1e9 / times as f64);
                hidden
            });
        });
        group.finish();
        if !ratios.is_empty() {
            let [ratio, bare] = [ratios, nanos].map(median);
            rows.push(format!(
                "{name:20} {:24} by type {bare:8.2} ns, boxed {:8.2} ns: {ratio:.2}\n",
                operation.name(),
                bare * ratio
            ));
        }
    }
}

/// Of the samples; those of the warm-up come first.
fn median(mut all: Vec<f64>) -> f64 {
    let mut measured = all.split_off(all.len().saturating_sub(SAMPLES));
    measured.sort_by(f64::total_cmp);
    measured[measured.len() / 2]
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    TakeUnchanged,
    TakeFresh,
    Hot,
    Page,
    BeginEnd,
    List,
}

impl Operation {
    const ALL: [Operation; 6] = [
        Operation::TakeUnchanged,
        Operation::TakeFresh,
        Operation::Hot,
        Operation::Page,
        Operation::BeginEnd,
        Operation::List,
    ];

    fn name(self) -> &'static str {
        match self {
            Operation::TakeUnchanged => "take unchanged",
            Operation::TakeFresh => "take fresh",
            Operation::Hot => "is_running hot",
            Operation::Page => "page of 61 tests",
            Operation::BeginEnd => "begin + end",
            Operation::List => "running(), 200 ids",
        }
    }
}

struct Bout<S: Restore>(Busy<S>, [Vec<Xid>; 2]);

fn right<T>(result: Result<T, Fault>) -> T {
    result.unwrap_or_else(|fault| panic!("what is measured is wrong: {fault}"))
}

impl<S: Restore> Bout<S> {
    fn new(config: &S::Config) -> Self {
        let mut busy = right(Busy::<S>::new(config, WINDOW, RUNNING, Distribution::Uniform));
        right(busy.turns(WINDOW + WINDOW / 2));
        Bout(busy, [const { Vec::new() }; 2])
    }

    fn time(&mut self, operation: Operation, times: u64) -> Duration {
        let Bout(busy, [hot, page]) = self;
        match operation {
            Operation::TakeUnchanged => busy.unchanged(times),
            // One end, then 64 takes, each into a value of its own.
            Operation::TakeFresh => {
                let takes = (0..times).step_by(64).map(|done| 64.min(times - done) as usize);
                takes.map(|takes| right(busy.into_many(takes))).sum()
            }
            Operation::BeginEnd => {
                let turns = (0..times).step_by(256).map(|done| 256.min(times - done));
                turns.map(|turns| right(busy.begin_end(turns))).sum()
            }
            Operation::List => busy.export(times),
            Operation::Hot | Operation::Page => {
                right(busy.check());
                let (low, high) = (busy.value().xmin().get(), busy.value().xmax().get());
                let mut random = fastrand::Rng::with_seed(7);
                let probes = match operation {
                    Operation::Hot => fill(hot, 4_096, || high - 1 - random.u64(..8)),
                    // Half of a page's rows are older than whatever runs.
                    _ => fill(page, PAGE, || random.u64(low.saturating_sub(high - low)..high)),
                };
                tests(busy, probes, times * if probes.len() == PAGE { PAGE as u64 } else { 1 })
            }
        }
    }
}

fn fill(ids: &mut Vec<Xid>, count: usize, mut next: impl FnMut() -> u64) -> &[Xid] {
    ids.clear();
    ids.extend((0..count).map(|_| Xid::new(next())));
    ids
}

/// So many visibility tests.
fn tests<S: Restore>(busy: &Busy<S>, probes: &[Xid], times: u64) -> Duration {
    let rounds = times.div_ceil(probes.len() as u64);
    let start = Instant::now();
    for _ in 0..rounds {
        black_box(busy.visibility(black_box(probes)).1);
    }
    // A little more was done than asked for.
    start.elapsed().mul_f64(times as f64 / (rounds * probes.len() as u64) as f64)
}
