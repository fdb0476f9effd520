//! The cells of a snapshot strategy.

use std::time::{Duration, Instant};

use snapshot_api::{
    Restore, Snapshot, Xid,
    measure::{Busy, Fault, Yardstick, Yardsticks},
};

use super::{
    beside,
    operation::{
        BEGIN_END, BESIDE_P50, BESIDE_P99, FRESH, FRESH_64, HOT, Operation, RUNNING, TRANSFER,
        UNCHANGED, UNIFORM,
    },
    rounds::{Batches, Middle, Pace, Round, middle, rounds},
    rows::{Place, Row},
    set_up::{Ready, Skipped},
};
use crate::clock::{self, nanos};

/// Most transactions or takes between two looks at the clock.
const BATCH: u64 = 64;
/// Most calls of something cheaper.
const MANY: u64 = 1_024;
/// Random ids of a uniform visibility cell: a megabyte, read from front to back.
const PROBES: usize = 1 << 17;
/// Of them so many at a time.
const CHUNK: usize = 4_096;

/// What a place is measured for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wanted {
    /// Visibility tests.
    pub(super) visibility: bool,
    /// Takes beside another core.
    pub(super) beside: bool,
}

impl Wanted {
    /// How many cells that is.
    pub(super) fn cells(self) -> u32 {
        4 + 2 * u32::from(self.visibility) + u32::from(self.beside)
    }
}

/// One place of one strategy.
pub(super) struct Cells<'a, S: Restore> {
    pub(super) strategy: &'static str,
    pub(super) ready: &'a mut Ready<S>,
    pub(super) pace: Pace,
    pub(super) seed: u64,
    pub(super) rows: &'a mut Vec<Row>,
    pub(super) skipped: &'a mut Vec<Skipped>,
}

impl<S: Restore> Cells<'_, S> {
    /// Measures all that is wanted. The snapshot is checked before and after each cell.
    pub(super) fn run(mut self, wanted: Wanted) -> Result<(), Fault> {
        self.ready.busy.check()?;
        if wanted.visibility {
            self.visibility(&HOT)?;
            self.visibility(&UNIFORM)?;
        }
        self.cell([(&RUNNING, 0)], [Yardstick::Copy], |busy, slice, clock| {
            let calls = fitting(slice, MANY, |calls| Ok(busy.export(calls)))?;
            Ok([batches(slice, clock, || Ok((busy.export(calls), calls)))?])
        })?;
        self.cell([(&UNCHANGED, 0)], [Yardstick::Load], |busy, slice, clock| {
            let calls = fitting(slice, MANY, |calls| Ok(busy.unchanged(calls)))?;
            Ok([batches(slice, clock, || Ok((busy.unchanged(calls), calls)))?])
        })?;
        let sticks = [Yardstick::Load, Yardstick::Copy, Yardstick::FetchAdd];
        self.cell([(&FRESH, 0), (&BEGIN_END, 1)], sticks, fresh)?;
        self.cell([(&FRESH_64, 0)], [Yardstick::Load, Yardstick::Copy], |busy, slice, clock| {
            let into_many = || Ok((busy.into_many(BATCH as usize)?, BATCH));
            Ok([batches(slice, clock, into_many)?])
        })?;
        if wanted.beside {
            let slice = self.pace.slice;
            let measured = rounds(self.pace, |_| beside::round(&mut self.ready.busy, slice))?;
            self.ready.busy.check()?;
            if measured.iter().all(Option::is_none) {
                let Place { window, distribution, .. } = self.ready.place;
                let why = format!("{} needs a core more than was free", BESIDE_P50.name);
                self.skipped.push(Skipped { strategy: self.strategy, window, distribution, why });
            }
            for (operation, place) in [(&BESIDE_P50, 0), (&BESIDE_P99, 1)] {
                let pairs = measured.iter().flatten().map(|round| Round {
                    ns: round.percentiles[place],
                    yardstick_ns: round.transfer,
                });
                self.push(operation, TRANSFER, middle(pairs));
            }
        }
        Ok(())
    }

    fn push(&mut self, operation: &Operation, yardstick: &'static str, middle: Option<Middle>) {
        let place = Some(self.ready.place);
        self.rows.extend(
            middle.map(|middle| Row::new(self.strategy, operation, yardstick, place, middle)),
        );
    }

    /// Measures what `timed` says, beside yardsticks, and makes a row for each operation against each of its own.
    fn cell<const N: usize, const M: usize>(
        &mut self,
        operations: [(&Operation, usize); N],
        sticks: [Yardstick; M],
        mut timed: impl FnMut(&mut Busy<S>, Duration, Duration) -> Result<[f64; N], Fault>,
    ) -> Result<(), Fault> {
        let (busy, pace) = (&mut self.ready.busy, self.pace);
        let mut yardsticks = Yardsticks::new(busy.running(), Vec::new());
        let clock = clock::own_time();
        let measured = rounds(pace, |first| {
            paired(
                first,
                || beside_it(&mut yardsticks, sticks, clock),
                || timed(busy, pace.slice, clock),
            )
        })?;
        busy.check()?;
        for (operation, value) in operations {
            for (at, stick) in sticks.iter().enumerate() {
                let name = stick.name();
                if operation.against.iter().any(|(against, _)| *against == name) {
                    let pairs = measured.iter().map(|(yardsticks, values)| Round {
                        ns: values[value],
                        yardstick_ns: yardsticks[at],
                    });
                    self.push(operation, name, middle(pairs));
                }
            }
        }
        Ok(())
    }

    /// Visibility tests and binary searches of the same ids.
    fn visibility(&mut self, operation: &Operation) -> Result<(), Fault> {
        let (busy, pace) = (&self.ready.busy, self.pace);
        let running = busy.running();
        let probes = probes(busy.value(), &running, operation == &HOT, self.seed);
        let is_in = |xid: &&Xid| running.binary_search(xid).is_ok();
        let expected: Vec<usize> =
            probes.chunks(CHUNK).map(|chunk| chunk.iter().filter(is_in).count()).collect();
        let mut yardsticks = Yardsticks::new(running.clone(), probes.clone());
        let clock = clock::own_time();
        let mut next = (0..expected.len()).cycle();
        let measured = rounds(pace, |first| {
            let test = || {
                batches(pace.slice, clock, || {
                    let at = next.next().unwrap_or_default();
                    let chunk = probes.chunks(CHUNK).nth(at).unwrap_or_default();
                    let (elapsed, hits) = busy.visibility(chunk);
                    if hits == expected[at] {
                        return Ok((elapsed, chunk.len() as u64));
                    }
                    let count = chunk.len();
                    Err(Fault::Wrong(format!("{hits} of {count} ids run, not {}", expected[at])))
                })
            };
            paired(first, || beside_it(&mut yardsticks, [Yardstick::Search], clock), test)
        })?;
        let pairs = measured.iter().map(|&([yardstick_ns], ns)| Round { ns, yardstick_ns });
        self.push(operation, Yardstick::Search.name(), middle(pairs));
        Ok(())
    }
}

