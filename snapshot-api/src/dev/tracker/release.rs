//! A snapshot is released once: by its holder, by another thread, by a panic. And a commit that panics leaves nothing.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    thread,
};

use super::{
    SnapshotTracker,
    crowd::{comes_back, crowd},
    held::Held,
    horizon::Alone,
    law::Law,
    scale,
};

/// Case 20, closing: each snapshot of a moment holds the horizon until itself is closed, on whatever thread, and no longer.
/// Closing one neither releases another nor leaves anything behind.
pub fn closing_releases_once<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "closing releases once");
    for elsewhere in [false, true] {
        let tracker = new();
        LAW.decide(close_one_by_one(&tracker, elsewhere));
    }
    for round in 0..scale(2) as u64 {
        let tracker = new();
        LAW.decide(crowd(
            round,
            (4, 300),
            &|_| {
                let held = Held::open(&tracker)?;
                tracker.commit(|_| {});
                drop(held);
                Ok(())
            },
            &[],
        ));
        let mut alone = Alone::new(&tracker);
        LAW.decide(alone.commit().and_then(|_| alone.not_too_near(&[])));
    }
}

fn close_one_by_one<T: SnapshotTracker>(tracker: &T, elsewhere: bool) -> Result<(), String> {
    const OF_ONE_MOMENT: usize = 3;
    let mut alone = Alone::new(tracker);
    for _ in 0..3 {
        alone.commit()?;
        let opened = (0..OF_ONE_MOMENT).map(|_| Held::open(tracker));
        let mut open = opened.collect::<Result<Vec<_>, String>>()?;
        while let Some(held) = open.pop() {
            alone.commit()?;
            if elsewhere {
                thread::scope(|scope| scope.spawn(|| drop(held)).join())
                    .unwrap_or_else(|cause| resume_unwind(cause));
            } else {
                drop(held);
            }
            let left: Vec<&Held<'_, T>> = open.iter().collect();
            let when = |what| {
                format!(
                    "of {OF_ONE_MOMENT} snapshots of one moment {} are open, the others were closed{}: {what}",
                    left.len(),
                    if elsewhere { " on other threads" } else { "" }
                )
            };
            alone.not_too_far(&left).and_then(|()| alone.not_too_near(&left)).map_err(when)?;
        }
    }
    Ok(())
}

/// Sees that a thread which panics for the law's sake does so without a word on the terminal.
fn panics(f: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(f));
}

fn on_purpose() -> ! {
    resume_unwind(Box::new("on purpose"))
}

/// A commit, a snapshot that sees it, and a horizon beyond it.
fn goes_on<T: SnapshotTracker>(tracker: &T) -> Result<(), String> {
    for _ in 0..3 {
        let mut alone = Alone::new(tracker);
        let own = alone.commit()?;
        let held = Held::open(tracker)?;
        if !held.sees(own) {
            return Err(format!("the next snapshot does not see commit {own}, which has returned"));
        }
        alone.not_too_near(&[&held])?;
        alone.commit()?;
        alone.not_too_far(&[&held])?;
        drop(held);
        alone.not_too_near(&[])?;
    }
    Ok(())
}

/// Case 20, holders: a thread panics while it holds a snapshot. It is released, other snapshots are not, and the tracker
/// goes on.
pub fn panic_of_a_holder_releases_its_snapshot<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "the panic of a holder releases its snapshot");
    let tracker = Arc::new(new());
    let mut alone = Alone::new(&*tracker);
    let mut play = || {
        alone.commit()?;
        let other = Held::open(&*tracker)?;
        thread::scope(|scope| {
            scope.spawn(|| {
                panics(|| {
                    let _held = Held::open(&*tracker);
                    tracker.commit(|_| {});
                    on_purpose();
                });
            });
        });
        alone.commit()?;
        alone.not_too_far(&[&other])?;
        drop(other);
        alone.not_too_near(&[])
    };
    let after = |what| format!("after a panic of a thread that held a snapshot: {what}");
    LAW.decide(play().map_err(after));
    LAW.decide(comes_back(&tracker, goes_on).map_err(after));
}

/// Case 20, committers: a commit panics half way, when it has its number and is stamping its rows (turso 6755). Its lock or
/// its number is released: later commits are seen, the horizon passes it, open snapshots keep what they need.
pub fn commit_that_panics_leaves_nothing<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "a commit that panics leaves nothing");
    let tracker = Arc::new(new());
    tracker.commit(|_| {});
    let after = |what| format!("after a panic in the middle of a commit: {what}");
    for _ in 0..3 {
        panics(|| {
            tracker.commit(|_| on_purpose());
        });
        LAW.decide(comes_back(&tracker, goes_on).map_err(after));
    }
    let beside_a_snapshot = |tracker: &T| {
        let mut alone = Alone::new(tracker);
        alone.commit()?;
        let held = Held::open(tracker)?;
        panics(|| {
            tracker.commit(|_| on_purpose());
        });
        alone.commit()?;
        alone.not_too_far(&[&held])?;
        drop(held);
        alone.not_too_near(&[])
    };
    LAW.decide(comes_back(&tracker, beside_a_snapshot).map_err(after));
}
