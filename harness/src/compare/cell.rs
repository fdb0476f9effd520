//! [`Cell`]: a pairing under one point of a load.

use std::{fmt, rc::Rc};

use snapshot_api::{Restore, SnapshotStrategy, Standby, ThresholdStrategy};

use super::{
    course::Settings, long_transaction, loops::Loops, page_scan, replay, sample::Sample, sessions,
};
use crate::{
    loads::{Point, What},
    registry::{
        SnapshotVisitor, StandbyVisitor, ThresholdVisitor, Unknown, plays_standby, visit_snapshot,
        visit_standby, visit_threshold,
    },
};

/// One measurement on a fresh instance.
type Measure = Box<dyn Fn(&What, Settings) -> Result<Sample, String>>;

/// A pairing under one point of a load.
pub struct Cell {
    /// The point.
    pub point: Rc<Point>,
    /// Name of the snapshot strategy.
    pub snapshot: &'static str,
    /// Name of the threshold strategy.
    pub threshold: &'static str,
    measure: Measure,
}

impl Cell {
    /// The cell of two names; `None` where the strategy cannot be put under this load.
    ///
    /// # Errors
    ///
    /// Nothing has one of the names.
    pub fn new(
        point: &Rc<Point>,
        snapshot: &'static str,
        threshold: &'static str,
    ) -> Result<Option<Self>, Unknown> {
        let kind = point.what.kind();
        if kind.needs_standby() && !plays_standby(snapshot)? {
            return Ok(None);
        }
        let measure = match point.what {
            What::Replay(_) => visit_standby(snapshot, Replayed { threshold })??,
            _ => visit_snapshot(snapshot, Taken { threshold })??,
        };
        Ok(Some(Cell { point: Rc::clone(point), snapshot, threshold, measure }))
    }

    /// The cell of a strategy with a set-up of one's own, under any load but the replay; `names` are what its row is called.
    ///
    /// # Errors
    ///
    /// No threshold strategy is called that.
    pub fn of<S: Restore + 'static>(
        point: &Rc<Point>,
        names: (&'static str, &'static str),
        config: S::Config,
    ) -> Result<Self, Unknown> {
        let (snapshot, threshold) = names;
        let measure = visit_threshold(threshold, With { config, take: take::<S> })?;
        Ok(Cell { point: Rc::clone(point), snapshot, threshold, measure })
    }

    /// Measures once.
    ///
    /// # Errors
    ///
    /// The strategy could not be set up.
    pub fn measure(&self, settings: Settings) -> Result<Sample, String> {
        (self.measure)(&self.point.what, settings)
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} × {}", self.point.name, self.snapshot, self.threshold)
    }
}

/// Measures a strategy under any load but the replay.
///
/// # Errors
///
/// The strategy cannot be set up.
pub fn measure<S: Restore, T: ThresholdStrategy>(
    config: &S::Config,
    threshold: &T,
    what: &What,
    settings: Settings,
) -> Result<Sample, String> {
    with_loops::<S, T, _>(threshold, |loops| take(config, loops, what, settings))
}

/// The same of one that can play a standby, under any load.
///
/// # Errors
///
/// The strategy cannot be set up, or refuses what every standby has to do.
pub fn measure_standby<S: Standby, T: ThresholdStrategy>(
    config: &S::Config,
    threshold: &T,
    what: &What,
    settings: Settings,
) -> Result<Sample, String> {
    with_loops::<S, T, _>(threshold, |loops| follow(config, loops, what, settings))
}

fn take<S: Restore>(
    config: &S::Config,
    loops: &Loops<'_, S>,
    what: &What,
    settings: Settings,
) -> Result<Sample, String> {
    match what {
        What::PageScan(load) => page_scan::run(config, loops, load, settings),
        What::Standby(load) => long_transaction::run(config, loops, load, settings),
        What::Sessions(load) => sessions::run(config, loops, load, settings),
        What::Replay(_) => Err("a replay needs a standby".into()),
    }
}

fn with_loops<S: SnapshotStrategy, T: ThresholdStrategy, R>(
    threshold: &T,
    run: impl FnOnce(&Loops<'_, S>) -> R,
) -> R {
    run(&Loops {
        threshold,
        session: &|work, place, course, part| work.run(threshold, place, course, part),
        scan: &|scanner, number, course, part| scanner.run(threshold, number, course, part),
    })
}

/// Makes the measurement of all loads but the replay.
struct Taken {
    threshold: &'static str,
}

impl SnapshotVisitor for Taken {
    type Output = Result<Measure, Unknown>;

    fn visit<S: Restore + 'static>(self, config: S::Config, _standby: bool) -> Self::Output {
        visit_threshold(self.threshold, With { config, take: take::<S> })
    }
}

/// Makes the measurement of the replay.
struct Replayed {
    threshold: &'static str,
}

impl StandbyVisitor for Replayed {
    type Output = Result<Measure, Unknown>;

    fn visit<S: Standby + 'static>(self, config: S::Config) -> Self::Output {
        visit_threshold(self.threshold, With { config, take: follow::<S> })
    }
}

fn follow<S: Standby>(
    config: &S::Config,
    loops: &Loops<'_, S>,
    what: &What,
    settings: Settings,
) -> Result<Sample, String> {
    match what {
        What::Replay(load) => replay::run(config, loops, load, settings),
        _ => take(config, loops, what, settings),
    }
}

/// Measures a strategy with the loops of a pairing.
type Take<S> =
    fn(&<S as Restore>::Config, &Loops<'_, S>, &What, Settings) -> Result<Sample, String>;

/// Meets a threshold with a strategy, whose loads do not know its type.
struct With<S: Restore> {
    config: S::Config,
    take: Take<S>,
}

impl<S: Restore + 'static> ThresholdVisitor for With<S> {
    type Output = Measure;

    fn visit<T: ThresholdStrategy + 'static>(self, new: fn() -> T) -> Measure {
        let With { config, take } = self;
        Box::new(move |what, settings| {
            with_loops::<S, T, _>(&new(), |loops| take(&config, loops, what, settings))
        })
    }
}
