//! [`Event`]: one thing that the log tells a standby about transactions.

use std::fmt;

use snapshot_api::FullXid;

use super::Lsn;

/// One thing that the log tells a standby about transactions. Borrows its lists from the reader.
///
/// Ids are PostgreSQL's 32-bit ones, not yet widened; a reader lets no reserved one through. Its `Display` is a line of
/// `events.txt`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event<'a> {
    /// Start of the record in the log. Several events may come out of one record.
    pub lsn: Lsn,
    /// What happened.
    pub kind: Kind<'a>,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind<'a> {
    /// Recovery starts at an online checkpoint.
    Init {
        /// The checkpoint's next id.
        next: FullXid,
        /// Its oldest running id, where it knows one.
        oldest: Option<u32>,
    },
    /// Recovery starts at a shutdown checkpoint.
    InitShutdown {
        /// The checkpoint's next id.
        next: FullXid,
    },
    /// A transaction was prepared before recovery starts.
    InitPrepared(Tree<'a>),
    /// The first record that carries this id.
    Assign(u32),
    /// A transaction committed, with those of its subtransactions that it kept.
    Commit(Tree<'a>),
    /// A transaction, or a subtransaction rolled back to a savepoint, aborted.
    Abort(Tree<'a>),
    /// `PREPARE TRANSACTION`: it goes on running.
    Prepare(Tree<'a>),
    /// `COMMIT PREPARED`.
    CommitPrepared(Tree<'a>),
    /// `ROLLBACK PREPARED`.
    AbortPrepared(Tree<'a>),
    /// These subtransactions belong to this top-level transaction.
    Assignment(Tree<'a>),
    /// What runs on the primary.
    RunningXacts(RunningXacts<'a>),
    /// A checkpoint beside running transactions.
    CheckpointOnline {
        /// Its next id.
        next: FullXid,
        /// Its oldest running id, where it knows one.
        oldest: Option<u32>,
    },
    /// A clean stop, or the end of a crash recovery, of the primary.
    CheckpointShutdown {
        /// Its next id.
        next: FullXid,
    },
}

/// A transaction and subtransactions of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tree<'a> {
    /// The id that the record is about.
    pub xid: u32,
    /// Ids below it in the tree.
    pub subxids: &'a [u32],
}

/// A running-transactions record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunningXacts<'a> {
    /// The next id that the primary hands out.
    pub next: u32,
    /// The highest id that ended.
    pub latest_completed: u32,
    /// The lowest id that runs, or `next`.
    pub oldest_running: u32,
    /// Whether subtransactions are missing.
    pub overflowed: bool,
    /// Running top-level ids, in no order; one may stand twice.
    pub xids: &'a [u32],
    /// Running subtransactions. `pg_waldump` prints them from version 16 on.
    pub subxids: &'a [u32],
}

/// An event whose lists are still where the reader put them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Init { next: FullXid, oldest: Option<u32> },
    InitShutdown { next: FullXid },
    Assign(u32),
    Tree(TreeKind, u32),
    Running { next: u32, latest_completed: u32, oldest_running: u32, overflowed: bool, xids: usize },
    CheckpointOnline { next: FullXid, oldest: Option<u32> },
    CheckpointShutdown { next: FullXid },
}

/// Which of the events that are about a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TreeKind {
    InitPrepared,
    Commit,
    Abort,
    Prepare,
    CommitPrepared,
    AbortPrepared,
    Assignment,
}

impl Shape {
    /// The event, with its lists: `ids` holds what the parser pushed.
    #[inline]
    pub(crate) fn with(self, ids: &[u32]) -> Kind<'_> {
        match self {
            Shape::Assign(xid) => Kind::Assign(xid),
            Shape::Tree(kind, xid) => {
                let tree = Tree { xid, subxids: ids };
                match kind {
                    TreeKind::InitPrepared => Kind::InitPrepared(tree),
                    TreeKind::Commit => Kind::Commit(tree),
                    TreeKind::Abort => Kind::Abort(tree),
                    TreeKind::Prepare => Kind::Prepare(tree),
                    TreeKind::CommitPrepared => Kind::CommitPrepared(tree),
                    TreeKind::AbortPrepared => Kind::AbortPrepared(tree),
                    TreeKind::Assignment => Kind::Assignment(tree),
                }
            }
            Shape::Running { next, latest_completed, oldest_running, overflowed, xids } => {
                let (xids, subxids) = ids.split_at(xids);
                Kind::RunningXacts(RunningXacts {
                    next,
                    latest_completed,
                    oldest_running,
                    overflowed,
                    xids,
                    subxids,
                })
            }
            Shape::Init { next, oldest } => Kind::Init { next, oldest },
            Shape::InitShutdown { next } => Kind::InitShutdown { next },
            Shape::CheckpointOnline { next, oldest } => Kind::CheckpointOnline { next, oldest },
            Shape::CheckpointShutdown { next } => Kind::CheckpointShutdown { next },
        }
    }
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.lsn, self.kind)
    }
}

impl fmt::Display for Kind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Init { next, oldest } => write!(f, "init {next} {}", oldest.unwrap_or(0)),
            Kind::InitShutdown { next } => write!(f, "init_shutdown {next} 0"),
            Kind::InitPrepared(tree) => write!(f, "init_prepared {tree}"),
            Kind::Assign(xid) => write!(f, "assign {xid}"),
            Kind::Commit(tree) => write!(f, "commit {tree}"),
            Kind::Abort(tree) => write!(f, "abort {tree}"),
            Kind::Prepare(tree) => write!(f, "prepare {tree}"),
            Kind::CommitPrepared(tree) => write!(f, "commit_prepared {tree}"),
            Kind::AbortPrepared(tree) => write!(f, "abort_prepared {tree}"),
            Kind::Assignment(tree) => write!(f, "assignment {tree}"),
            Kind::RunningXacts(running) => write!(f, "running_xacts {running}"),
            Kind::CheckpointOnline { next, oldest } => {
                write!(f, "checkpoint_online {next} {}", oldest.unwrap_or(0))
            }
            Kind::CheckpointShutdown { next } => write!(f, "checkpoint_shutdown {next} 0"),
        }
    }
}

impl fmt::Display for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.xid)?;
        self.subxids.iter().try_for_each(|xid| write!(f, " {xid}"))
    }
}

impl fmt::Display for RunningXacts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {} {} {} {}",
            self.next,
            self.latest_completed,
            self.oldest_running,
            u8::from(self.overflowed),
            self.xids.len(),
            self.subxids.len()
        )?;
        self.xids.iter().chain(self.subxids).try_for_each(|xid| write!(f, " {xid}"))
    }
}
