//! [`Mirror`]: a subject and the oracle under the same script, and the comparison of what they say.

use proptest::{
    strategy::Strategy,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};

use super::{SESSIONS, START, fresh, law::Law, scale};
use crate::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid, dev::models::LockedSet};

/// Runs `test` on random values of `scripts` and shrinks the one that breaks `law`. The same values at every run.
pub(crate) fn on_random<T: std::fmt::Debug>(
    law: Law,
    cases: u32,
    scripts: impl Strategy<Value = T>,
    test: impl Fn(T) -> Result<(), String>,
) {
    let config = Config {
        cases: scale(cases as usize) as u32,
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..Config::default()
    };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let outcome = TestRunner::new_with_rng(config, random)
        .run(&scripts, |script| test(script).map_err(TestCaseError::fail));
    if let Err(broken) = outcome {
        law.broken(broken);
    }
}

/// The subject and the oracle side by side.
pub(crate) struct Mirror<S: Restore> {
    pub(crate) subject: S,
    pub(crate) oracle: LockedSet,
    /// What each session has begun and not ended.
    pub(crate) open: Vec<Vec<Xid>>,
    /// The highest id begun or completed.
    pub(crate) last: Xid,
    /// Every id begun, and those that ended.
    pub(crate) begun: Vec<Xid>,
}

impl<S: Restore> Mirror<S> {
    /// Both as after everything before [`START`] has ended.
    pub(crate) fn new(config: &S::Config) -> Self {
        Mirror {
            subject: fresh(config),
            oracle: fresh(&()),
            open: vec![Vec::new(); SESSIONS as usize],
            last: START.prev(),
            begun: Vec::new(),
        }
    }

    /// Begins the id `gap` above the next one, for a session. The ids in between are never begun; where ids may be begun
    /// in any order they would wait to be, so there is no gap then.
    pub(crate) fn begin(&mut self, session: usize, gap: u64) -> Result<(), String> {
        let gap = if self.subject.facts().unordered_begin { 0 } else { gap };
        let xid = Xid::new(self.last.get() + 1 + gap);
        let id = SessionId::new(session as u32);
        match (self.subject.begin(id, xid), self.oracle.begin(id, xid)) {
            (Ok(()), Ok(())) => {}
            (subject, oracle) => {
                return Err(format!("begin({xid}): {subject:?}, should be {oracle:?}"));
            }
        }
        self.last = xid;
        self.begun.push(xid);
        self.open[session].push(xid);
        Ok(())
    }

    /// Ends the last `size` ids that a session has open, or all of them if that is fewer.
    pub(crate) fn end(&mut self, session: usize, size: usize) {
        let open = &mut self.open[session];
        let tree = open.split_off(open.len().saturating_sub(size));
        self.end_ids(session, &tree);
    }

    /// Ends any ids.
    pub(crate) fn end_ids(&mut self, session: usize, tree: &[Xid]) {
        let id = SessionId::new(session as u32);
        self.subject.end(id, tree);
        self.oracle.end(id, tree);
        self.last = tree.iter().copied().filter(|xid| xid.is_normal()).fold(self.last, Xid::max);
    }

    /// `wanted`, or where ids may be begun in any order the next id to be begun if that is lower: what completes beyond it
    /// would leave ids that are not begun yet below xmax, and they run there.
    pub(crate) fn bound(&self, wanted: Xid) -> Xid {
        if self.subject.facts().unordered_begin { wanted.min(self.last.next()) } else { wanted }
    }

    /// Compares what a take into `value` says with the oracle.
    pub(crate) fn compare(&self, value: &mut S::Snapshot) -> Result<(), String> {
        self.subject.take(value);
        self.compare_taken(value)
    }

    /// Compares what was just taken with the oracle.
    pub(crate) fn compare_taken(&self, value: &S::Snapshot) -> Result<(), String> {
        let mut right = self.oracle.snapshot();
        self.oracle.take(&mut right);
        same(value, &right, self.last)
    }
}

/// Ids that lie outside any history: reserved, beyond the range, and one lap of any ring ahead.
pub(crate) const FAR: [u64; 12] = [
    0,
    1,
    2,
    3,
    1 << 16,
    1 << 32,
    (1 << 32) + 100,
    1 << 48,
    1 << 63,
    u64::MAX - 2,
    u64::MAX - 1,
    u64::MAX,
];

/// Whether two snapshots give the same answers: bounds, list, and the visibility of every id up to beyond `last` and far
/// away. What `right` says is taken for true.
pub(crate) fn same(given: &impl Snapshot, right: &impl Snapshot, last: Xid) -> Result<(), String> {
    let bounds = (given.xmin(), given.xmax());
    if bounds != (right.xmin(), right.xmax()) {
        return Err(format!(
            "xmin, xmax are {bounds:?}, should be {:?}",
            (right.xmin(), right.xmax())
        ));
    }
    let (list, right_list): (Vec<Xid>, Vec<Xid>) =
        (given.running().collect(), right.running().collect());
    if list != right_list {
        return Err(format!("running ids are {list:?}, should be {right_list:?}"));
    }
    let low = START.get() - 8;
    let around = low..last.get().min(low + 10_000).saturating_add(8);
    let laps = (4..20).map(|power| last.get().saturating_add(1 << power));
    for id in around.chain(FAR).chain(laps).map(Xid::new) {
        if given.is_running(id) != right.is_running(id) {
            return Err(format!(
                "is_running({id}) is {}, should be {}",
                given.is_running(id),
                right.is_running(id)
            ));
        }
    }
    Ok(())
}
