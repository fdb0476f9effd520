//! Checks while a load is timed: a snapshot or a threshold with a bug is found, and one without is not.

use std::time::Duration;

use harness::{
    compare::{
        cell::{measure, measure_standby},
        course::Settings,
        sample::Sample,
    },
    loads::{Overrides, What, built_in},
};
use snapshot_api::{
    BeginError, Facts, ListSnapshot, Off, Restore, RestoreError, SessionId, Snapshot,
    SnapshotStrategy, Standby, Threshold, ThresholdFacts, ThresholdStrategy, Timestamp, Xid,
    dev::models::{LockedSet, LockedThreshold},
    sync::{AtomicU64, Ordering},
};

/// More threads than cores: some scanner comes too late now and then.
fn crowded() -> Settings {
    Settings::new(Duration::from_millis(300), 6, 1)
}

/// A load that is built in, with its own parameters.
fn load(name: &str) -> What {
    let load = built_in(name).expect("it is built in");
    load.points(6).expect("its own parameters suit it")[0].what.clone()
}

/// Runs until something is wrong, a bounded number of times.
fn is_found(run: impl Fn() -> Sample) -> bool {
    (0..20).any(|_| !run().wrong.is_empty())
}

/// What the strategy below says, but for one bug.
struct Wrong {
    bug: Bug,
    below: LockedSet,
    takes: AtomicU64,
    ends: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Bug {
    #[default]
    None,
    /// The lowest running id is left out.
    MissesTheOldest,
    /// Now and then what ended last is not seen.
    TakesTooOld,
    /// One end in fifty is lost. What the primary says runs ends most of them later.
    LosesAnEnd,
}

impl SnapshotStrategy for Wrong {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        self.below.facts()
    }
    fn snapshot(&self) -> ListSnapshot {
        self.below.snapshot()
    }
    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.below.begin(session, xid)
    }
    fn end(&self, session: SessionId, tree: &[Xid]) {
        let turn = self.ends.fetch_add(1, Ordering::Relaxed);
        if self.bug == Bug::LosesAnEnd && turn % 50 == 49 {
            return;
        }
        self.below.end(session, tree);
    }
    fn take(&self, snapshot: &mut ListSnapshot) {
        let turn = self.takes.fetch_add(1, Ordering::Relaxed);
        if self.bug == Bug::TakesTooOld
            && !turn.is_multiple_of(1_000)
            && snapshot.xmax() > Xid::new(1_000)
        {
            return;
        }
        self.below.take(snapshot);
        if self.bug == Bug::MissesTheOldest {
            let (xmax, list) = (snapshot.xmax(), snapshot.running().skip(1).collect::<Vec<_>>());
            snapshot.refill(xmax).extend(list);
        }
    }
}

impl Restore for Wrong {
    type Config = Bug;

    fn restore(bug: &Bug, latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let below = LockedSet::restore(&(), latest, running)?;
        Ok(Wrong { bug: *bug, below, takes: AtomicU64::new(0), ends: AtomicU64::new(0) })
    }
}

impl Standby for Wrong {
    fn forget(&self, xids: &[Xid]) {
        self.below.forget(xids);
    }
    fn complete(&self, latest: Xid) {
        self.below.complete(latest);
    }
    fn prune(&self, below: Xid) {
        self.below.prune(below);
    }
}

/// A threshold that pruners follow and that no reader is told of.
#[derive(Default)]
struct TellsNobody(LockedThreshold);

impl ThresholdStrategy for TellsNobody {
    fn facts(&self) -> ThresholdFacts {
        self.0.facts()
    }
    fn timestamp(&self) -> Timestamp {
        Timestamp::ZERO
    }
    fn load(&self) -> Threshold {
        self.0.load()
    }
    fn advance(&self, to: Threshold) {
        self.0.advance(to);
    }
}

fn run<T: ThresholdStrategy>(bug: Bug, threshold: &T, name: &str) -> Sample {
    measure::<Wrong, T>(&bug, threshold, &load(name), crowded()).expect("an empty state")
}

#[test]
fn right_pairings_stay_right_under_a_crowd() {
    for _ in 0..3 {
        let threshold = LockedThreshold::default();
        assert_eq!(run(Bug::None, &threshold, "page-scan").wrong, [""; 0]);
        for name in
            ["page-scan", "standby-long-transaction", "select-only", "mixed", "simple-update"]
        {
            assert_eq!(run(Bug::None, &Off, name).wrong, [""; 0], "{name}");
        }
    }
}

/// Rows that a pruner removed are never accepted: here nobody tells the reader, and the scan finds it out.
#[test]
fn a_scan_that_accepts_pruned_rows_is_found() {
    // A snapshot older than the threshold's age needs a scanner that was off its core for so long, or a kept one.
    assert!(is_found(|| run(Bug::TakesTooOld, &TellsNobody::default(), "page-scan")));
}

#[test]
fn a_snapshot_that_misses_a_running_id_is_found() {
    for name in ["page-scan", "standby-long-transaction", "select-only", "mixed", "simple-update"] {
        assert!(is_found(|| run(Bug::MissesTheOldest, &Off, name)), "{name}");
    }
}

#[test]
fn a_snapshot_in_which_what_has_ended_still_runs_is_found() {
    for name in ["mixed", "simple-update"] {
        assert!(is_found(|| run(Bug::TakesTooOld, &Off, name)), "{name}");
    }
}

/// A recording of 36,812 events to its end, beside readers.
fn replayed(bug: Bug) -> Sample {
    let mut load = [built_in("replay").expect("it is built in")];
    let recording = ("recording".to_owned(), "w1_simple_update".to_owned());
    let change = Overrides { parameters: vec![recording], ..Overrides::default() };
    change.apply(&mut load).expect("it is built in too");
    let what = load[0].points(2).expect("they suit each other")[0].what.clone();
    let settings = Settings { thorough: true, ..Settings::new(Duration::from_secs(60), 2, 1) };
    measure_standby::<Wrong, Off>(&bug, &Off, &what, settings).expect("a standby")
}

#[test]
fn a_replay_that_loses_ends_is_found() {
    assert_eq!(replayed(Bug::None).wrong, [""; 0]);
    let wrong = replayed(Bug::LosesAnEnd).wrong;
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].ends_with(" events other ids run than should"), "{wrong:?}");
}
