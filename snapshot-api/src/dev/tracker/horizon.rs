//! Where the horizon lies: exactly, at any time, and never back.

use super::{
    SnapshotTracker,
    crowd::crowd,
    held::Held,
    law::Law,
    puppet::Random,
    scale,
    stage::Stage,
    stepped::{Act, Reader, between_all_steps, every_interleaving},
};

/// A tracker that nobody uses beside us, and all its commits.
pub(super) struct Alone<'a, T: SnapshotTracker> {
    pub(super) tracker: &'a T,
    commits: Vec<u64>,
}

impl<'a, T: SnapshotTracker> Alone<'a, T> {
    pub(super) fn new(tracker: &'a T) -> Self {
        Alone { tracker, commits: Vec::new() }
    }

    /// One more commit.
    pub(super) fn commit(&mut self) -> Result<u64, String> {
        let mut stamped = None;
        let number = self.tracker.commit(|number| stamped = Some(number));
        if stamped != Some(number) {
            return Err(format!("rows are stamped with {stamped:?}, but commit returns {number}"));
        }
        let last = self.commits.last().copied().unwrap_or(0);
        if number <= last {
            return Err(format!("commit {number} started when commit {last} had returned"));
        }
        self.commits.push(number);
        Ok(number)
    }

    /// Nothing that an open snapshot does not see lies below the horizon.
    pub(super) fn not_too_far(&self, open: &[&Held<'_, T>]) -> Result<(), String> {
        let horizon = self.tracker.horizon();
        let below = self.commits.iter().copied().filter(|&number| number < horizon);
        for number in below {
            if open.iter().any(|held| !held.sees(number)) {
                return Err(format!(
                    "the horizon is {horizon}: too far. What commit {number} made obsolete may be removed, but an open \
                     snapshot does not see that commit"
                ));
            }
        }
        Ok(())
    }

    /// Everything that all open snapshots see lies below the horizon.
    pub(super) fn not_too_near(&self, open: &[&Held<'_, T>]) -> Result<(), String> {
        let horizon = self.tracker.horizon();
        for &number in self.commits.iter().filter(|&&number| number >= horizon) {
            if open.iter().all(|held| held.sees(number)) {
                return Err(format!(
                    "the horizon is {horizon}: too near. What commit {number} made obsolete must stay, but {}",
                    match open.len() {
                        0 => "no snapshot is open".to_owned(),
                        count => format!("all {count} open snapshots see that commit"),
                    }
                ));
            }
        }
        Ok(())
    }
}

/// The commits of each scenario below.
const COMMITS: usize = 6;

/// Case 13: visible at `<` in one place and `<=` in another (matrixone 11677). A snapshot sees what had committed when it
/// was opened and nothing else; nothing that it does not see lies below the horizon.
pub fn boundary_is_one_rule<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "the boundary is one rule");
    LAW.decide(at_every_place(&new, |alone, held, place| {
        let answers = held.answers(alone.commits.iter().copied());
        for (number, (seen, at)) in alone.commits.iter().zip(answers.into_iter().zip(0..)) {
            if seen != (at < place) {
                return Err(format!(
                    "of commits {:?} the first {place} had returned when a snapshot was opened; it says of {number}: {}",
                    alone.commits,
                    if seen { "visible" } else { "not visible" }
                ));
            }
        }
        alone.not_too_far(&[held])
    }));
}

/// Case 16: a reader that sees commit N keeps what N itself made obsolete (redb 830). Only what commits made obsolete that
/// some open snapshot does not see has to stay.
pub fn reader_keeps_only_what_it_needs<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "a reader keeps only what it needs");
    LAW.decide(at_every_place(&new, |alone, held, _| alone.not_too_near(&[held])));
}

/// One snapshot after each number of commits, looked at after each later one.
fn at_every_place<T: SnapshotTracker>(
    new: &impl Fn() -> T,
    look: impl Fn(&Alone<'_, T>, &Held<'_, T>, usize) -> Result<(), String>,
) -> Result<(), String> {
    for place in 0..=COMMITS {
        let tracker = new();
        let mut alone = Alone::new(&tracker);
        for _ in 0..place {
            alone.commit()?;
        }
        let held = Held::open(&tracker)?;
        look(&alone, &held, place)?;
        for _ in place..COMMITS {
            alone.commit()?;
            look(&alone, &held, place)?;
        }
    }
    Ok(())
}

