//! Strategies with one mistake each: `verify` finds every one of them.

use std::sync::{Mutex, PoisonError};

use harness::{
    locked_set::LockedSet,
    recordings::{BUILT_IN, Recording},
    verify::{Outcome, verify},
};
use snapshot_api::{
    BeginError, Facts, ListSnapshot, Restore, RestoreError, SessionId, Snapshot, SnapshotStrategy,
    Standby, Xid,
};

/// One mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Bug {
    #[default]
    None,
    /// Subtransactions do not leave with their top.
    EndsTheTopAlone,
    /// Ends outside the list are passed over, so that latest completed does not rise.
    EndDoesNotComplete,
    /// Latest completed becomes that of the last end.
    LatestGoesBack,
    ForgetDoesNothing,
    /// Forgetting ends.
    ForgetCompletes,
    CompleteDoesNothing,
    PruneDoesNothing,
    /// Takes out the oldest as well.
    PruneTakesOneMore,
    RestoreLosesTheList,
    RestoreLosesLatest,
    /// A gap's ids are not entered.
    BeginLosesEverySeventh,
    /// The list misses its last id.
    ListLacksTheLast,
    /// The list is right, the visibility test is not.
    TestErrsAtXmin,
    /// Half of a tree ends, then the other half.
    EndsInTwoSteps,
    /// Gives the snapshot of the time before.
    TakesTheOneBefore,
    /// Every second call adds an id that ended long ago.
    InventsNow,
    /// xmax is read, and something ends, and then the list.
    ListAfterXmax,
}

struct Buggy {
    bug: Bug,
    set: LockedSet,
    /// The lowest xmax that may be shown.
    latest: Mutex<Xid>,
    before: Mutex<ListSnapshot>,
}

/// A snapshot that may lie.
struct Lying {
    list: ListSnapshot,
    bug: Bug,
}

impl Snapshot for Lying {
    fn xmin(&self) -> Xid {
        self.list.xmin()
    }

    fn xmax(&self) -> Xid {
        self.list.xmax()
    }

    fn is_running(&self, xid: Xid) -> bool {
        self.list.is_running(xid) && !(self.bug == Bug::TestErrsAtXmin && xid == self.xmin())
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        self.list.running()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SnapshotStrategy for Buggy {
    type Snapshot = Lying;

    fn facts(&self) -> Facts {
        self.set.facts()
    }

    fn snapshot(&self) -> Lying {
        Lying { list: ListSnapshot::new(), bug: self.bug }
    }

    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        if self.bug == Bug::BeginLosesEverySeventh && xid.get().is_multiple_of(7) {
            return Ok(());
        }
        self.set.begin(session, xid)
    }

    fn end(&self, session: SessionId, tree: &[Xid]) {
        match self.bug {
            Bug::EndsTheTopAlone => self.set.end(session, &tree[..1]),
            Bug::EndDoesNotComplete => self.set.forget(tree),
            Bug::EndsInTwoSteps => {
                let (first, second) = tree.split_at(tree.len().div_ceil(2));
                self.set.end(session, second);
                for _ in 0..200 {
                    std::thread::yield_now();
                }
                self.set.end(session, first);
            }
            _ => self.set.end(session, tree),
        }
        *lock(&self.latest) = tree.iter().copied().max().unwrap();
    }

    fn take(&self, snapshot: &mut Lying) {
        let list = &mut snapshot.list;
        match self.bug {
            Bug::ListAfterXmax => {
                let mut early = ListSnapshot::new();
                self.set.take(&mut early);
                std::thread::yield_now();
                self.set.take(list);
                let kept: Vec<Xid> = list.running().filter(|xid| *xid < early.xmax()).collect();
                list.refill(early.xmax()).extend(kept);
            }
            Bug::TakesTheOneBefore => {
                let mut before = lock(&self.before);
                list.clone_from(&before);
                self.set.take(&mut before);
            }
            _ => self.set.take(list),
        }
        let mut running: Vec<Xid> = list.running().collect();
        match self.bug {
            Bug::ListLacksTheLast => drop(running.pop()),
            Bug::InventsNow if running.first().is_some_and(|xid| xid.get() % 2 == 0) => {
                running.insert(0, running[0].prev());
            }
            Bug::LatestGoesBack => {
                let xmax = lock(&self.latest).next().min(list.xmax());
                running.retain(|xid| *xid < xmax);
                list.refill(xmax);
            }
            _ => {}
        }
        let xmax = list.xmax();
        list.refill(xmax).extend(running);
    }
}

impl Restore for Buggy {
    type Config = Bug;

