//! Law 6: the visibility test, the list and the bounds agree, for every id.

use proptest::collection::vec;

use super::{
    SESSIONS, fresh,
    law::Law,
    mirror::{FAR, Mirror, on_random},
};
use crate::{Restore, Snapshot, Xid};

const LAW: Law = Law::new("law 6", "exact");

/// Law 6: `is_running(x)` agrees with `running()` and the two bounds for every x, and all agree with the oracle.
///
/// Reported as: visible at `<` in one place and `<=` in another (matrixone 11677).
pub fn exact<S: Restore>(config: &S::Config) {
    empty_value::<S>(config);
    let act = (0..SESSIONS as usize, 0..8_u32, 1..4_usize);
    on_random(LAW, 64, vec(act, 1..60), |script| {
        let mut mirror = Mirror::<S>::new(config);
        let mut value = mirror.subject.snapshot();
        for (session, what, size) in script {
            match what {
                0..=3 => mirror.begin(session, 0)?,
                _ => mirror.end(session, size),
            }
            mirror.compare(&mut value)?;
            agrees_with_itself(&value)?;
        }
        Ok(())
    });
}

/// Before its first take a value holds nothing as ended.
fn empty_value<S: Restore>(config: &S::Config) {
    let value = fresh::<S>(config).snapshot();
    LAW.check((value.xmin(), value.xmax()) == (Xid::FIRST_NORMAL, Xid::FIRST_NORMAL), || {
        format!(
            "an empty value has xmin {} and xmax {}, both should be 3",
            value.xmin(),
            value.xmax()
        )
    });
    LAW.decide(agrees_with_itself(&value));
}

fn agrees_with_itself(value: &impl Snapshot) -> Result<(), String> {
    let (xmin, xmax) = (value.xmin(), value.xmax());
    let running: Vec<Xid> = value.running().collect();
    if !running.is_sorted_by(|lower, higher| lower < higher) {
        return Err(format!("running() does not rise: {running:?}"));
    }
    if running.last().is_some_and(|&last| last >= xmax) {
        return Err(format!("running() goes beyond xmax {xmax}: {running:?}"));
    }
    if running.first().copied().unwrap_or(xmax) != xmin {
        return Err(format!("xmin is {xmin}, should be the lowest of {running:?} or xmax {xmax}"));
    }
    let around = xmin.get().saturating_sub(4)
        ..xmax.get().saturating_add(4).min(xmin.get().saturating_add(5_000));
    for id in around.chain(FAR).map(Xid::new) {
        let right = id >= xmax || running.binary_search(&id).is_ok();
        if value.is_running(id) != right {
            return Err(format!(
                "is_running({id}) is {}, but xmin {xmin}, xmax {xmax}, running {running:?}",
                !right
            ));
        }
    }
    Ok(())
}
