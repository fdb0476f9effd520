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

use snapshot_api::{BeginError, FullXid, RestoreError, SessionId, Snapshot, Standby, Xid};

use super::{
    ended::Ended,
    rule::{Contradiction, Rule},
    view::{Parents, View},
    watch::Watch,
};
use crate::trace::{Event, Kind, RunningXacts, Tree};

/// How far a standby has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// Nothing is known yet.
    Start,
    /// It knows the next id, not what runs (`STANDBY_INITIALIZED`).
    Initialized,
    /// It knows what runs, but for some subtransactions (`STANDBY_SNAPSHOT_PENDING`).
    Pending,
    /// It accepts queries (`STANDBY_SNAPSHOT_READY`).
    Ready,
}

/// Where a trace may begin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Start {
    /// With `init` or `init_shutdown`, which say what the state is.
    #[default]
    AtInit,
    /// Anywhere: what comes before the first checkpoint is passed over, and that checkpoint is the start. For text of
    /// pg_waldump, which has no other.
    AtCheckpoint,
}

/// How a machine is set up.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where the trace may begin.
    pub start: Start,
    /// How many ids may be skipped at once. A standby enters every id of a gap, so that one wrong digit would otherwise
    /// enter billions. PostgreSQL has 65 places a process: the default suits 129 thousand processes.
    pub leap: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { start: Start::AtInit, leap: 1 << 23 }
    }
}

/// Why an event was not applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The trace is wrong.
    Trace(Contradiction),
    /// The strategy refused what every standby has to do.
    Strategy(Refusal),
}

/// What a strategy refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// To enter an id.
    Begin(BeginError),
    /// To start from a known state.
    Restore(RestoreError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Begin(why) => write!(f, "begin refused: {why}"),
            Refusal::Restore(why) => write!(f, "restore refused: {why}"),
        }
    }
}

impl From<BeginError> for Refused {
    fn from(why: BeginError) -> Self {
        Refused::Strategy(Refusal::Begin(why))
    }
}

