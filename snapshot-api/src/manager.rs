//! The transaction manager that an engine embeds: sessions, ids, savepoints, snapshots that are registered, and the horizon
//! below which old row versions may go. Over any [`SnapshotStrategy`], with any [`ThresholdStrategy`].
//!
//! # From begin to horizon
//!
//! ```
//! use snapshot_api::{ManagerOptions, Off, TransactionManager, Xid};
//! use snapshot_api::dev::models::LockedSet as AnyStrategy;
//!
//! // An empty database: everything up to the frozen id has ended, nothing runs.
//! let manager = TransactionManager::<AnyStrategy, Off>::restore(
//!     &Default::default(), Xid::FROZEN, &[], Off, ManagerOptions::new())?;
//!
//! // One session a connection. It lives as long as it likes, and moves between threads.
//! let (mut writer, mut reader) = (manager.session()?, manager.session()?);
//!
//! // A transaction costs nothing until it asks for something: an id to write rows with,
//! let mut write = writer.begin();
//! let id = write.id()?;
//!
//! // a savepoint, whose rows have an id of their own and can be rolled back,
//! let savepoint = write.savepoint();
//! let undone = write.id()?;
//! write.rollback_to(&savepoint)?;
//!
//! // or a snapshot to read by. From here on nothing that it needs is removed.
//! let mut read = reader.begin();
//! assert!(!read.sees(id), "it runs");
//! write.commit();
//! assert!(!read.sees(id), "it ran when the snapshot was taken");
//!
//! // Row versions that an id below the horizon replaced or deleted: nobody can see them any more.
//! assert_eq!(manager.horizon(), id);
//! let holders = manager.horizon_holders();
//! assert_eq!((holders.len(), holders[0].xmin), (1, id));
//! drop(read);
//! assert!(manager.horizon() > undone);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | You want to | Use |
//! |---|---|
//! | read the same state all the time, or a new one for each statement | [`Transaction::snapshot`], [`Transaction::new_snapshot`] |
//! | let a cursor, a worker or another session read what a transaction reads | [`Transaction::share`], [`Session::begin_with`] |
//! | know whether a row's writer is visible | [`Transaction::view`], and your own table of who aborted |
//! | write the commit record before others see the commit | [`Transaction::try_commit`] |
//! | undo what was written, however a transaction ends | [`ManagerOptions::before_end`] |
//! | let a transaction outlive its connection | [`Transaction::prepare`], [`TransactionManager::commit_prepared`] |
//! | remove what nobody needs | [`TransactionManager::horizon`] |
//! | find out who holds that up | [`TransactionManager::horizon_holders`], [`ManagerOptions::on_holder`] |
//! | not wait for them for ever | [`OldSnapshotPolicy`], [`TransactionManager::prune_horizon`], [`PinnedSnapshot::check`] |
//! | stamp rows with the number of the commit | [`NumberedManager`] |
//!
//! # Who aborted
//!
//! A strategy knows who runs, not who committed. Before the ids of a transaction end, the hook
//! [`before_end`](ManagerOptions::before_end) tells the engine how, in every case: commit, abort, rollback to a savepoint, a
//! transaction dropped by a panic or with a future. An engine marks aborted ids there, or takes their rows away.
//!
//! # Correctness
//!
//! The protocol between readers and the collector is in the module `horizon`, that of the threshold in `policy`; both are
//! models in `tests/loom/`, on this manager itself and with the wrong orders that engines shipped, which must fail.
//!
//! # Costs
//!
//! `cargo bench -p harness --bench manager --features engines`, one core of a virtual machine, compilations beside:
//!
//! | | over `csn` | over `hierarchical-bitmap` | the same step of an engine |
//! |---|---|---|---|
//! | begin, snapshot, drop | 14 ns | 13 to 19 ns | fjall's `Database::snapshot` 105 to 131 ns, redb's `begin_read` 250 to 320 ns |
//! | begin, id, commit | 48 to 62 ns | 149 to 196 ns | |
//! | horizon of 1,000 sessions | 0.82 to 0.89 µs | | |
//!
//! Most of a reader's 14 ns are the fence. The horizon looks at a thousand cache lines.
//!
//! # Reported bugs
//!
//! | reported | what keeps it out |
//! |---|---|
//! | a reader chooses, the collector sees nobody, the reader registers (surrealmx 76, turso 8992, slatedb 1298, cubrid 98) | the models `horizon` and `orders`; the law [`horizon_waits_for_readers`](crate::dev::laws::horizon_waits_for_readers) |
//! | a cached snapshot is used again, its xmin is not published again (PostgreSQL's comment on reuse) | a take always goes by the pin; test `reused_it_is_registered_anew` |
//! | a rollback takes the horizon back (orioledb 889) | the highest one is kept; model `the_horizon_never_goes_back` |
//! | with no snapshot ever opened the horizon stands still (fjall 86) | it is the strategy's xmin then; test `the_horizon_waits_for_what_is_held` |
//! | a reader at N keeps what N itself freed (redb 830) | test `a_reader_does_not_keep_what_its_own_number_freed` |
//! | memory grows while nothing is active (slatedb 1379) | the law [`managed_memory_is_flat`](crate::dev::laws::managed_memory_is_flat) |
//! | a commit or its future is dropped half way (turso 6755) | test `a_future_that_is_cancelled_aborts_it` |
//! | all reader slots in use: panic (meilisearch 2648) | [`CapacityExceeded`]; test `all_in_use_is_an_error_that_says_the_limit` |
//! | a number before the state that it stands for (orioledb 1061), half of a commit (turso 5136, 5660), my commit not in my next snapshot (typedb 7254) | [`NumberedManager`]; tests `numbers_are_visible_in_order_…` |
//!
//! # Old snapshots
//!
//! Whoever reads asks [`check`](PinnedSnapshot::check) after each page, and before anybody gets what was found there. So does
//! whoever writes, between the look at the newest version and putting its own: it may have missed a tombstone that was removed.
//!
//! ```
//! use std::time::Duration;
//! use snapshot_api::{ManagerOptions, ManualClock, OldSnapshotPolicy, TransactionManager, Xid};
//! use snapshot_api::dev::models::{LockedSet as AnyStrategy, LockedThreshold as AnyThreshold};
//!
//! let clock = ManualClock::default();
//! let policy = OldSnapshotPolicy { max_age: Some(Duration::from_secs(60)), max_gap: None };
//! let options = ManagerOptions::new().clock(clock.clone()).old_snapshots(policy);
//! let manager = TransactionManager::<AnyStrategy, _>::restore(
//!     &Default::default(), Xid::FROZEN, &[], AnyThreshold::default(), options)?;
//!
//! let (mut forgotten, mut writer) = (manager.session()?, manager.session()?);
//! forgotten.set_label("report");
//! let mut report = forgotten.begin();
//! report.snapshot();
//! for _ in 0..90 {
//!     clock.advance(Duration::from_secs(1));
//!     // From any thread, every second or so.
//!     manager.tick();
//!     let mut write = writer.begin();
//!     write.id()?;
//!     write.commit();
//! }
//! assert_eq!(manager.horizon(), Xid::new(3), "the report holds it back");
//! assert!(manager.prune_horizon() > Xid::new(3), "but is too old for that");
//! let too_old = report.snapshot().check().unwrap_err();
//! assert_eq!(
//!     too_old.to_string(),
//!     "snapshot too old: session 0 (report) took it 90.0s and 90 transactions ago, the limit is 60s"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clock;
mod ending;
mod error;
mod holders;
mod horizon;
mod ids;
mod levels;
mod numbered;
mod options;
mod pins;
mod policy;
mod prepared;
mod session;
mod sessions;
mod shared;
mod snapshot;
#[cfg(all(test, feature = "dev", debug_assertions, not(snapshot_loom)))]
mod stalled;
mod transaction;
mod view;

