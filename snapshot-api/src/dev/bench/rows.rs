//! [`Bench`]: one run, its criterion and the rows of its table.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::Criterion;

use super::{
    snapshot::RUNNING,
    table::{self, Row},
};
use crate::{
    Xid,
    dev::laws::Random,
    measure::{Yardstick, Yardsticks},
};

/// One benchmark run. The macros make it; a bench file that adds rows of its own gets it as an argument.
pub struct Bench {
    criterion: Criterion,
    rows: Vec<Row>,
    yardsticks: Yardsticks,
}

/// Samples of a row. Criterion warms up with a few calls more, which the table leaves out.
const SAMPLES: usize = 20;

/// Calls of the yardstick behind each sample: some microseconds, up to a millisecond.
const BESIDE: u64 = 20_000;

/// Every second probe is in the list; the order has no pattern that a branch predictor could learn.
fn yardsticks() -> Yardsticks {
    let mut random = Random::new(3);
    let mut probe = |turn: u64| match turn % 2 {
        0 => random.below(RUNNING) * 37,
        _ => random.below(RUNNING * 37),
    };
    let probes = (0..4_096).map(|turn| Xid::new(probe(turn))).collect();
    Yardsticks::new((0..RUNNING).map(|place| Xid::new(place * 37)).collect(), probes)
}

/// What a row is about.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) strategy: String,
    pub(super) operation: &'static str,
    pub(super) place: String,
    pub(super) yardstick: &'static str,
}

impl Bench {
    /// With the settings of this project, and what the command line says. Measures the yardsticks.
    pub fn new() -> Self {
        let criterion = Criterion::default()
            .warm_up_time(Duration::from_millis(100))
            .measurement_time(Duration::from_millis(300))
            .sample_size(SAMPLES)
            .configure_from_args();
        let mut bench = Bench { criterion, rows: Vec::new(), yardsticks: yardsticks() };
        bench.measure_yardsticks();
        bench
    }

    fn measure_yardsticks(&mut self) {
        for yardstick in Yardstick::ALL {
            let mut own = yardsticks();
            let label = Label {
                strategy: table::YARDSTICK.into(),
                operation: yardstick.name(),
                place: String::new(),
                yardstick: yardstick.name(),
            };
            self.row(label, |times| own.time(yardstick, times));
        }
    }

    /// A yardstick: rows that name it are shown as multiples of it.
    pub fn yardstick<R>(&mut self, name: &'static str, mut call: impl FnMut() -> R) {
        let label = Label {
            strategy: table::YARDSTICK.into(),
            operation: name,
            place: String::new(),
            yardstick: name,
        };
        self.row(label, |times| {
            let start = Instant::now();
            for _ in 0..times {
                black_box(call());
            }
            start.elapsed()
        });
    }

    /// A row of `strategy` timed call by call, to be compared with a yardstick of this run.
    pub fn call<R>(
        &mut self,
        strategy: &str,
        operation: &'static str,
        yardstick: &'static str,
        mut call: impl FnMut() -> R,
    ) {
        let label = Label { strategy: strategy.into(), operation, place: String::new(), yardstick };
        self.row(label, |times| {
            let start = Instant::now();
            for _ in 0..times {
                black_box(call());
            }
            start.elapsed()
        });
    }

    /// A row whose time for so many calls `timed` finds out itself.
    pub(super) fn row(&mut self, label: Label, mut timed: impl FnMut(u64) -> Duration) {
        let mut samples = Vec::new();
        let mut ratios = Vec::new();
        let yardsticks = &mut self.yardsticks;
        let mut group = self.criterion.benchmark_group(label.strategy.as_str());
        let id = if label.place.is_empty() {
            label.operation.to_owned()
        } else {
            format!("{} {}", label.operation, label.place)
        };
        group.bench_function(id, |bencher| {
            bencher.iter_custom(|times| {
                let elapsed = timed(times);
                let nanos = elapsed.as_secs_f64() * 1e9 / times as f64;
                samples.push(nanos);
                // The yardstick right behind it: the machine's speed changes from one second to the next.
                let beside = Yardstick::named(label.yardstick);
                if let Some(unit) = beside.map(|yardstick| yardsticks.time(yardstick, BESIDE)) {
                    ratios.push(nanos / (unit.as_secs_f64() * 1e9 / BESIDE as f64));
                }
                // Criterion cannot use a time of zero, which a difference of two times may be.
                elapsed.max(Duration::from_nanos(1))
            });
        });
        group.finish();
        if !samples.is_empty() {
            let measured = |mut all: Vec<f64>| all.split_off(all.len().saturating_sub(SAMPLES));
            self.rows.push(Row::new(label, measured(samples), measured(ratios)));
        }
    }

    /// Criterion's summary, and the table.
    pub fn finish(self) {
        self.criterion.final_summary();
        if let Some(table) = table::render(&self.rows) {
            println!("{table}");
        }
    }
}

impl Default for Bench {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Bench {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bench").field("rows", &self.rows).finish_non_exhaustive()
    }
}
