//! What open snapshots need stays, what they say stays, and nothing else is kept: decided with a store of versions.

use super::{SnapshotTracker, held::Held, law::Law, puppet::Random, scale};

/// What a commit wrote in one row, until a later one made it obsolete.
#[derive(Clone, Copy, Debug)]
struct Version {
    by: u64,
    obsolete_by: Option<u64>,
}

/// A snapshot and the commit whose version it must find in each row; 0 where there was none yet.
struct Kept<'a, T: SnapshotTracker> {
    held: Held<'a, T>,
    right: [u64; ROWS],
}

const ROWS: usize = 3;

/// A few rows with their versions, cleaned by the one rule: a version goes when the commit that made it obsolete lies below
/// the horizon. The newest version of a row is never obsolete, however far below it lies (cockroach 6573).
struct Store<'a, T: SnapshotTracker> {
    tracker: &'a T,
    rows: [Vec<Version>; ROWS],
    open: Vec<Kept<'a, T>>,
    /// What was done, for the message.
    done: Vec<String>,
}

impl<'a, T: SnapshotTracker> Store<'a, T> {
    fn new(tracker: &'a T) -> Self {
        Store { tracker, rows: [const { Vec::new() }; ROWS], open: Vec::new(), done: Vec::new() }
    }

    /// A commit that writes every row of which the bit is set.
    fn commit(&mut self, rows: u64) -> Result<(), String> {
        let chosen = |row: usize| rows >> row & 1 == 1;
        let written = &mut self.rows;
        let number = self.tracker.commit(|number| {
            for versions in written.iter_mut().enumerate().filter(|(row, _)| chosen(*row)) {
                if let Some(last) = versions.1.last_mut() {
                    last.obsolete_by = Some(number);
                }
                versions.1.push(Version { by: number, obsolete_by: None });
            }
        });
        self.done.push(format!("commit {number}"));
        self.look()
    }

    fn open(&mut self) -> Result<(), String> {
        let held = Held::open(self.tracker)?;
        let newest = |versions: &Vec<Version>| versions.last().map_or(0, |version| version.by);
        self.open.push(Kept { held, right: self.rows.each_ref().map(newest) });
        self.done.push("open".into());
        self.look()
    }

    fn close(&mut self, place: usize) -> Result<(), String> {
        drop(self.open.remove(place));
        self.done.push(format!("close the {}.", place + 1));
        self.look()
    }

    fn rollback(&mut self) -> Result<(), String> {
        self.tracker.rollback();
        self.done.push("rollback".into());
        self.look()
    }

    /// Removes what the horizon allows: of what nobody needs nothing is left.
    fn collect(&mut self) -> Result<(), String> {
        let horizon = self.tracker.horizon();
        for versions in &mut self.rows {
            versions.retain(|version| version.obsolete_by.is_none_or(|number| number >= horizon));
        }
        self.done.push(format!("remove below {horizon}"));
        self.look()?;
        for version in self.rows.iter().flatten() {
            let Some(number) = version.obsolete_by else { continue };
            if self.open.iter().all(|kept| kept.held.sees(number)) {
                return Err(self.told(format!(
                    "the version of commit {} is still there, but all {} open snapshots see commit {number}, which made \
                     it obsolete",
                    version.by,
                    self.open.len()
                )));
            }
        }
        Ok(())
    }

    /// Every open snapshot finds what it must find.
    fn look(&self) -> Result<(), String> {
        for (place, kept) in self.open.iter().enumerate() {
            for (row, versions) in self.rows.iter().enumerate() {
                let newest = versions.iter().rev().find(|version| kept.held.sees(version.by));
                let (found, right) = (newest.map_or(0, |version| version.by), kept.right[row]);
                if found != right {
                    return Err(self.told(format!(
                        "the {}. of the open snapshots needs the version of commit {right} in row {row}, and finds {}",
                        place + 1,
                        if found == 0 { "none".into() } else { format!("that of commit {found}") }
                    )));
                }
            }
        }
        Ok(())
    }

    fn told(&self, what: String) -> String {
        format!("after {}: {what}", self.done.join(", "))
    }
}

/// Cases 17 and 18: the version that a snapshot needs stays, also where it is older than the horizon (cockroach 6573) or
/// lies between two snapshots (slatedb 1376); a version that no open snapshot needs goes when the oldest one does.
pub fn what_is_needed_stays_the_rest_goes<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "what is needed stays, the rest goes");
    LAW.decide(between_two_snapshots(&new()));
    for seed in 0..scale(300) as u64 {
        LAW.decide(at_random(&new(), seed));
    }
}

/// Case 18 as it was reported: a version, a snapshot, two versions, another, a snapshot.
fn between_two_snapshots<T: SnapshotTracker>(tracker: &T) -> Result<(), String> {
    let mut store = Store::new(tracker);
    store.commit(1)?;
    store.open()?;
    for _ in 0..3 {
        store.commit(1)?;
    }
    store.open()?;
    store.commit(1)?;
    store.collect()?;
    store.close(0)?;
    store.collect()?;
    store.close(0)?;
    store.collect()
}

fn at_random<T: SnapshotTracker>(tracker: &T, seed: u64) -> Result<(), String> {
    let mut store = Store::new(tracker);
    let mut random = Random::new(seed);
    // Short ones first, so that what is found is short.
    for _ in 0..4 + seed / 8 {
        match random.below(8) {
            0 | 1 if store.open.len() < 4 => store.open()?,
            2 if !store.open.is_empty() => {
                let place = random.below(store.open.len() as u64) as usize;
                store.close(place)?;
            }
            3 => store.rollback()?,
            4 | 5 => store.collect()?,
            _ => store.commit(1 + random.below((1 << ROWS) - 1))?,
        }
    }
    store.collect()
}

/// A snapshot that is kept says the same about every number for as long as it is open, whatever commits, rolls back,
/// opens, closes and is collected meanwhile.
pub fn snapshot_never_changes<T: SnapshotTracker>(new: impl Fn() -> T) {
    const LAW: Law = Law::new("tracker law", "a snapshot never changes");
    const COMMITS: usize = 40;
    let tracker = new();
    // Numbers that will be given, and the gaps between them.
    let mut known: Vec<u64> = (0..4 * COMMITS as u64).collect();
    let mut kept: Vec<(Held<'_, T>, usize, Vec<bool>)> = Vec::new();
    for turn in 0..COMMITS {
        let number = tracker.commit(|_| {});
        known.extend([number - 1, number, number + 1]);
        if turn % 5 == 2 {
            tracker.rollback();
        }
        if turn % 8 == 7 {
            kept.remove(0);
        }
        if turn % 3 == 0 && kept.len() < 4 {
            let held = Held::open(&tracker).unwrap_or_else(|refused| LAW.broken(refused));
            let answers = held.answers(known.iter().copied());
            kept.push((held, known.len(), answers));
        }
        tracker.horizon();
        for (held, count, before) in &kept {
            let now = held.answers(known[..*count].iter().copied());
            if let Some(place) = (0..*count).find(|&place| now[place] != before[place]) {
                LAW.broken(format!(
                    "a snapshot said of commit {}: {}; now it says {}",
                    known[place], before[place], now[place]
                ));
            }
        }
    }
}
