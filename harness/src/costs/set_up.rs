//! Instances with a full window, one for each place that a strategy is measured at.
//!
//! Every id of a window really begins, and all but those that run really end: a restored instance would not hold what they
//! leave behind. Both distributions are played at the same time, on two cores; nothing is timed meanwhile.

use std::{
    panic::resume_unwind,
    thread,
    time::{Duration, Instant},
};

use snapshot_api::{
    BeginError, Restore,
    measure::{Busy, Distribution, Fault},
};

use super::rows::Place;
use crate::replay::memory::{Meter, is_counted};

/// Ids that run in windows that have room for them.
const RUNNING: u64 = 200;
/// Turns between two looks at the clock.
const STEP: u64 = 65_536;
/// After so many turns the rest of the window is reckoned from them.
const RECKON: u64 = 1_000_000;
/// Smaller windows are given up only after so many times the patience.
const FAR_TOO_LATE: u32 = 10;

/// An instance that is ready to be measured.
pub(super) struct Ready<S: Restore> {
    pub(super) place: Place,
    pub(super) busy: Busy<S>,
}

/// A place that a strategy was not brought to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
    /// Name of the strategy.
    pub strategy: &'static str,
    /// The window.
    pub window: u64,
    /// How ids would lie in it.
    pub distribution: &'static str,
    /// Why.
    pub why: String,
}

/// What became of one place.
pub(super) enum SetUp<S: Restore> {
    Ready(Ready<S>),
    Skipped(Skipped),
}

/// Instances for all windows, as many as can be played within `patience` each.
pub(super) fn set_up<S: Restore>(
    strategy: &'static str,
    config: &S::Config,
    windows: &[u64],
    patience: Duration,
) -> Result<Vec<SetUp<S>>, Fault> {
    let all = |distribution| -> Result<Vec<SetUp<S>>, Fault> {
        windows
            .iter()
            .map(|&window| full::<S>(strategy, config, window, distribution, patience))
            .collect()
    };
    thread::scope(|scope| {
        let uniform = scope.spawn(|| all(Distribution::Uniform));
        let mut places = all(Distribution::Clustered)?;
        places.extend(uniform.join().unwrap_or_else(|panic| resume_unwind(panic))?);
        Ok(places)
    })
}

fn full<S: Restore>(
    strategy: &'static str,
    config: &S::Config,
    window: u64,
    distribution: Distribution,
    patience: Duration,
) -> Result<SetUp<S>, Fault> {
    let name = match distribution {
        Distribution::Clustered => "clustered",
        Distribution::Uniform => "uniform",
    };
    let skipped = |why| Ok(SetUp::Skipped(Skipped { strategy, window, distribution: name, why }));
    let wanted = RUNNING.min(window / 4);
    let mut meter = Meter::default();
    let played = meter.run(|| -> Result<_, Fault> {
        let mut busy = Busy::<S>::new(config, window, wanted, distribution)?;
        let late = play(&mut busy, window, patience)?;
        busy.check()?;
        Ok((busy, late))
    });
    match played {
        Ok((busy, None)) => {
            let held = meter.held() - busy.load_bytes() as i64;
            let place = Place {
                window,
                running: busy.running().len() as u64,
                distribution: name,
                bytes_held: u64::try_from(held).ok().filter(|_| is_counted()),
            };
            Ok(SetUp::Ready(Ready { place, busy }))
        }
        Ok((_, Some(late))) => skipped(late),
        Err(Fault::Refused(_, BeginError::Full(full))) => skipped(full.to_string()),
        Err(fault) => Err(fault),
    }
}

/// Plays a window full; says what would take too long.
fn play<S: Restore>(
    busy: &mut Busy<S>,
    window: u64,
    patience: Duration,
) -> Result<Option<String>, Fault> {
    let start = Instant::now();
    let mut done = 0;
    while done < window {
        let turns = STEP.min(window - done);
        busy.turns(turns)?;
        done += turns;
        let so_far = start.elapsed();
        let at_end = so_far.mul_f64(window as f64 / done as f64);
        let is_late = so_far > patience * FAR_TOO_LATE || (done >= RECKON && at_end > patience);
        if done < window && is_late {
            return Ok(Some(format!(
                "{done} transactions took {:.2} s, the window would take {:.1} s",
                so_far.as_secs_f64(),
                at_end.as_secs_f64()
            )));
        }
    }
    Ok(None)
}
