//! When a commit becomes visible: whole, with its state, and before it returns.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{
    SnapshotTracker,
    crowd::{crowd, linger},
    held::Held,
    law::Law,
    scale,
    stage::Stage,
    stepped::{Act, Reader, every_interleaving},
};

/// Cases 3 and 10: a number is not published before the state that it stands for (orioledb 1061), and a snapshot is one
/// number with one state (redb 1432). What a snapshot reads when it is opened it reads until it is closed.
pub fn number_not_before_state<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "number not before state");
    LAW.decide(every_interleaving(
        &new,
        &[
            (Act::Commit(0), Act::Open),
            (Act::Commit(0), Act::CommitOpen(1)),
            (Act::Open, Act::Commit(0)),
        ],
        &[(Act::Commit(0), Act::Commit(1), Act::Open), (Act::Open, Act::Commit(0), Act::Open)],
        |reader: &Reader<'_, T>| reader.changed(),
    ));
    for round in 0..scale(100) as u64 {
        let stage = Stage::new(new());
        LAW.decide(crowd(
            round,
            (3, 400),
            &|random| {
                let reader = Reader::open(&stage)?;
                linger(random);
                reader.changed()
            },
            &[
                &|random| {
                    stage.commit(0, || linger(random));
                    Ok(())
                },
                &|random| {
                    stage.commit(1, || linger(random));
                    Ok(())
                },
            ],
        ));
    }
}

/// Case 9: a commit is seen in all its rows or in none (turso 5136, 5660), also when another one that began later returns
/// earlier.
pub fn commit_is_seen_whole<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "a commit is seen whole");
    LAW.decide(every_interleaving(
        &new,
        &[(Act::Commit(0), Act::Open), (Act::Commit(0), Act::CommitOpen(1))],
        &[(Act::Commit(0), Act::Commit(1), Act::Open), (Act::Open, Act::Commit(0), Act::Commit(1))],
        |reader: &Reader<'_, T>| reader.half(),
    ));
    for round in 0..scale(72) as u64 {
        let stage = Stage::new(new());
        LAW.decide(crowd(
            round,
            (4, 1_500),
            &|_| Reader::open(&stage)?.half(),
            &[
                &|random| {
                    stage.commit(0, || linger(random));
                    Ok(())
                },
                &|random| {
                    stage.commit(1, || linger(random));
                    Ok(())
                },
            ],
        ));
    }
}

/// Case 11: my commit returned, my next snapshot sees it (typedb 7254), and so does that of anybody who knows that it
/// returned.
pub fn own_commit_is_seen<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "own commit is seen");
    LAW.decide(every_interleaving(
        &new,
        &[(Act::Commit(0), Act::CommitOpen(1)), (Act::CommitOpen(0), Act::CommitOpen(1))],
        &[(Act::Commit(0), Act::CommitOpen(1), Act::Open)],
        |_: &Reader<'_, T>| Ok(()),
    ));
    for round in 0..scale(100) as u64 {
        let tracker = new();
        let returned = AtomicU64::new(0);
        LAW.decide(crowd(
            round,
            (4, 200),
            &|random| {
                let own = tracker.commit(|_| linger(random));
                // Acquire and Release: who learns of a number learns that its commit has returned.
                let known = returned.fetch_max(own, Ordering::AcqRel).max(own);
                let held = Held::open(&tracker)?;
                for number in [own, known] {
                    if !held.sees(number) {
                        return Err(format!(
                            "commit {number} has returned, a snapshot opened after that does not see it"
                        ));
                    }
                }
                Ok(())
            },
            &[],
        ));
    }
}
