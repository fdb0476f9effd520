//! [`Shared`]: what all sessions of a manager share.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::Result,
};

use crate::{
    Clock, Ending, OldSnapshotPolicy, Snapshot, SnapshotStrategy, Timestamp, Xid,
    manager::{
        ManagerOptions, ending::Hook, horizon::Horizon, ids::Ids, options::OnHolder,
        policy::Moments, prepared::Prepared, sessions::Sessions,
    },
    sync::{AtomicU64, Mutex, Ordering, Padded},
};

pub(super) struct Shared<S: SnapshotStrategy, T> {
    pub(super) strategy: S,
    pub(super) threshold: T,
    pub(super) ids: Ids,
    pub(super) horizon: Horizon,
    pub(super) sessions: Sessions,
    pub(super) prepared: Prepared,
    pub(super) policy: OldSnapshotPolicy,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) on_holder: Option<(std::time::Duration, OnHolder)>,
    pub(super) moments: Mutex<Moments>,
    /// The time of the last tick. Read by every take, written by ticks.
    time: Padded<AtomicU64>,
    before_end: Vec<Box<Hook>>,
    /// The collector's own snapshot.
    collector: Mutex<S::Snapshot>,
}

impl<S: SnapshotStrategy, T> Shared<S, T> {
    pub(super) fn new(strategy: S, threshold: T, options: ManagerOptions) -> Self {
        let mut snapshot = strategy.snapshot();
        strategy.take(&mut snapshot);
        let next = options.next.max(snapshot.xmax());
        Shared {
            ids: Ids::new(next, strategy.facts().unordered_begin),
            horizon: Horizon::new(),
            sessions: Sessions::new(options.sessions),
            prepared: Prepared::new(options.prepared),
            policy: options.policy,
            clock: options.clock,
            on_holder: options.on_holder,
            moments: Mutex::new(Moments::new(options.policy)),
            time: Padded(AtomicU64::new(0)),
            before_end: options.before_end,
            collector: Mutex::new(snapshot),
            strategy,
            threshold,
        }
    }

    /// The time of the last tick.
    #[inline]
    pub(super) fn time(&self) -> Timestamp {
        // Acquire: pairs with the Release store in `set_time`; the moment's take happens before the caller's.
        Timestamp::from_micros(self.time.load(Ordering::Acquire))
    }

    /// One caller at a time.
    pub(super) fn set_time(&self, time: Timestamp) {
        // Release: pairs with the Acquire load in `time`.
        self.time.store(time.as_micros(), Ordering::Release);
    }

    pub(super) fn horizon(&self) -> Xid {
        let mut snapshot = self.collector.lock();
        self.horizon.horizon(|| self.take_xmin(&mut snapshot))
    }

    /// The lowest id that runs.
    pub(super) fn oldest_running(&self) -> Xid {
        self.take_xmin(&mut self.collector.lock())
    }

    pub(super) fn has_ended(&self, xid: Xid) -> bool {
        let mut snapshot = self.collector.lock();
        self.strategy.take(&mut snapshot);
        !snapshot.is_running(xid)
    }

    fn take_xmin(&self, snapshot: &mut S::Snapshot) -> Xid {
        self.strategy.take(snapshot);
        snapshot.xmin()
    }

    /// What the engine does before ids end.
    pub(super) fn before_end(&self, ending: &Ending<'_>) {
        self.before_end.iter().for_each(|hook| hook(ending));
    }

    /// The same, where a panic must not go on.
    pub(super) fn try_before_end(&self, ending: &Ending<'_>) -> Result<()> {
        // The engine's own state is the engine's; ours is not touched.
        catch_unwind(AssertUnwindSafe(|| self.before_end(ending)))
    }
}
