//! [`look`]: whether a strategy is right on a history, and how much it has to hold. No clock.

use std::any::Any;

use snapshot_api::{Snapshot, Standby};
use strategy_baseline::BooleanArray;
use strategy_shared_cache::{Private, Publish, SharedCache, Spin, Waiting};

use super::{
    History,
    memory::{Meter, is_counted},
    steps::Steps,
};
use crate::{
    locked_set::LockedSet,
    oracle::{Mismatch, Row, compare},
    standby::{Machine, Refused},
    trace::{Event, Lsn},
};

/// What there was to see.
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// Snapshots taken on the way.
    pub snapshots: u64,
    /// At the snapshots: distance from the oldest running id to the next one, in ids.
    pub window: Gauge,
    /// At the snapshots: how many running ids they list.
    pub running: Gauge,
    /// At the snapshots: places that a boolean array's reader walks over. Empty for other designs.
    pub span: Gauge,
    /// Bytes allocated; `None` where no allocator counts them.
    pub bytes: Option<Bytes>,
    /// What differs first from `locked-set`, or what was refused.
    pub difference: Option<String>,
}

/// Bytes that a machine, its strategy and one reader's snapshot hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes {
    /// At the end.
    pub end: i64,
    /// The most there ever were, for a moment at least.
    pub most: i64,
}

/// Some values: how many, their sum, the largest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Gauge {
    count: u64,
    sum: u64,
    max: u64,
}

impl Gauge {
    fn add(&mut self, value: u64) {
        self.count += 1;
        self.sum = self.sum.saturating_add(value);
        self.max = self.max.max(value);
    }

    /// The mean; `None` of no value.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The largest; `None` of no value.
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }
}

/// Lets the strategy `S` play the history, with `locked-set` beside it: after every so many events (0 for never) and at
/// the end both take a snapshot, which have to be equal. What comes after the first difference is not looked at.
///
/// ```
/// use harness::{locked_set::LockedSet, replay::{History, Input, look}};
///
/// let text = "0/28 init 9 9\n0/28 running_xacts 9 8 9 0 0 0\n0/60 assign 9\n0/68 assign 10\n0/A8 commit 10\n";
/// let history = History::read(&Input::new(text.as_bytes(), "example", None)?)?;
/// let looked = look::<LockedSet>(&history, (), 1);
/// assert_eq!(looked.difference, None);
/// assert_eq!(looked.window.max(), Some(2), "9 is the oldest running id, and 11 comes next");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn look<S: Standby + 'static>(history: &History, config: S::Config, every: usize) -> Looked {
    let mut looked = Looked::default();
    looked.difference = play::<S>(history, config, every, &mut looked).err();
    looked
}

fn play<S: Standby + 'static>(
    history: &History,
    config: S::Config,
    every: usize,
    looked: &mut Looked,
) -> Result<(), String> {
    let mut meter = Meter::default();
    let mut machine = meter
        .run(|| Machine::<S>::new(config, history.options()))
        .map_err(|why| why.to_string())?;
    let mut reference =
        Machine::<LockedSet>::new((), history.options()).map_err(|why| why.to_string())?;
    let mut row = Row::default();
    for event in history.events().take(history.before_ready()) {
        meter.run(|| apply(&mut machine, &event))?;
        apply(&mut reference, &event)?;
        row.lsn = event.lsn;
    }
    let mut steps = Steps::new(history, every);
    while let Some((batch, snapshot)) = steps.next() {
        meter.run(|| batch.iter().try_for_each(|event| apply(&mut machine, event)))?;
        batch.iter().try_for_each(|event| apply(&mut reference, event))?;
        row.lsn = batch.last().map_or(row.lsn, |event| event.lsn);
        if snapshot {
            equal(&mut machine, &mut reference, &mut row, &mut meter)?;
            looked.snapshots += 1;
            looked.window.add(row.next.get() - row.xmin.get());
            looked.running.add(row.xip.len() as u64);
            if let Some(span) = span(&**machine.instance()) {
                looked.span.add(span as u64);
            }
        }
    }
    equal(&mut machine, &mut reference, &mut row, &mut meter)?;
    looked.bytes = is_counted().then(|| Bytes { end: meter.held(), most: meter.most() });
    Ok(())
}

/// Bytes that a machine with the strategy `S` holds when it plays the history, with a snapshot after every so many events
/// (0 for never). `None` where no allocator counts them, or where the strategy refuses.
pub fn held<S: Standby>(history: &History, config: S::Config, every: usize) -> Option<Bytes> {
    let mut meter = Meter::default();
    let mut machine = meter.run(|| Machine::<S>::new(config, history.options())).ok()?;
    for event in history.events().take(history.before_ready()) {
        meter.run(|| apply(&mut machine, &event)).ok()?;
    }
    let mut steps = Steps::new(history, every);
    while let Some((batch, snapshot)) = steps.next() {
        meter.run(|| batch.iter().try_for_each(|event| apply(&mut machine, event))).ok()?;
        if snapshot {
            meter.run(|| machine.take().is_some());
        }
    }
    is_counted().then(|| Bytes { end: meter.held(), most: meter.most() })
}

pub(super) fn apply<S: Standby>(machine: &mut Machine<S>, event: &Event<'_>) -> Result<(), String> {
    machine.apply(event).map_err(|refused| refusal(event.lsn, &refused))
}

#[cold]
fn refusal(lsn: Lsn, refused: &Refused) -> String {
    match refused {
        Refused::Strategy(refusal) => format!("at {lsn}: {refusal}"),
        Refused::Trace(contradiction) => format!("at {lsn}: {contradiction}"),
    }
}

/// Takes a snapshot of both. `row` gets what is in them.
fn equal<S: Standby>(
    machine: &mut Machine<S>,
    reference: &mut Machine<LockedSet>,
    row: &mut Row,
    meter: &mut Meter,
) -> Result<(), String> {
    const NOT_READY: &str = "a standby that accepted queries does no longer";
    let view = reference.take().ok_or(NOT_READY)?;
    let snapshot = view.snapshot();
    (row.xmin, row.xmax) = (snapshot.xmin(), snapshot.xmax());
    row.xip.clear();
    row.xip.extend(snapshot.running());
    (row.suboverflowed, row.next) = (view.suboverflowed(), view.next().dense());
    let view = meter.run(|| machine.take()).ok_or(NOT_READY)?;
    match compare(&view, row) {
        None => Ok(()),
        Some(Mismatch { lsn, what, expected, got }) => {
            Err(format!("after {lsn}: {what}: locked-set has {expected}, it has {got}"))
        }
    }
}

/// The span of a boolean array, if it is one or a cache over one.
fn span(instance: &dyn Any) -> Option<usize> {
    let array = instance
        .downcast_ref::<BooleanArray>()
        .or_else(|| shared::<Private>(instance))
        .or_else(|| shared::<Spin>(instance))
        .or_else(|| shared::<Publish>(instance))?;
    Some(array.occupancy().span)
}

/// The array below a cache of this waiting policy.
fn shared<W: Waiting + 'static>(instance: &dyn Any) -> Option<&BooleanArray> {
    instance.downcast_ref::<SharedCache<BooleanArray, W>>().map(SharedCache::below)
}
