//! [`Machine`]: PostgreSQL's startup process, driving a strategy.
//!
//! ```text
//!            init                    running_xacts, complete
//!   Start ─────────► Initialized ───────────────────────────────────────────► Ready
//!     │                   │ running_xacts, overflowed                           ▲ ▲
//!     │                   ▼                                                     │ │
//!     │                Pending ── running_xacts: complete (starts over), or ────┘ │
//!     │                           what ran at first has ended                     │
//!     └── init_shutdown (checkpoint_shutdown from any phase) ─────────────────────┘
//! ```
//!
//! Queries are answered once Ready. Until then only what the list of running transactions has to leave out is collected:
//! which ids ended in the meantime.
//!
//! # What it keeps, and what not
//!
//! It keeps the numbers of the standby (next id, latest observed id, last overflowed id), which subtransaction belongs
//! to which transaction, and what is prepared. It keeps **no set of running ids and no latest completed id**: bounds and
//! list come from the strategy's `take` alone, also where a new instance has to be made out of the old one. So a strategy
//! that errs shows.
//!
//! # Ids
//!
//! Records hold 32-bit ids. They are widened against the next id, to the nearest, and mapped to dense ones (the three
//! reserved ids of each epoch left out), so that *plus one* and *minus one* are the same on both sides of a wrap.
//!
//! # Ids that come to life late
//!
//! A record may say that nothing below `oldest` runs although the highest observed id lies further down: after a crash of
//! the primary that lost ids of which no record had been written. When the next id is observed PostgreSQL enters all ids
//! in between, the lost ones too, and they count as running until the next such record. No strategy brings an id to life
//! that counted as ended (law 4), so a new instance is restored with them. Everything that runs lies below xmax then, so
//! that `take` lists all of it.
//!
//! Source: PostgreSQL 15's `procarray.c` (`ProcArrayApplyRecoveryInfo`, `RecordKnownAssignedTransactionIds`,
//! `ProcArrayApplyXidAssignment`), `xlogrecovery.c`, `xact.c`.

use std::{collections::BTreeMap, fmt, sync::Arc};

use snapshot_api::{FullXid, RestoreError, SessionId, Snapshot, Standby, Xid};

use super::{
    ended::Ended,
    rule::Rule,
    view::{Parents, View},
    watch::Watch,
};
use crate::trace::{Event, Kind};

mod ids;
mod running;
mod setup;
mod trees;

use setup::contradiction;
pub use setup::{Options, Phase, Refusal, Refused, Start};

/// The startup process is one session.
const STARTUP: SessionId = SessionId::new(0);

/// A standby's startup process, driving the strategy `S`. The [module's page](self) tells what it does.
///
/// ```
/// use harness::{locked_set::LockedSet, standby::{Machine, Options}, trace::TraceReader};
/// use snapshot_api::{Snapshot, Xid};
///
/// let text = "0/28 init 100 100\n0/28 running_xacts 100 99 100 0 0 0\n0/60 assign 101\n0/A8 commit 101\n";
/// let mut reader = TraceReader::new(text.as_bytes(), "example")?;
/// let mut standby = Machine::<LockedSet>::new((), Options::default())?;
/// while let Some(event) = reader.next_event()? {
///     standby.apply(&event).map_err(|refused| format!("{refused:?}"))?;
/// }
/// let view = standby.take().expect("it accepts queries");
/// assert!(view.is_in_progress(Xid::new(100)), "no record of its own, but 101 had one");
/// assert!(!view.is_in_progress(Xid::new(101)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Machine<S: Standby, W = ()> {
    config: S::Config,
    options: Options,
    instance: Arc<S>,
    taken: S::Snapshot,
    watch: W,
    phase: Phase,
    /// Whether only `init_prepared` has come since the start.
    starting: bool,
    /// The next id; all others are widened against it (`nextXid`).
    next: FullXid,
    /// The highest id observed (`latestObservedXid`).
    observed: Xid,
    /// The highest `oldest` of a record so far: nothing below is running, but for ids that come to life late.
    oldest: Xid,
    /// The highest id of which the list may lack subtransactions (`lastOverflowedXid`); 0 for none.
    overflowed: Xid,
    /// While pending: what lies below or is this had begun before the list was taken (`standbySnapshotPendingXmin`).
    pending: Xid,
    parents: Parents,
    /// What is prepared, with subtransactions.
    prepared: BTreeMap<Xid, Vec<Xid>>,
    ended: Ended,
    tree: Vec<Xid>,
}

impl<S: Standby> Machine<S> {
    /// A standby before the first record.
    ///
    /// # Errors
    ///
    /// The strategy refuses an empty start.
    pub fn new(config: S::Config, options: Options) -> Result<Self, RestoreError> {
        Machine::watched(config, options, ())
    }
}