    fn restore(&bug: &Bug, latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let set = match bug {
            Bug::RestoreLosesTheList => LockedSet::restore(&(), latest, &[])?,
            Bug::RestoreLosesLatest => LockedSet::restore(&(), Xid::FROZEN, running)?,
            _ => LockedSet::restore(&(), latest, running)?,
        };
        Ok(Buggy {
            bug,
            set,
            latest: Mutex::new(Xid::LAST_NORMAL),
            before: Mutex::new(ListSnapshot::new()),
        })
    }
}

impl Standby for Buggy {
    fn forget(&self, xids: &[Xid]) {
        match self.bug {
            Bug::ForgetDoesNothing => {}
            Bug::ForgetCompletes => self.set.end(SessionId::new(0), xids),
            _ => self.set.forget(xids),
        }
    }

    fn complete(&self, latest: Xid) {
        if self.bug != Bug::CompleteDoesNothing {
            self.set.complete(latest);
        }
    }

    fn prune(&self, below: Xid) {
        match self.bug {
            Bug::PruneDoesNothing => {}
            Bug::PruneTakesOneMore => self.set.prune(below.next()),
            _ => self.set.prune(below),
        }
    }
}

fn outcome(bug: Bug, recording: &Recording, readers: usize) -> Outcome {
    verify::<Buggy>(recording, bug, readers).unwrap()
}

/// All but the large one, which tells nothing that the others do not. Small ones first.
fn recordings() -> impl Iterator<Item = &'static Recording> {
    [8, 6, 1, 3, 2, 7, 5, 4, 0].into_iter().map(|at| &BUILT_IN[at])
}

#[test]
fn without_a_bug_all_is_equal() {
    for recording in recordings() {
        for readers in [0, 2] {
            let outcome = outcome(Bug::None, recording, readers);
            assert!(outcome.is_equal(), "{}: {outcome:?}", recording.name());
        }
    }
}

/// Finds a difference in the rows, on some recording.
fn differs(bug: Bug) {
    let found = recordings().any(|recording| outcome(bug, recording, 0).first_mismatch.is_some());
    assert!(found, "{bug:?} is found in no recording");
}

/// Passes without readers, and does not with them.
fn differs_beside_readers(bug: Bug) {
    for recording in recordings() {
        assert!(outcome(bug, recording, 0).is_equal(), "{bug:?}: {}", recording.name());
    }
    // Where a schedule hides it once another one shows it: there are thousands of chances in each run.
    let found = (0..50)
        .any(|_| recordings().any(|recording| outcome(bug, recording, 3).first_wrong.is_some()));
    assert!(found, "{bug:?} is found by no reader");
}

macro_rules! bugs {
    ($check:ident: $($name:ident $bug:ident;)*) => {
        $(#[test]
        fn $name() {
            $check(Bug::$bug);
        })*
    };
}

bugs! { differs:
    ends_the_top_alone EndsTheTopAlone;
    end_does_not_complete EndDoesNotComplete;
    latest_goes_back LatestGoesBack;
    forget_does_nothing ForgetDoesNothing;
    forget_completes ForgetCompletes;
    complete_does_nothing CompleteDoesNothing;
    prune_does_nothing PruneDoesNothing;
    prune_takes_one_more PruneTakesOneMore;
    restore_loses_the_list RestoreLosesTheList;
    restore_loses_latest RestoreLosesLatest;
    begin_loses_every_seventh BeginLosesEverySeventh;
    list_lacks_the_last ListLacksTheLast;
    test_errs_at_xmin TestErrsAtXmin;
    takes_the_one_before TakesTheOneBefore;
    invents_now InventsNow;
}

bugs! { differs_beside_readers:
    ends_in_two_steps EndsInTwoSteps;
    list_after_xmax ListAfterXmax;
}