/// A take that is fresh, and what makes it so.
fn fresh<S: Restore>(
    busy: &mut Busy<S>,
    slice: Duration,
    clock: Duration,
) -> Result<[f64; 2], Fault> {
    let turns = fitting(slice, BATCH, |turns| busy.fresh(turns).map(|(with, _)| with))?;
    let (mut with, mut without) = (Batches::default(), Batches::default());
    let start = Instant::now();
    loop {
        let pair = busy.fresh(turns)?;
        with.add(pair.0, turns);
        without.add(pair.1, turns);
        if start.elapsed() >= slice {
            return Ok([with.ns_beyond(&without), without.ns(clock)]);
        }
    }
}

/// The ids of a visibility cell.
fn probes(value: &impl Snapshot, running: &[Xid], hot: bool, seed: u64) -> Vec<Xid> {
    let mut random = fastrand::Rng::with_seed(seed);
    let (low, high) = (value.xmin().get(), value.xmax().get());
    let any = |random: &mut fastrand::Rng| Xid::new(random.u64(low..high.max(low + 1)));
    if !hot {
        return (0..PROBES).map(|_| any(&mut random)).collect();
    }
    let mut few: Vec<Xid> = (0..4).filter_map(|_| random.choice(running)).copied().collect();
    few.extend((0..4).map(|_| any(&mut random)));
    (0..CHUNK).map(|_| few[random.usize(0..few.len())]).collect()
}

/// Both, the yardstick first or second.
fn paired<A, B>(
    first: bool,
    mut yardstick: impl FnMut() -> A,
    operation: impl FnOnce() -> Result<B, Fault>,
) -> Result<(A, B), Fault> {
    let before = first.then(&mut yardstick);
    let value = operation()?;
    Ok((before.unwrap_or_else(yardstick), value))
}

/// Nanoseconds of each yardstick: some 50 µs each.
pub(super) fn beside_it<const M: usize>(
    yardsticks: &mut Yardsticks,
    sticks: [Yardstick; M],
    clock: Duration,
) -> [f64; M] {
    sticks.map(|stick| {
        let times = match stick {
            Yardstick::Load => 100_000,
            Yardstick::FetchAdd => 10_000,
            Yardstick::Copy | Yardstick::Search => CHUNK as u64,
        };
        let mut batch = Batches::default();
        batch.add(yardsticks.time(stick, times), times);
        batch.ns(clock)
    })
}

/// How many calls make a batch: as many as fit into half a slice, up to `most`.
fn fitting(
    slice: Duration,
    most: u64,
    mut timed: impl FnMut(u64) -> Result<Duration, Fault>,
) -> Result<u64, Fault> {
    let one = nanos(timed(1)?).max(1.0);
    Ok(((nanos(slice) / 2.0 / one) as u64).clamp(1, most))
}

/// Batches until the slice is over, at least one: nanoseconds a call.
pub(super) fn batches(
    slice: Duration,
    clock: Duration,
    mut batch: impl FnMut() -> Result<(Duration, u64), Fault>,
) -> Result<f64, Fault> {
    let mut all = Batches::default();
    let start = Instant::now();
    loop {
        let (elapsed, calls) = batch()?;
        all.add(elapsed, calls);
        if start.elapsed() >= slice {
            return Ok(all.ns(clock));
        }
    }
}