impl<S: Standby, W: Watch<S>> Machine<S, W> {
    /// A standby before the first record, with somebody looking on.
    ///
    /// # Errors
    ///
    /// The strategy refuses an empty start.
    pub fn watched(config: S::Config, options: Options, watch: W) -> Result<Self, RestoreError> {
        let instance = Arc::new(S::restore(&config, Xid::FROZEN, &[])?);
        Ok(Machine {
            taken: instance.snapshot(),
            config,
            options,
            instance,
            watch,
            phase: Phase::Start,
            starting: false,
            next: FullXid::FIRST_NORMAL,
            observed: Xid::FROZEN,
            oldest: Xid::FIRST_NORMAL,
            overflowed: Xid::INVALID,
            pending: Xid::INVALID,
            parents: Parents::new(),
            prepared: BTreeMap::new(),
            ended: Ended::default(),
            tree: Vec::new(),
        })
    }

    /// How far it has come.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The instance in use.
    pub fn instance(&self) -> &Arc<S> {
        &self.instance
    }

    /// Who looks on.
    pub fn watch(&self) -> &W {
        &self.watch
    }

    /// Who looks on.
    pub fn watch_mut(&mut self) -> &mut W {
        &mut self.watch
    }

    /// A new snapshot; `None` while queries are not accepted.
    pub fn take(&mut self) -> Option<View<'_, S::Snapshot>> {
        if self.phase < Phase::Ready {
            return None;
        }
        self.instance.take(&mut self.taken);
        let last = self.overflowed;
        Some(View {
            suboverflowed: last != Xid::INVALID && self.taken.xmin() <= last,
            snapshot: &self.taken,
            parents: &self.parents,
            next: self.next,
        })
    }

    /// Applies the next event.
    ///
    /// # Errors
    ///
    /// The event contradicts those before it, or the strategy refuses; it may then be applied in part, and what follows
    /// has no meaning.
    #[inline]
    pub fn apply(&mut self, event: &Event<'_>) -> Result<(), Refused> {
        if self.phase == Phase::Start {
            return self.start(&event.kind);
        }
        if let Kind::InitPrepared(tree) = &event.kind {
            return self.init_prepared(tree);
        }
        self.starting = false;
        match &event.kind {
            Kind::Assign(xid) => self.observe(*xid).map(drop),
            Kind::Commit(tree) | Kind::Abort(tree) => {
                let xid = self.widen(tree.xid);
                if self.prepared.contains_key(&xid) {
                    return contradiction(Rule::PreparedEnd, || {
                        format!(
                            "commit_prepared or abort_prepared of {}, which is prepared",
                            tree.xid
                        )
                    });
                }
                self.end(tree, true)
            }
            Kind::CommitPrepared(tree) | Kind::AbortPrepared(tree) => self.end_prepared(tree),
            Kind::Prepare(tree) => self.prepare(tree),
            Kind::Assignment(tree) => self.assignment(tree),
            Kind::RunningXacts(running) => self.running_xacts(running),
            Kind::CheckpointOnline { next, .. } => {
                self.check_leap(next.dense(), self.next.dense())?;
                self.next = self.next.max(*next);
                Ok(())
            }
            Kind::CheckpointShutdown { next } => self.checkpoint_shutdown(*next),
            Kind::Init { .. } | Kind::InitShutdown { .. } => contradiction(Rule::InitOnce, || {
                "one init or init_shutdown, in the first line".into()
            }),
            Kind::InitPrepared(_) => Ok(()),
        }
    }

    #[cold]
    fn start(&mut self, first: &Kind<'_>) -> Result<(), Refused> {
        match (first, self.options.start) {
            (Kind::Init { next, .. }, _)
            | (Kind::CheckpointOnline { next, .. }, Start::AtCheckpoint) => {
                self.set_next(*next);
                self.phase = Phase::Initialized;
            }
            (Kind::InitShutdown { next }, _)
            | (Kind::CheckpointShutdown { next }, Start::AtCheckpoint) => {
                self.set_next(*next);
                self.oldest = next.dense();
                self.overflowed = self.observed;
                self.restore_ready(self.observed, &[])?;
            }
            (_, Start::AtInit) => {
                return contradiction(Rule::InitFirst, || "init or init_shutdown first".into());
            }
            (_, Start::AtCheckpoint) => return Ok(()),
        }
        self.starting = true;
        Ok(())
    }

    fn set_next(&mut self, next: FullXid) {
        self.next = next;
        self.observed = next.dense().prev();
    }
}

impl<S: Standby, W> fmt::Debug for Machine<S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine")
            .field("phase", &self.phase)
            .field("next", &self.next)
            .field("observed", &self.observed)
            .finish_non_exhaustive()
    }
}