pub use clock::{Clock, ManualClock, MonotonicClock};
pub use ending::{Ending, Outcome};
pub use error::{ForeignSnapshot, NotPrepared, PrepareError, SavepointError, SnapshotTooOld};
pub use holders::{Held, HorizonHolder};
pub use levels::Savepoint;
pub use numbered::{NumberedManager, NumberedSession, NumberedTransaction};
pub use options::ManagerOptions;
pub use policy::OldSnapshotPolicy;
pub use prepared::PreparedTransaction;
pub use session::Session;
pub use snapshot::{PinnedSnapshot, SharedSnapshot};
pub use transaction::Transaction;
pub use view::View;

use std::{fmt, sync::Arc};

use crate::{
    CapacityExceeded, Off, Restore, RestoreError, SnapshotStrategy, Threshold, ThresholdStrategy,
    Xid,
    manager::{clock::since, prepared::Entry, sessions::Owner, shared::Shared},
};

/// Sessions, transactions, snapshots and the horizon of one database. Clones are the same manager. The
/// [module's page](self) is a guide.
pub struct TransactionManager<S: SnapshotStrategy, T = Off> {
    shared: Arc<Shared<S, T>>,
}

impl<S: SnapshotStrategy, T> Clone for TransactionManager<S, T> {
    fn clone(&self) -> Self {
        TransactionManager { shared: Arc::clone(&self.shared) }
    }
}