/// With several snapshots open the horizon is that of the oldest one, whatever the order in which they are closed; also
/// where two are of the same moment.
pub fn horizon_follows_the_oldest<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "the horizon follows the oldest snapshot");
    const OPEN: usize = 4;
    // Each order of closing: first any of four, then any of three, of two, and the last.
    for order in 0..24 {
        let tracker = new();
        let mut alone = Alone::new(&tracker);
        let mut open = Vec::new();
        let check = |alone: &Alone<'_, T>, open: &[Held<'_, T>]| {
            let open: Vec<&Held<'_, T>> = open.iter().collect();
            alone.not_too_far(&open).and_then(|()| alone.not_too_near(&open))
        };
        let mut play = || {
            for place in 0..OPEN {
                // The second and the third are of the same moment.
                if place != 2 {
                    alone.commit()?;
                }
                open.push(Held::open(&tracker)?);
                check(&alone, &open)?;
            }
            for choice in [order % 4, order / 4 % 3, order / 12, 0] {
                drop(open.remove(choice));
                check(&alone, &open)?;
                alone.commit()?;
                check(&alone, &open)?;
            }
            Ok(())
        };
        LAW.decide(play());
    }
}

/// Case 15: no snapshot was ever opened, and the horizon stands still (fjall 86). It follows the last commit, also past
/// transactions that were rolled back.
pub fn horizon_advances_without_snapshots<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "the horizon advances without snapshots");
    let tracker = new();
    let mut alone = Alone::new(&tracker);
    for turn in 0..100 {
        if turn % 8 == 5 {
            tracker.rollback();
        }
        LAW.decide(alone.commit().and_then(|_| alone.not_too_near(&[])));
    }
}

/// Case 14: the horizon goes back, by a rollback (orioledb 889) or by a snapshot that is just being registered. It rises
/// or stays.
pub fn horizon_never_goes_back<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "the horizon never goes back");
    for seed in 0..scale(200) as u64 {
        LAW.decide(at_random(new(), seed));
    }
    LAW.decide(every_interleaving(
        &new,
        &[
            (Act::Open, Act::Watch(0)),
            (Act::Open, Act::Collect(0)),
            (Act::Watch(0), Act::Watch(1)),
            (Act::Watch(0), Act::OpenClose),
        ],
        &[(Act::Open, Act::Watch(0), Act::Watch(1)), (Act::Watch(0), Act::Watch(1), Act::Open)],
        |reader: &Reader<'_, T>| reader.stage.watch(),
    ));
    LAW.decide(between_all_steps(
        &new,
        &[(Act::Open, Act::Watch(0)), (Act::Watch(0), Act::OpenClose)],
        |reader: &Reader<'_, T>| reader.stage.watch(),
    ));
    for round in 0..scale(192) as u64 {
        let stage = Stage::new(new());
        LAW.decide(crowd(
            round,
            (2, 3_000),
            &|_| Held::open(&stage.tracker).map(drop),
            &[&|_| stage.watch(), &|random| {
                if random.below(8) == 0 {
                    stage.tracker.rollback();
                } else {
                    stage.commit(0, || {});
                }
                stage.watch()
            }],
        ));
    }
}

fn at_random<T: SnapshotTracker>(tracker: T, seed: u64) -> Result<(), String> {
    let stage = Stage::new(tracker);
    let mut random = Random::new(seed);
    let mut open = Vec::new();
    let mut done = Vec::new();
    // Short ones first, so that what is found is short.
    for _ in 0..4 + seed / 8 {
        done.push(match random.below(4) {
            0 if open.len() < 4 => {
                open.push(Held::open(&stage.tracker)?);
                "open"
            }
            1 if !open.is_empty() => {
                drop(open.swap_remove(random.below(open.len() as u64) as usize));
                "close"
            }
            2 => {
                stage.tracker.rollback();
                "rollback"
            }
            _ => {
                stage.commit(0, || {});
                "commit"
            }
        });
        stage.watch().map_err(|what| format!("after {}: {what}", done.join(", ")))?;
    }
    Ok(())
}
