//! [`ManagerOptions`]: how a manager is set up.

use std::{fmt, sync::Arc, time::Duration};

use crate::{
    Clock, Ending, HorizonHolder, MonotonicClock, OldSnapshotPolicy, Xid, manager::ending::Hook,
};

/// What is called when somebody has held the horizon back for too long.
pub(super) type OnHolder = Box<dyn Fn(&HorizonHolder) + Send + Sync>;

/// How a [`TransactionManager`](crate::TransactionManager) is set up: 256 sessions, 64 prepared transactions, no limit to
/// a snapshot's age.
///
/// ```
/// use std::time::Duration;
/// use snapshot_api::{ManagerOptions, OldSnapshotPolicy};
///
/// let options = ManagerOptions::new()
///     .sessions(1_000)
///     .old_snapshots(OldSnapshotPolicy { max_age: Some(Duration::from_secs(3_600)), max_gap: None })
///     .on_holder(Duration::from_secs(600), |holder| eprintln!("cleanup waits: {holder}"));
/// # let _ = options;
/// ```
pub struct ManagerOptions {
    pub(super) sessions: u32,
    pub(super) prepared: u32,
    pub(super) next: Xid,
    pub(super) policy: OldSnapshotPolicy,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) before_end: Vec<Box<Hook>>,
    pub(super) on_holder: Option<(Duration, OnHolder)>,
}

impl Default for ManagerOptions {
    fn default() -> Self {
        ManagerOptions {
            sessions: 256,
            prepared: 64,
            next: Xid::FIRST_NORMAL,
            policy: OldSnapshotPolicy::default(),
            clock: Arc::new(MonotonicClock::default()),
            before_end: Vec::new(),
            on_holder: None,
        }
    }
}

impl ManagerOptions {
    /// The default.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many sessions there can be at once. A strategy with a place for each session has to have places for these and
    /// for the prepared transactions.
    #[must_use]
    pub fn sessions(mut self, sessions: u32) -> Self {
        self.sessions = sessions;
        self
    }

    /// How many transactions can be prepared at once (`max_prepared_transactions`).
    #[must_use]
    pub fn prepared(mut self, prepared: u32) -> Self {
        self.prepared = prepared;
        self
    }

    /// The first id to hand out: above every id that the strategy knows of.
    /// [`restore`](crate::TransactionManager::restore) finds it by itself.
    #[must_use]
    pub fn next_id(mut self, next: Xid) -> Self {
        self.next = next;
        self
    }

    /// How old a snapshot may get. It takes a threshold strategy and a [`tick`](crate::TransactionManager::tick) now and then.
    #[must_use]
    pub fn old_snapshots(mut self, policy: OldSnapshotPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Where the time comes from; [`MonotonicClock`] by default.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// What the engine does right before ids end and others see it: mark the ids in its status table, take away what an aborted
    /// one has written. (To write a commit record, which may fail, see [`try_commit`](crate::Transaction::try_commit).) Called once for each transaction that has an id and for each
    /// subtransaction that is rolled back, however it ends: also for one that is dropped. No lock is held.
    /// Given more than once, each is called, in the order given.
    ///
    /// Should it panic, the ids go on running: nobody may see what was not settled. A commit that panics is aborted, by
    /// another call. An abort that panics leaves a transaction behind that
    /// [`prepared`](crate::TransactionManager::prepared) lists as stranded; it can be settled from there.
    #[must_use]
    pub fn before_end(mut self, hook: impl Fn(&Ending<'_>) + Send + Sync + 'static) -> Self {
        self.before_end.push(Box::new(hook));
        self
    }

    /// What is called, by each [`tick`](crate::TransactionManager::tick), for everybody who has held the horizon back for
    /// longer than `limit`. No lock is held; a panic goes to whoever called `tick`.
    #[must_use]
    pub fn on_holder(
        mut self,
        limit: Duration,
        callback: impl Fn(&HorizonHolder) + Send + Sync + 'static,
    ) -> Self {
        self.on_holder = Some((limit, Box::new(callback)));
        self
    }
}

impl fmt::Debug for ManagerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagerOptions")
            .field("sessions", &self.sessions)
            .field("prepared", &self.prepared)
            .field("next", &self.next)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}
