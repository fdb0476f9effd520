//! A sorted list under one lock, right but for the bug that its configuration names.

use snapshot_api::{
    BeginError, CapacityExceeded, Costs, Facts, InstanceId, Memory, Progress, Restore,
    RestoreError, SessionId, Snapshot, SnapshotStrategy, Standby, Xid, check_order, highest_normal,
    restore_list, sync::Mutex,
};

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Bug {
    #[default]
    None,
    /// The list is read before xmax, under two locks.
    ListBeforeXmax,
    /// A tree ends one id after another, each under a lock of its own.
    TreeOneByOne,
    /// xmax is the id after the last one begun.
    XmaxAfterLastBegun,
    /// xmax does not count ids that ended below one that had ended before.
    XmaxFollowsLastEnd,
    /// Any id begins, also one that was seen as ended.
    BornLate,
    /// An id that was skipped runs for ever.
    SkippedIdRuns,
    /// A value is taken for current when xmax is the same.
    ReusedByXmax,
    /// A value is taken for current when the version is the same, whoever filled it.
    ReusedByVersionAlone,
    /// The id at xmax counts as ended.
    XmaxInclusive,
    /// Reserved ids run.
    ReservedRuns,
    /// Ending an absent id ends the next one above it.
    EndsTheNext,
    /// What the value held before stays in it.
    KeepsOldList,
    /// Every take makes a new list.
    TakeAllocates,
    /// When full, ids are dropped without a word.
    DropsWhenFull,
    /// When full, the oldest is thrown out and begin refuses all the same.
    EvictsWhenFull,
    /// Says that nobody waits.
    ClaimsLockFree,
    /// Waits are not counted.
    WaitsUncounted,
    /// Remembers all that ended.
    KeepsFinished,
    /// Remembers every take.
    KeepsTakes,
    /// A session holds 64 ids, the others are lost.
    LosesBurst,
    /// Looks an id up by its low 16 bits.
    Lapped,
    /// A restored id counts as often as it is named.
    RestoresTwice,
    /// Restored ids above latest completed are taken as ended.
    RestoresBelowLatest,
    /// Every other end is published with the next one.
    PublishesLate,
    /// Every third take shows what was before the last end.
    TakesWhatWas,
    /// Forgetting completes.
    ForgetCompletes,
    /// Forgetting forgets one id only.
    ForgetsOne,
    /// Completing sets latest completed, also back.
    CompleteLowers,
    /// Prunes the bound itself as well.
    PruneInclusive,
    /// Prunes one id after another, each under a lock of its own.
    PrunesOneByOne,
    /// Complete forgets what lies below.
    CompletePrunes,
}

#[derive(Debug)]
pub(crate) struct Toy {
    bug: Bug,
    instance: InstanceId,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    running: Vec<(Xid, SessionId)>,
    unpublished: Vec<Xid>,
    latest: Xid,
    /// Latest completed before the last end.
    before: Xid,
    turn: u64,
    last: Xid,
    last_begun: Xid,
    version: u64,
    finished: Vec<Xid>,
    takes: Vec<u64>,
}

/// A bounded toy has so many places.
const PLACES: usize = 2_000;

impl Toy {
    fn is(&self, bug: Bug) -> bool {
        self.bug == bug
    }

    fn remove(&self, state: &mut State, xid: Xid) {
        let place = if self.is(Bug::EndsTheNext) {
            state.running.iter().position(|own| own.0 >= xid)
        } else {
            state.running.iter().position(|own| own.0 == xid)
        };
        if let Some(place) = place {
            state.running.remove(place);
        }
        if self.is(Bug::KeepsFinished) {
            state.finished.push(xid);
        }
        state.version += 1;
    }
}

#[derive(Debug)]
pub(crate) struct ToySnapshot {
    bug: Bug,
    instance: InstanceId,
    version: u64,
    xmax: Xid,
    running: Vec<Xid>,
}

impl SnapshotStrategy for Toy {
    type Snapshot = ToySnapshot;

