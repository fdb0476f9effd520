//! Strategies with one mistake each, and what a run makes of them.

use snapshot_api::{
    BeginError, CapacityExceeded, Facts, RestoreError, SessionId, Snapshot, SnapshotStrategy, Xid,
    dev::models::LockedSet,
};

use super::*;

const PLAN: Plan = Plan {
    windows: &[64, 1_000],
    far: 1_000,
    rounds: 3,
    total: Duration::from_millis(100),
    seed: 1,
};

/// `locked-set` but for one bug.
struct Buggy {
    bug: Bug,
    below: LockedSet,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Bug {
    #[default]
    None,
    /// From this id on the lowest running one is left out of the list.
    MissesTheOldest(u64),
    /// From this id on every second running id is not seen, nor is it in the list.
    SeesHalf(u64),
    /// From xmin on every second id is seen as running, whether it ended or not.
    SeesEnded,
    /// Has no place for more than so many ids.
    Full(usize),
}

struct Seen {
    bug: Bug,
    below: <LockedSet as SnapshotStrategy>::Snapshot,
}

impl Snapshot for Seen {
    fn xmin(&self) -> Xid {
        self.below.xmin()
    }
    fn xmax(&self) -> Xid {
        self.below.xmax()
    }
    fn is_running(&self, xid: Xid) -> bool {
        let is_blind = matches!(self.bug, Bug::SeesHalf(from) if xid.get() >= from);
        let is_even = xid.get().is_multiple_of(2);
        let is_ghost = self.bug == Bug::SeesEnded && is_even && xid >= self.xmin();
        is_ghost || self.below.is_running(xid) && !(is_blind && is_even)
    }
    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        let skip = matches!(self.bug, Bug::MissesTheOldest(from) if self.xmax().get() >= from);
        self.below.running().skip(usize::from(skip))
    }
}

impl SnapshotStrategy for Buggy {
    type Snapshot = Seen;

    fn facts(&self) -> Facts {
        self.below.facts()
    }
    fn snapshot(&self) -> Seen {
        Seen { bug: self.bug, below: self.below.snapshot() }
    }
    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        if let Bug::Full(limit) = self.bug {
            let mut now = self.below.snapshot();
            self.below.take(&mut now);
            if now.running().count() >= limit {
                return Err(CapacityExceeded { what: "places", limit }.into());
            }
        }
        self.below.begin(session, xid)
    }
    fn end(&self, session: SessionId, tree: &[Xid]) {
        self.below.end(session, tree);
    }
    fn take(&self, snapshot: &mut Seen) {
        self.below.take(&mut snapshot.below);
    }
}

impl Restore for Buggy {
    type Config = Bug;

    fn restore(bug: &Bug, latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        Ok(Buggy { bug: *bug, below: LockedSet::restore(&(), latest, running)? })
    }
}

/// Says nothing, and may ask for an end after so many steps.
struct Silent {
    steps: usize,
    end: Option<usize>,
}

impl Progress for Silent {
    fn step(&mut self, _next: &str) {
        self.steps += 1;
    }
    fn rows(&mut self, _rows: &[Row]) -> io::Result<()> {
        Ok(())
    }
    fn ends(&self) -> bool {
        self.end.is_some_and(|end| self.steps >= end)
    }
}

fn measure_until(bug: Bug, end: Option<usize>) -> Result<Measured, Fault> {
    let gate = Gate::new();
    let visitor = OneSnapshot {
        strategy: "buggy",
        plan: &PLAN,
        share: PLAN.total,
        cores: 1,
        gate: &gate,
        progress: &mut Silent { steps: 0, end },
    };
    visitor.visit::<Buggy>(bug, false)
}

fn measure(bug: Bug) -> Result<Measured, Fault> {
    measure_until(bug, None)
}

#[test]
fn whoever_asks_for_an_end_gets_the_places_until_then() {
    // The first step is the set-up, the second the first place.
    let Measured { rows, whole, .. } = measure_until(Bug::None, Some(2)).expect("nothing is wrong");
    assert!(!whole);
    assert!(rows.len() == 7 && rows.iter().all(|row| row.window == Some(64)), "{rows:?}");
    let nothing = |end| {
        let mut silent = Silent { steps: 0, end: Some(end) };
        costs(&["locked-set"], &["off"], &PLAN, &mut silent).expect("known")
    };
    assert_eq!((nothing(0).done, nothing(0).rows.len()), (0, 0));
}

#[test]
fn a_right_strategy_is_measured_everywhere() {
    let Measured { rows, skipped, whole } = measure(Bug::None).expect("nothing is wrong");
    assert_eq!(skipped, []);
    assert!(whole);
    // Four windows with seven rows each, two of them with visibility.
    assert_eq!(rows.len(), 4 * 7 + 2 * 2);
    assert!(rows.iter().all(|row| row.running.is_some_and(|running| running > 10)));
}

/// The set-up is right, the mistake shows up in what is timed.
#[test]
fn a_wrong_list_is_found_also_when_it_goes_wrong_late() {
    for from in [0, 1_000 + 1_000 + 500] {
        let fault = measure(Bug::MissesTheOldest(from)).expect_err("it is wrong");
        assert!(matches!(fault, Fault::Wrong(_)), "{fault}");
    }
}

#[test]
fn a_wrong_visibility_test_is_found() {
    let fault = measure(Bug::SeesHalf(0)).expect_err("it is wrong");
    assert!(fault.to_string().contains("is not seen"), "{fault}");
    let fault = measure(Bug::SeesEnded).expect_err("it is wrong");
    assert!(fault.to_string().contains(" ids run, not "), "{fault}");
}

#[test]
fn a_full_strategy_is_measured_where_it_can_be() {
    let Measured { rows, skipped, whole } = measure(Bug::Full(100)).expect("nothing is wrong");
    assert!(whole);
    let windows: Vec<u64> = skipped.iter().map(|skipped| skipped.window).collect();
    assert_eq!(windows, [1_000, 1_000]);
    assert!(skipped[0].why.contains("all 100 places are in use"), "{}", skipped[0].why);
    assert!(rows.iter().all(|row| row.window == Some(64)) && !rows.is_empty());
}

#[test]
fn slices_use_the_time_and_keep_their_bounds() {
    let slice = |millis, cells| slice(Duration::from_millis(millis), cells, &PLAN);
    // 36 ms for 4 cells of 3 rounds: 3 ms, of which three quarters run.
    assert_eq!(slice(36, 4), Duration::from_micros(2_250));
    assert_eq!(slice(0, 4), SLICE.0);
    assert_eq!(slice(60_000, 1), SLICE.1);
}