impl From<RestoreError> for Refused {
    fn from(why: RestoreError) -> Self {
        Refused::Strategy(Refusal::Restore(why))
    }
}

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

    fn init_prepared(&mut self, tree: &Tree<'_>) -> Result<(), Refused> {
        if !self.starting {
            return contradiction(Rule::InitPreparedFirst, || {
                "init_prepared right after init or init_shutdown".into()
            });
        }
        self.widen_tree(tree)?;
        let highest = self.tree.iter().copied().max().unwrap_or_default();
        if highest > self.observed {
            return contradiction(Rule::NextIsNext, || {
                format!("ids below {}, the next one", self.next.low())
            });
        }
        let xid = self.remember_prepared(tree)?;
        if self.phase == Phase::Ready {
            self.oldest = self.oldest.min(xid);
            for &sub in &self.tree[1..] {
                self.parents.insert(sub, xid);
            }
            self.revive(&[xid])?;
        }
        Ok(())
    }

    /// Widens against the next id, to the nearest one.
    #[inline]
    fn widen(&self, xid: u32) -> Xid {
        FullXid::widen(xid, self.next).dense()
    }

    /// Widens a tree into `self.tree`, its own id first.
    #[inline]
    fn widen_tree(&mut self, tree: &Tree<'_>) -> Result<(), Refused> {
        self.tree.clear();
        let xid = self.widen(tree.xid);
        self.tree.push(xid);
        let mut rising = true;
        let mut last = xid;
        for &sub in tree.subxids {
            let sub = self.widen(sub);
            rising &= sub > last;
            last = sub;
            self.tree.push(sub);
        }
        if rising { Ok(()) } else { self.check_tree(tree) }
    }

    /// A list that does not rise: is there a child below its parent, or one named twice?
    #[cold]
    fn check_tree(&self, tree: &Tree<'_>) -> Result<(), Refused> {
        if let Some(at) = self.tree[1..].iter().position(|&sub| sub < self.tree[0]) {
            return contradiction(Rule::ParentFirst, || {
                format!("subtransactions above their parent {}, not {}", tree.xid, tree.subxids[at])
            });
        }
        let mut sorted = self.tree.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let twice = FullXid::from_dense(pair[0]).unwrap_or_default().low();
                contradiction(Rule::NamedOnce, || format!("each id once, not {twice} twice"))
            }
            None => Ok(()),
        }
    }

    /// An id that a record carries or names (`RecordKnownAssignedTransactionIds`): all ids up to it run, unless they did
    /// something else before. Returns it widened.
    #[inline]
    fn observe(&mut self, xid: u32) -> Result<Xid, Refused> {
        let full = FullXid::widen(xid, self.next);
        let dense = full.dense();
        if dense > self.observed {
            self.enter(dense)?;
        }
        if full >= self.next {
            self.next = full.next();
        }
        Ok(dense)
    }

    fn enter(&mut self, xid: Xid) -> Result<(), Refused> {
        self.check_leap(xid, self.observed)?;
        if xid < self.oldest {
            return contradiction(Rule::OldestIsOldest, || {
                let xid = FullXid::from_dense(xid).unwrap_or_default().low();
                format!("no record of {xid}, which an earlier record says to be over")
            });
        }
        if self.phase != Phase::Initialized {
            let mut first = self.observed.next();
            if first < self.oldest {
                let late: Vec<Xid> = (first.get()..self.oldest.get()).map(Xid::new).collect();
                self.revive(&late)?;
                first = self.oldest;
            }
            for id in first.get()..=xid.get() {
                self.watch.before_step();
                self.instance.begin(STARTUP, Xid::new(id))?;
                self.watch.after_step();
            }
        }
        self.observed = xid;
        Ok(())
    }

    /// Ends a tree. That it runs was `known`, unless it is a prepared one that nothing told of.
    fn end(&mut self, tree: &Tree<'_>, known: bool) -> Result<(), Refused> {
        self.widen_tree(tree)?;
        self.observe(highest(tree, &self.tree))?;
        for at in 0..self.tree.len() {
            let xid = self.tree[at];
            if known && xid < self.oldest {
                return contradiction(Rule::OldestIsOldest, || {
                    let xid = FullXid::from_dense(xid).unwrap_or_default().low();
                    format!("no end of {xid}, which an earlier record says to be over")
                });
            }
            if !self.ended.insert(xid) {
                return contradiction(Rule::EndsOnce, || {
                    let xid = FullXid::from_dense(xid).unwrap_or_default().low();
                    format!("one end of {xid}, not a second one")
                });
            }
        }
        self.watch.before_step();
        self.instance.end(STARTUP, &self.tree);
        self.watch.after_step();
        Ok(())
    }

    fn prepare(&mut self, tree: &Tree<'_>) -> Result<(), Refused> {
        self.widen_tree(tree)?;
        if self.tree[0] > self.observed {
            return contradiction(Rule::AssignedFirst, || {
                format!("assign of {} before its prepare", tree.xid)
            });
        }
        if let Some(over) =
            self.tree.iter().find(|&&xid| xid < self.oldest || self.ended.contains(xid))
        {
            return contradiction(Rule::EndsOnce, || {
                let xid = FullXid::from_dense(*over).unwrap_or_default().low();
                format!("no prepare of {xid}, which has ended")
            });
        }
        self.remember_prepared(tree).map(drop)
    }

    /// Adds what is in `self.tree` to what is prepared.
    fn remember_prepared(&mut self, tree: &Tree<'_>) -> Result<Xid, Refused> {
        let xid = self.tree[0];
        if self.prepared.insert(xid, self.tree[1..].to_vec()).is_some() {
            return contradiction(Rule::PreparedOnce, || {
                format!("one prepare of {}, not a second one", tree.xid)
            });
        }
        Ok(xid)
    }

    fn end_prepared(&mut self, tree: &Tree<'_>) -> Result<(), Refused> {
        let xid = self.widen(tree.xid);
        let known = self.prepared.remove(&xid).is_some();
        if !known && self.options.start == Start::AtInit {
            return contradiction(Rule::PreparedEnd, || {
                format!("{} to be prepared before it ends as prepared", tree.xid)
            });
        }
        // Text of pg_waldump does not tell what was prepared before it begins: a shutdown checkpoint may have ended it.
        self.end(tree, known)
    }

    /// Subtransactions leave the list; from now on their parent is asked (`ProcArrayApplyXidAssignment`).
    fn assignment(&mut self, tree: &Tree<'_>) -> Result<(), Refused> {
        self.widen_tree(tree)?;
        let highest = self.observe(highest(tree, &self.tree))?;
        let (top, subs) = (self.tree[0], &self.tree[1..]);
        for &sub in subs {
            self.parents.insert(sub, top);
        }
        if self.phase != Phase::Initialized {
            self.watch.before_step();
            self.instance.forget(subs);
            self.watch.after_step();
            self.overflowed = self.overflowed.max(highest);
        }
        Ok(())
    }

    fn running_xacts(&mut self, running: &RunningXacts<'_>) -> Result<(), Refused> {
        let full_next = FullXid::widen(running.next, self.next);
        let next = full_next.dense();
        let oldest = self.widen(running.oldest_running);
        let latest = self.widen(running.latest_completed);
        self.check_leap(next, self.next.dense())?;
        self.check_running(running, oldest, next, latest)?;
        self.expire(oldest);
        self.next = self.next.max(full_next);
        match self.phase {
            Phase::Pending if running.overflowed && !running.xids.is_empty() => {
                if oldest > self.pending {
                    self.watch.before_step();
                    self.ready();
                    self.watch.after_step();
                }
                Ok(())
            }
            Phase::Initialized | Phase::Pending => {
                let ids = running.xids.iter().chain(running.subxids);
                let ids = ids.map(|&xid| self.widen(xid));
                let ids: Vec<Xid> = ids.filter(|&xid| !self.ended.contains(xid)).collect();
                self.observed = self.observed.max(next.prev());
                if running.overflowed {
                    self.phase = Phase::Pending;
                    self.pending = self.observed;
                    self.overflowed = self.observed;
                    self.restore(latest, &ids)
                } else {
                    self.overflowed = Xid::INVALID;
                    self.restore_ready(latest, &ids)
                }
            }
            Phase::Start | Phase::Ready => Ok(()),
        }
    }

    fn check_running(
        &self,
        running: &RunningXacts<'_>,
        oldest: Xid,
        next: Xid,
        latest: Xid,
    ) -> Result<(), Refused> {
        let ids = running.xids.iter().chain(running.subxids);
        if oldest > next || latest >= next {
            return contradiction(Rule::RunningInRange, || {
                format!("the oldest running id and the latest completed one below {}", running.next)
            });
        }
        for &xid in ids {
            let dense = self.widen(xid);
            if dense < oldest || dense >= next {
                return contradiction(Rule::RunningInRange, || {
                    format!(
                        "ids from {} to before {}, not {xid}",
                        running.oldest_running, running.next
                    )
                });
            }
        }
        Ok(())
    }

    /// Nothing below `oldest` is running (`ExpireOldKnownAssignedTransactionIds`): victims of a crash go.
    fn expire(&mut self, oldest: Xid) {
        if oldest > Xid::FIRST_NORMAL {
            self.watch.before_step();
            self.instance.complete(oldest.prev());
            self.watch.after_step();
        }
        if self.overflowed < oldest {
            self.overflowed = Xid::INVALID;
        }
        self.watch.before_step();
        self.instance.prune(oldest);
        self.watch.after_step();
        self.oldest = self.oldest.max(oldest);
        self.ended.forget_before(oldest);
        // Ids from the observed one on may still come to life late.
        let keep = oldest.min(self.observed.next());
        if self.parents.first_key_value().is_some_and(|(&sub, _)| sub < keep) {
            self.parents = self.parents.split_off(&keep);
        }
    }

    fn checkpoint_shutdown(&mut self, next: FullXid) -> Result<(), Refused> {
        self.check_leap(next.dense(), self.next.dense())?;
        let least = self.observed.next().max(self.oldest);
        if next.dense() < least {
            return contradiction(Rule::NextIsNext, || {
                let least = FullXid::from_dense(least).unwrap_or_default();
                format!("a next id not below {least}: all before that were handed out")
            });
        }
        self.next = next;
        let oldest = self.prepared.first_key_value().map_or(next.dense(), |(&xid, _)| xid);
        self.expire(oldest);
        if self.phase == Phase::Ready {
            return Ok(());
        }
        self.observed = self.observed.max(next.dense().prev());
        self.overflowed = self.observed;
        for (&xid, subs) in &self.prepared {
            self.parents.extend(subs.iter().map(|&sub| (sub, xid)));
        }
        let prepared: Vec<Xid> = self.prepared.keys().copied().collect();
        self.restore_ready(next.dense().prev(), &prepared)
    }

    /// Brings ids below xmax to life.
    fn revive(&mut self, ids: &[Xid]) -> Result<(), Refused> {
        self.instance.take(&mut self.taken);
        let mut running: Vec<Xid> = self.taken.running().collect();
        running.extend_from_slice(ids);
        self.restore(Xid::FROZEN, &running)
    }

    /// A new instance, in which these run. Latest completed is at least that of the old one.
    fn restore(&mut self, latest: Xid, running: &[Xid]) -> Result<(), Refused> {
        self.watch.before_step();
        self.renew(latest, running)?;
        self.watch.after_step();
        Ok(())
    }

    /// The same, and queries are accepted from now on: one step.
    fn restore_ready(&mut self, latest: Xid, running: &[Xid]) -> Result<(), Refused> {
        self.watch.before_step();
        self.renew(latest, running)?;
        self.ready();
        self.watch.after_step();
        Ok(())
    }

    fn renew(&mut self, latest: Xid, running: &[Xid]) -> Result<(), Refused> {
        self.instance.take(&mut self.taken);
        let latest = self.taken.xmax().prev().max(latest);
        self.instance = Arc::new(S::restore(&self.config, latest, running)?);
        if self.phase == Phase::Ready {
            self.watch.share(&self.instance);
        }
        Ok(())
    }

    fn ready(&mut self) {
        self.phase = Phase::Ready;
        self.watch.share(&self.instance);
    }

    #[inline]
    fn check_leap(&self, to: Xid, from: Xid) -> Result<(), Refused> {
        if to.get().saturating_sub(from.get()) <= self.options.leap {
            return Ok(());
        }
        contradiction(Rule::NoLeap, || {
            format!(
                "ids to rise by no more than {} at once, not from {from} to {to}",
                self.options.leap
            )
        })
    }
}

/// The highest id of a tree, as its record has it: `widened` is the same tree, the own id first.
#[inline]
fn highest(tree: &Tree<'_>, widened: &[Xid]) -> u32 {
    let mut highest = 0;
    for (at, xid) in widened.iter().enumerate() {
        if *xid > widened[highest] {
            highest = at;
        }
    }
    if highest == 0 { tree.xid } else { tree.subxids[highest - 1] }
}

#[cold]
fn contradiction<T>(rule: Rule, expected: impl FnOnce() -> String) -> Result<T, Refused> {
    Err(Refused::Trace(Contradiction { rule, expected: expected() }))
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