    fn facts(&self) -> Facts {
        let bounded = [Bug::DropsWhenFull, Bug::EvictsWhenFull].contains(&self.bug);
        let progress =
            if self.is(Bug::ClaimsLockFree) { Progress::LockFree } else { Progress::Blocking };
        Facts {
            name: format!("toy({:?})", self.bug).into(),
            source: "made to fail",
            costs: Costs {
                take: "O(running)",
                begin: "O(1)",
                end: "O(running)",
                is_running: "O(log running)",
            },
            readers: progress,
            writers: progress,
            unordered_begin: false,
            capacity: bounded.then_some(PLACES),
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> ToySnapshot {
        ToySnapshot {
            bug: self.bug,
            instance: InstanceId::NONE,
            version: 0,
            xmax: Xid::FIRST_NORMAL,
            running: Vec::new(),
        }
    }

    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        let mut state = self.state.lock();
        if self.is(Bug::BornLate) {
            if !xid.is_normal() {
                return Err(BeginError::NotNormal(xid));
            }
        } else {
            check_order(xid, state.last)?;
        }
        if state.running.len() == PLACES {
            match self.bug {
                Bug::DropsWhenFull => return Ok(()),
                Bug::EvictsWhenFull => {
                    state.running.remove(0);
                    return Err(CapacityExceeded { what: "places", limit: PLACES }.into());
                }
                _ => {}
            }
        }
        if self.is(Bug::SkippedIdRuns) && xid.get() < u64::MAX - 2 {
            for skipped in state.last.get() + 1..xid.get().min(state.last.get() + 8) {
                state.running.push((Xid::new(skipped), session));
            }
        }
        let held = state.running.iter().filter(|own| own.1 == session).count();
        if !(self.is(Bug::LosesBurst) && held >= 64) {
            state.running.push((xid, session));
            state.running.sort_unstable();
        }
        state.last = state.last.max(xid);
        state.last_begun = xid;
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let mut state = self.state.lock();
        for &xid in tree {
            if self.is(Bug::TreeOneByOne) {
                drop(state);
                state = self.state.lock();
            }
            if self.is(Bug::PublishesLate) && state.unpublished.is_empty() {
                state.unpublished = tree.to_vec();
                break;
            }
            self.remove(&mut state, xid);
        }
        if !tree.is_empty() && self.is(Bug::PublishesLate) && state.unpublished != tree {
            for xid in std::mem::take(&mut state.unpublished) {
                self.remove(&mut state, xid);
            }
        }
        if let Some(highest) = highest_normal(tree) {
            state.before = state.latest;
            state.latest =
                if self.is(Bug::XmaxFollowsLastEnd) { highest } else { state.latest.max(highest) };
            state.last = state.last.max(highest);
            state.version += 1;
        }
    }

    fn take(&self, snapshot: &mut ToySnapshot) {
        let mut state = self.state.lock();
        let mut xmax = state.latest.next();
        let current = match self.bug {
            Bug::ReusedByXmax => snapshot.instance == self.instance && snapshot.xmax == xmax,
            Bug::ReusedByVersionAlone => {
                snapshot.instance != InstanceId::NONE && snapshot.version == state.version
            }
            _ => false,
        };
        if current {
            return;
        }
        state.turn += 1;
        if self.is(Bug::TakesWhatWas) && state.turn.is_multiple_of(3) {
            xmax = state.before.next();
        }
        if self.is(Bug::XmaxAfterLastBegun) {
            xmax = xmax.max(state.last_begun.next());
        }
        if self.is(Bug::KeepsTakes) {
            state.takes.push(xmax.get());
        }
        snapshot.instance = self.instance;
        snapshot.version = state.version;
        if self.is(Bug::TakeAllocates) {
            snapshot.running = Vec::new();
        } else if !self.is(Bug::KeepsOldList) {
            snapshot.running.clear();
        }
        snapshot.running.extend(state.running.iter().map(|own| own.0));
        if self.is(Bug::ListBeforeXmax) {
            drop(state);
            state = self.state.lock();
            xmax = state.latest.next();
        }
        snapshot.xmax = xmax;
        snapshot.running.retain(|&xid| xid < xmax);
        snapshot.running.sort_unstable();
        if !self.is(Bug::RestoresTwice) {
            snapshot.running.dedup();
        }
    }

    fn lock_waits(&self) -> u64 {
        if self.is(Bug::WaitsUncounted) { 0 } else { self.state.waits() }
    }
}

impl Snapshot for ToySnapshot {
    fn xmin(&self) -> Xid {
        self.running.first().copied().unwrap_or(self.xmax)
    }

    fn xmax(&self) -> Xid {
        self.xmax
    }

    fn is_running(&self, xid: Xid) -> bool {
        match self.bug {
            Bug::XmaxInclusive if xid == self.xmax => return false,
            Bug::ReservedRuns if !xid.is_normal() => return true,
            Bug::Lapped if xid < self.xmax => {
                return self.running.iter().any(|own| own.get() as u16 == xid.get() as u16);
            }
            _ => {}
        }
        xid >= self.xmax || self.running.binary_search(&xid).is_ok()
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        self.running.iter().copied()
    }
}

impl Restore for Toy {
    type Config = Bug;

    fn restore(bug: &Bug, latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest, mut list) = restore_list(latest, running)?;
        let last = list.last().map_or(latest, |&xid| xid.max(latest));
        if *bug == Bug::RestoresTwice {
            list = running.to_vec();
            list.sort_unstable();
        }
        if *bug == Bug::RestoresBelowLatest {
            list.retain(|&xid| xid <= latest);
        }
        if list.len() > PLACES && *bug == Bug::DropsWhenFull {
            return Err(CapacityExceeded { what: "places", limit: PLACES }.into());
        }
        let running = list.into_iter().map(|xid| (xid, SessionId::new(0))).collect();
        let state = State { running, latest, last, ..State::default() };
        Ok(Toy { bug: *bug, instance: InstanceId::unique(), state: Mutex::new(state) })
    }
}

impl Standby for Toy {
    fn forget(&self, xids: &[Xid]) {
        let mut state = self.state.lock();
        let count = if self.is(Bug::ForgetsOne) { 1 } else { xids.len() };
        for &xid in &xids[..count.min(xids.len())] {
            self.remove(&mut state, xid);
        }
        if self.is(Bug::ForgetCompletes) {
            let highest = xids.iter().copied().filter(|&xid| xid <= state.last).max();
            state.latest = state.latest.max(highest.unwrap_or(Xid::FROZEN));
        }
    }

    fn complete(&self, latest: Xid) {
        let mut state = self.state.lock();
        if latest.is_normal() {
            state.latest =
                if self.is(Bug::CompleteLowers) { latest } else { state.latest.max(latest) };
            state.last = state.last.max(latest);
            if self.is(Bug::CompletePrunes) {
                state.running.retain(|own| own.0 >= latest);
            }
            state.version += 1;
        }
    }

    fn prune(&self, below: Xid) {
        let mut state = self.state.lock();
        let bound = if self.is(Bug::PruneInclusive) { below.next() } else { below };
        if self.is(Bug::PrunesOneByOne) {
            while let Some(place) = state.running.iter().position(|own| own.0 < bound) {
                state.running.remove(place);
                drop(state);
                state = self.state.lock();
            }
        }
        state.running.retain(|own| own.0 >= bound);
        state.version += 1;
    }
}
