//! The contract of a snapshot strategy, and the laws that it keeps.
//!
//! # The question
//!
//! A multi-version database keeps old versions of a row so that readers need not wait for writers. Every version says
//! which transaction wrote it. A reader must see what was committed before it started and nothing else, so it asks one
//! question for every version that it meets: *was the writer still running when I started?* The answer is a **snapshot**:
//!
//! ```text
//!   ended            some ended, some running              not begun yet
//!  ───────────────┬──────────────────────────────────┬────────────────────►  ids
//!               xmin   e   R   e   e   R   e   R     xmax
//!                  (lowest running)                  (latest completed + 1)
//! ```
//!
//! Below `xmin` nothing runs, from `xmax` on everything counts as running, whether it has begun or not, and between them
//! the running ids are listed. Whether a transaction that ended did so by commit or by abort is another question, for
//! another table. A transaction may have **subtransactions**, ids of its own that end with it: all ids of one
//! [`end`](SnapshotStrategy::end) are its *tree*.
//!
//! # The laws
//!
//! Every strategy passes them as tests: one line of [`snapshot_laws!`](crate::snapshot_laws) under the feature `dev`.
//!
//! 1. **One instant.** A snapshot equals the state at one moment between the call and the return of `take`: it holds
//!    every `end` that had returned before the call, none that began after the return, and the ended sets of all
//!    snapshots of a history form a chain.
//! 2. **Whole trees.** Of the ids of one `end`, a snapshot sees all as running or none.
//! 3. **xmax.** Latest completed + 1 of the same instant, exact when nothing runs beside it. A concurrent snapshot may
//!    report one up to that at its return, as long as every id from its own instant's xmax on is running in it.
//! 4. **No late birth.** An id below a snapshot's xmax that it saw as ended is never begun later: `begin` refuses it.
//!    Where facts say `unordered_begin`, an id not begun, below xmax, is running instead.
//! 5. **Monotone per observer.** What one thread saw ended never runs again in its later snapshots; xmin and xmax never
//!    go back.
//! 6. **Exact.** `is_running(x)` agrees with `running()` and the two bounds for every x, reserved and far-away ids
//!    included; `xmin` is the lowest running id, or `xmax` where none below it runs.
//! 7. **Idempotent removal.** Ending an id that is absent, or one twice, changes the visibility of no id that was begun,
//!    in any snapshot, old or new. Latest completed rises to it all the same; it never falls.
//! 8. **Reuse.** A snapshot value used before, with any other content, also one last filled by another instance, older or
//!    newer, gives the same result as a fresh one. A value that is kept stays as it was, whatever happens later.
//! 9. **Capacity.** When a bounded design is full, `begin` returns [`CapacityExceeded`](crate::CapacityExceeded) and the state
//!    is as before; nothing is ever dropped silently. The same holds for every other refusal.
//! 10. **Progress as promised.** A thread stalled inside an operation stops others only where facts say *blocking*; a
//!     thread that panics stops nobody and spoils nothing. A design in which callers wait counts the waits.
//! 11. **Bounded memory.** With a reader stalled for ever growth is bounded by what its snapshot needs, or facts say
//!     [`UnboundedWhileTaking`](crate::Memory::UnboundedWhileTaking) and memory returns to its base afterwards.
//!
//! A **standby** ([`Standby`]) has a few operations more, with laws of their own on that trait's page.
//!
//! # Bad input
//!
//! Nothing here panics on what a caller passes. `begin` refuses what it cannot enter and says why. `end`, `forget` and
//! `prune` ignore ids that are reserved, absent or beyond the range.

use crate::{BeginError, Facts, RestoreError, SessionId, Xid};