impl<S: Restore, T: ThresholdStrategy> TransactionManager<S, T> {
    /// A manager in which `running` run, as prepared transactions do after a restart, and every other id up to
    /// `latest_completed` has ended. An empty database has nothing but [`Xid::FROZEN`].
    ///
    /// # Errors
    ///
    /// See [`Restore::restore`].
    pub fn restore(
        config: &S::Config,
        latest_completed: Xid,
        running: &[Xid],
        threshold: T,
        options: ManagerOptions,
    ) -> Result<Self, RestoreError> {
        let strategy = S::restore(config, latest_completed, running)?;
        let highest = running.iter().copied().fold(latest_completed, Xid::max).next();
        let next = options.next.max(highest);
        Ok(Self::new(strategy, threshold, options.next_id(next)))
    }
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> TransactionManager<S, T> {
    /// A manager over a strategy that is there. Ids go on above its latest completed one, or at
    /// [`next_id`](ManagerOptions::next_id) where that is higher.
    pub fn new(strategy: S, threshold: T, options: ManagerOptions) -> Self {
        TransactionManager { shared: Arc::new(Shared::new(strategy, threshold, options)) }
    }

    /// A place for one more connection.
    ///
    /// # Errors
    ///
    /// All [`sessions`](ManagerOptions::sessions) are in use.
    pub fn session(&self) -> Result<Session<S, T>, CapacityExceeded> {
        Session::new(&self.shared)
    }

    /// The strategy: for its facts, its memory, its waits.
    pub fn strategy(&self) -> &S {
        &self.shared.strategy
    }

    /// The threshold.
    pub fn threshold(&self) -> &T {
        &self.shared.threshold
    }

    /// The id that is handed out next.
    pub fn next_id(&self) -> Xid {
        self.shared.ids.next()
    }

    /// What an id below it replaced or deleted may be removed: each snapshot that is held, and each that will be taken, sees
    /// that id as ended. Never goes back.
    ///
    /// Looks at one word for each session and shared snapshot, and takes one snapshot. Several collectors wait for one
    /// another; nobody else waits. [`last_horizon`](Self::last_horizon) only looks up what was found last.
    ///
    /// Ordering: what readers did under snapshots that it no longer waits for happens before it returns.
    pub fn horizon(&self) -> Xid {
        self.shared.horizon()
    }

    /// What the last [`horizon`](Self::horizon) was: one load, right for ever, and perhaps too low by now.
    #[inline]
    pub fn last_horizon(&self) -> Xid {
        self.shared.horizon.floor()
    }

    /// The horizon for who may remove rows from under snapshots that are too old: the higher one of
    /// [`horizon`](Self::horizon) and the threshold's. A reader finds out by [`PinnedSnapshot::check`], after it has read.
    pub fn prune_horizon(&self) -> Xid {
        let horizon = self.horizon();
        horizon.max(self.shared.threshold.load().xid)
    }

    /// Whether `xid` had ended at some moment during the call: for a writer that met another one's row and gave way, and
    /// wants to know whether to try again. Takes one snapshot, and waits for a [`horizon`](Self::horizon) that is being found.
    pub fn has_ended(&self, xid: Xid) -> bool {
        self.shared.has_ended(xid)
    }

    /// Moves the manager's time on to that of its clock, and the threshold after it. To be called now and then, from any
    /// thread: ages are exact to the time between two calls. Where the clock stands still it does nothing. Waits for a
    /// [`horizon`](Self::horizon) that is being found.
    ///
    /// # Panics
    ///
    /// Where [`on_holder`](ManagerOptions::on_holder) does; the manager is as it should be.
    pub fn tick(&self) {
        let shared = &*self.shared;
        let mut moments = shared.moments.lock();
        let now = shared.clock.now();
        if moments.moves_on(now) {
            // Before the time, see `policy`.
            let xmin = shared.oldest_running();
            shared.set_time(now);
            let to = moments.enter(now, xmin, shared.ids.next());
            if to != Threshold::NONE {
                shared.threshold.advance(to);
            }
        }
        drop(moments);
        if let Some((limit, callback)) = &shared.on_holder {
            let holders = self.horizon_holders();
            holders.iter().filter(|holder| holder.age > *limit).for_each(callback);
        }
    }

    /// Who keeps the horizon from rising, the lowest xmin first: snapshots, open transactions with an id, prepared ones.
    ///
    /// Each entry was so at some moment during the call.
    pub fn horizon_holders(&self) -> Vec<HorizonHolder> {
        let shared = &*self.shared;
        let (now, next) = (shared.clock.now(), shared.ids.next());
        let holder = |Owner { session, label }, held, xmin: Xid, then| HorizonHolder {
            session,
            label,
            held,
            xmin,
            transactions: next.get().saturating_sub(xmin.get()),
            age: since(now, then),
        };
        let snapshots = shared.horizon.pins.iter().filter_map(|pin| {
            let (xmin, owner) = (pin.bound()?, pin.owner()?);
            Some(holder(owner, Held::Snapshot, xmin, pin.taken()))
        });
        let open = shared.sessions.live().into_iter().filter_map(|(session, record)| {
            let (top, since) = record.transaction()?;
            let owner = Owner { session, label: record.label() };
            Some(holder(owner, Held::Transaction, top, since))
        });
        let prepared = shared.prepared.list().into_iter().filter_map(|(name, entry)| {
            let owner = Owner { session: entry.session, label: entry.label };
            let &xmin = entry.ids.first()?;
            Some(holder(owner, Held::Prepared(name), xmin, entry.since))
        });
        let mut holders: Vec<_> = snapshots.chain(open).chain(prepared).collect();
        holders.sort_by_key(|holder| holder.xmin);
        holders
    }

    /// Enters a prepared transaction that survived a restart: `ids`, its own first, run in the strategy.
    ///
    /// # Errors
    ///
    /// The name is taken, or as many are prepared as there can be.
    pub fn adopt_prepared(&self, name: &str, ids: &[Xid]) -> Result<(), PrepareError> {
        let shared = &*self.shared;
        let vacancy = shared.prepared.vacancy(name)?;
        vacancy.fill(Entry::new(shared.sessions.draw(), ids, shared.time()));
        Ok(())
    }

    /// Commits a prepared transaction, by name.
    ///
    /// # Errors
    ///
    /// None has this name, or somebody else is ending it.
    pub fn commit_prepared(&self, name: &str) -> Result<(), NotPrepared> {
        self.settle(name, Outcome::Committed)
    }

    /// Aborts a prepared transaction, by name.
    ///
    /// # Errors
    ///
    /// None has this name, or somebody else is ending it.
    pub fn abort_prepared(&self, name: &str) -> Result<(), NotPrepared> {
        self.settle(name, Outcome::Aborted)
    }

    fn settle(&self, name: &str, outcome: Outcome) -> Result<(), NotPrepared> {
        let shared = &*self.shared;
        let settling = shared.prepared.settle(name)?;
        let (session, ids) = (settling.entry.session, &settling.entry.ids);
        if let Some(&top) = ids.first() {
            shared.before_end(&Ending { outcome, session, top, ids });
            shared.strategy.end(session, ids);
        }
        shared.sessions.give_back(session);
        settling.done();
        Ok(())
    }

    /// All prepared transactions, by name; also stranded ones, see [`ManagerOptions::before_end`].
    pub fn prepared(&self) -> Vec<PreparedTransaction> {
        let now = self.shared.clock.now();
        let prepared = |(name, entry): (String, Entry)| PreparedTransaction {
            name,
            ids: entry.ids.to_vec(),
            age: since(now, entry.since),
            stranded: entry.stranded,
        };
        self.shared.prepared.list().into_iter().map(prepared).collect()
    }
}

impl<S: SnapshotStrategy, T> fmt::Debug for TransactionManager<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransactionManager")
            .field("strategy", &self.shared.strategy.facts().name)
            .field("next_id", &self.shared.ids.next())
            .field("horizon", &self.shared.horizon.floor())
            .finish_non_exhaustive()
    }
}
