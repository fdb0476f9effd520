//! All places for snapshots are taken.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{SnapshotTracker, held::Held, horizon::Alone, law::Law};

const LAW: Law = Law::new("tracker law", "all places taken is an error");
/// How many snapshots a tracker without a limit is asked for.
const MANY: usize = 1_000;

/// Case 21: all places are taken, and opening one more panics (meilisearch 2648). It is an error that says the limit, and
/// everything is as before: what is open stays, the horizon follows it, and a place that is given back can be used.
pub fn all_places_taken_is_an_error<T: SnapshotTracker>(new: impl Fn() -> T) {
    let tracker = new();
    LAW.decide(fill(&tracker, tracker.limit()));
}

fn fill<T: SnapshotTracker>(tracker: &T, limit: Option<usize>) -> Result<(), String> {
    let mut alone = Alone::new(tracker);
    alone.commit()?;
    let mut open = Vec::new();
    for place in 0..limit.unwrap_or(MANY) {
        let held = Held::try_open(tracker).map_err(|refused| {
            let limit = limit.map_or("none".to_owned(), |limit| limit.to_string());
            format!("{place} snapshots are open, the limit is {limit}, and one more is refused: {refused}")
        })?;
        open.push(held);
        if place % 8 == 0 {
            alone.commit()?;
        }
    }
    let holds = |alone: &Alone<'_, T>, open: &[Held<'_, T>]| {
        let open: Vec<&Held<'_, T>> = open.iter().collect();
        alone.not_too_far(&open).and_then(|()| alone.not_too_near(&open))
    };
    holds(&alone, &open)?;
    let Some(limit) = limit else { return Ok(()) };
    for _ in 0..3 {
        refuses(tracker, limit)?;
        let after = |what| format!("after one more snapshot was refused: {what}");
        holds(&alone, &open).map_err(after)?;
        alone.commit().map_err(after)?;
        holds(&alone, &open).map_err(after)?;
        drop(open.remove(open.len() / 2));
        holds(&alone, &open)?;
        open.push(
            Held::open(tracker).map_err(|what| format!("a place was given back, but {what}"))?,
        );
    }
    drop(open);
    alone.commit()?;
    holds(&alone, &[])
}

fn refuses<T: SnapshotTracker>(tracker: &T, limit: usize) -> Result<(), String> {
    let one_more = || Held::try_open(tracker).map(drop);
    match catch_unwind(AssertUnwindSafe(one_more)) {
        Err(_) => Err(format!("{limit} snapshots are open, and opening one more panics")),
        Ok(Ok(())) => {
            Err(format!("{limit} snapshots are open, the limit, but one more can be opened"))
        }
        Ok(Err(refused)) if !refused.to_string().contains(&limit.to_string()) => Err(format!(
            "{limit} snapshots are open, and the error for one more does not say that this is the limit: {refused}"
        )),
        Ok(Err(_)) => Ok(()),
    }
}