/// Knows which transactions are running, and takes snapshots of it. The [module's page](self) explains the words and
/// lists the laws.
///
/// Safe to implement wrongly: a wrong strategy breaks isolation, not memory.
///
/// ```
/// use snapshot_api::{SessionId, Snapshot, SnapshotStrategy, Xid};
/// # use snapshot_api::{dev::models::LockedSet as AnyStrategy, Restore};
/// # let strategy = AnyStrategy::restore(&(), Xid::FROZEN, &[])?;
/// let (alice, bob) = (SessionId::new(0), SessionId::new(1));
/// strategy.begin(alice, Xid::new(3))?;
/// strategy.begin(bob, Xid::new(4))?;
/// strategy.end(bob, &[Xid::new(4)]);
///
/// let mut snapshot = strategy.snapshot();
/// strategy.take(&mut snapshot);
/// assert!(snapshot.is_running(Xid::new(3)));
/// assert!(!snapshot.is_running(Xid::new(4)));
/// assert!(snapshot.is_running(Xid::new(5)), "not begun yet");
/// assert_eq!((snapshot.xmin(), snapshot.xmax()), (Xid::new(3), Xid::new(5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SnapshotStrategy: Send + Sync {
    /// What [`take`](Self::take) fills. It may outlive no borrow of the strategy, but it may keep parts of it alive.
    type Snapshot: Snapshot;

    /// What the strategy says about itself.
    fn facts(&self) -> Facts;

    /// An empty value bound to this instance: nothing has ended in it, `xmin` and `xmax` are
    /// [`FIRST_NORMAL`](Xid::FIRST_NORMAL). Taking into the same value again and again allocates nothing once it has grown.
    fn snapshot(&self) -> Self::Snapshot;

    /// Enters `xid` as running, for `session`. A subtransaction is entered like any other id, by the session of its top.
    ///
    /// Ordering: the caller returns from `begin` of an id before `begin` of any higher one is called, and passes that
    /// order on (a lock, a Release store); [`Assigner`](crate::Assigner) does it. Where facts say `unordered_begin` it need
    /// not.
    ///
    /// # Errors
    ///
    /// [`BeginError::Full`] when a bounded design has no place, [`BeginError::NotNormal`] for an id that no transaction can
    /// have, [`BeginError::OutOfOrder`] for one not above all that were begun or completed (not where facts say
    /// `unordered_begin`). The state is as before.
    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError>;

    /// Ends a whole tree, committed or aborted alike, in one step. Latest completed rises to the tree's highest id.
    ///
    /// `tree` holds a transaction's id and those of its subtransactions that have not ended before, in any order; or those
    /// of one subtransaction that is rolled back. `session` is the one that began it; ids that it did not begin are still
    /// found. When `end` has returned, every later `take` sees it.
    fn end(&self, session: SessionId, tree: &[Xid]);

    /// Fills `snapshot` with the state at one instant during this call.
    ///
    /// The value may come from [`snapshot`](Self::snapshot) of any instance of this type, and may have been used before.
    fn take(&self, snapshot: &mut Self::Snapshot);

    /// How often a caller had to wait for another since this instance was made. Right as it is for every design in
    /// which nobody waits; the law on progress checks that a blocking one counts.
    fn lock_waits(&self) -> u64 {
        0
    }
}

/// A set of running transactions, frozen at one instant.
///
/// Never changes once it is taken, whatever happens to the strategy, until it is taken into again. So several threads may
/// read one at once.
pub trait Snapshot: Send + Sync {
    /// The lowest running id; [`xmax`](Self::xmax) where none below it runs. Nothing below is running.
    fn xmin(&self) -> Xid;

    /// The first id that counts as not begun: latest completed + 1.
    fn xmax(&self) -> Xid;

    /// The visibility test: whether `xid` had not ended at the snapshot's instant. Every tuple that is read asks it once
    /// or twice. True for every id at or above `xmax`, begun or not; false for reserved ids.
    fn is_running(&self, xid: Xid) -> bool;

    /// The running ids below `xmax`, in rising order.
    fn running(&self) -> impl Iterator<Item = Xid> + '_;
}

/// A start from known state: an engine's restart, a standby's first running-transactions record.
pub trait Restore: SnapshotStrategy + Sized {
    /// How an instance is set up: limits, variants.
    type Config: Default + Clone + Send + Sync;

    /// An instance in which `running` run and every other id up to `latest_completed` has ended.
    ///
    /// `running` comes in any order, may name an id twice (it counts once), and may hold ids above `latest_completed`:
    /// they run, and snapshots list them once something above them has completed. A `latest_completed` of
    /// [`Xid::FROZEN`] or below says that nothing has completed yet.
    ///
    /// The restored ids belong to no session: any session may end them. Also where facts say `unordered_begin` the ids up
    /// to `latest_completed` that are not listed have ended: they are not waited for.
    ///
    /// # Errors
    ///
    /// [`RestoreError::Full`] when a bounded design has too few places, [`RestoreError::NotNormal`] for an id that no
    /// transaction can have.
    fn restore(
        config: &Self::Config,
        latest_completed: Xid,
        running: &[Xid],
    ) -> Result<Self, RestoreError>;
}

/// What a replica needs besides: its transactions run elsewhere, and it learns of them from the log.
///
/// PostgreSQL's own standby brings ids to life late: after a crash of its primary, ids that left no record may enter the set
/// below latest completed. Law 4 forbids that here. Who replays such a log takes a snapshot, and restores a new instance from
/// it with those ids added; everything that runs lies below xmax then, so that the snapshot lists it.
///
/// The three operations may be called beside any number of readers. Each is one step, as [`end`](SnapshotStrategy::end) is.
///
/// # Laws
///
/// - **Forget** takes ids out of the set and leaves latest completed alone: an id at or above `xmax` still counts as
///   running there, one below no longer does.
/// - **Complete** raises latest completed and never lowers it; ids that run keep running.
/// - **Prune** ends every id below its argument and leaves latest completed and all other ids alone.
/// - Also where facts say `unordered_begin`, ids below a prune's bound have ended, begun or not.
/// - All three are idempotent, ignore absent, reserved and far-away ids, and change no snapshot taken before.
pub trait Standby: Restore {
    /// Takes ids out of the set without completing anything: PostgreSQL moves the subtransactions of a large transaction
    /// out of the running list like this (`XLOG_XACT_ASSIGNMENT`).
    fn forget(&self, xids: &[Xid]);

    /// Raises latest completed to at least `latest`.
    fn complete(&self, latest: Xid);

    /// Nothing below `below` is running any more (`ExpireOldKnownAssignedTransactionIds`).
    fn prune(&self, below: Xid);
}

/// Checks and sorts what [`Restore::restore`] was given, for its implementations: latest completed raised to at least
/// [`Xid::FROZEN`], the running ids in rising order, each once.
///
/// # Errors
///
/// [`RestoreError::NotNormal`] names the first id that no transaction can have.
///
/// ```
/// use snapshot_api::{Xid, restore_list};
///
/// let (latest, running) = restore_list(Xid::new(9), &[7, 5, 7].map(Xid::new))?;
/// assert_eq!((latest, running), (Xid::new(9), vec![Xid::new(5), Xid::new(7)]));
/// # Ok::<(), snapshot_api::RestoreError>(())
/// ```
pub fn restore_list(
    latest_completed: Xid,
    running: &[Xid],
) -> Result<(Xid, Vec<Xid>), RestoreError> {
    let latest_completed = latest_completed.max(Xid::FROZEN);
    if latest_completed > Xid::LAST_NORMAL {
        return Err(RestoreError::NotNormal(latest_completed));
    }
    if let Some(&xid) = running.iter().find(|xid| !xid.is_normal()) {
        return Err(RestoreError::NotNormal(xid));
    }
    let mut running = running.to_vec();
    running.sort_unstable();
    running.dedup();
    Ok((latest_completed, running))
}

/// The highest id of a tree that a transaction can have: what latest completed rises to.
///
/// ```
/// use snapshot_api::{Xid, highest_normal};
///
/// assert_eq!(highest_normal(&[5, 2, 9, u64::MAX].map(Xid::new)), Some(Xid::new(9)));
/// assert_eq!(highest_normal(&[Xid::FROZEN]), None);
/// ```
#[inline]
pub fn highest_normal(tree: &[Xid]) -> Option<Xid> {
    tree.iter().copied().filter(|xid| xid.is_normal()).max()
}

/// Whether `xid` may be entered after `last`, the highest id begun or completed so far: the check of an ordered
/// [`begin`](SnapshotStrategy::begin).
///
/// # Errors
///
/// [`BeginError::NotNormal`] and [`BeginError::OutOfOrder`].
///
/// ```
/// use snapshot_api::{BeginError, Xid, check_order};
///
/// let last = Xid::new(7);
/// assert_eq!(check_order(Xid::new(8), last), Ok(()));
/// assert_eq!(check_order(Xid::new(7), last), Err(BeginError::OutOfOrder { xid: Xid::new(7), last }));
/// ```
#[inline]
pub fn check_order(xid: Xid, last: Xid) -> Result<(), BeginError> {
    if xid > last && xid.is_normal() {
        Ok(())
    } else if !xid.is_normal() {
        Err(BeginError::NotNormal(xid))
    } else {
        Err(BeginError::OutOfOrder { xid, last })
    }
}
