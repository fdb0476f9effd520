//! Lines of `pg_waldump`, as it prints them.
//!
//! ```text
//! rmgr: Heap        len (rec/tot):     67/    67, tx:     290042, lsn: 0/3104D908, prev 0/3104D8C0, desc: INSERT off 37
//! rmgr: Transaction len (rec/tot):     34/    34, tx:     290042, lsn: 0/3104D958, prev 0/3104D908, desc: COMMIT 2026…
//! ```
//!
//! The first record with an id in its header (`tx`, 0 for none) is an `assign`, whichever resource manager wrote it; what
//! the record itself does comes after that. Which ids had a record before is remembered until they end, so that
//! memory is bounded by what runs.
//!
//! Versions up to 15 do not print the subtransactions of a running-transactions record, and no version prints which
//! transactions were prepared before the log begins. A standby that starts from such text may therefore miss running
//! subtransactions until the ones that ran at the start have ended.
//!
//! Source: PostgreSQL's `xactdesc.c`, `standbydesc.c`, `xlogdesc.c`; forms checked against 15.18.

use std::collections::HashSet;

use memchr::memmem;
use snapshot_api::FullXid;

use super::{
    Lsn,
    event::{Shape, TreeKind},
    fields::{Cursor, Parsed},
};

/// What every record's line begins with.
pub(crate) const START: &[u8] = b"rmgr: ";

/// What pg_waldump prints first when it was told to start where no record does.
pub(crate) const NOTE: &[u8] = b"first record is after ";

/// The fixed part of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    /// The id in the record's header.
    pub(crate) xid: Option<u32>,
    pub(crate) lsn: Lsn,
    manager: Manager,
    desc: Cursor<'a>,
}

/// The resource managers that tell something about transactions besides the id in the header.
#[derive(Clone, Copy, Debug)]
enum Manager {
    Transaction,
    Standby,
    Xlog,
    Other,
}

/// Reads the line's fixed part.
#[inline]
pub(crate) fn head<'a>(cursor: &mut Cursor<'a>) -> Parsed<Head<'a>> {
    cursor.literal("rmgr: ")?;
    let manager = if cursor.skip(b"Transaction ") {
        Manager::Transaction
    } else if cursor.skip(b"Standby ") {
        Manager::Standby
    } else if cursor.skip(b"XLOG ") {
        Manager::Xlog
    } else {
        cursor.word();
        Manager::Other
    };
    cursor.blanks();
    cursor.literal("len (rec/tot):")?;
    cursor.blanks();
    cursor.number()?;
    cursor.literal("/")?;
    cursor.blanks();
    cursor.number()?;
    cursor.literal(", tx:")?;
    cursor.blanks();
    let xid = header_xid(cursor)?;
    cursor.literal(", lsn: ")?;
    let lsn = cursor.lsn()?;
    cursor.literal(", prev ")?;
    cursor.lsn()?;
    cursor.literal(", desc: ")?;
    Ok(Head { xid, lsn, manager, desc: *cursor })
}

/// Ids 1 and 2 stand in records that the bootstrap process wrote; like 0 they belong to no transaction.
#[inline]
fn header_xid(cursor: &mut Cursor<'_>) -> Parsed<Option<u32>> {
    let before = *cursor;
    match cursor.number() {
        Ok(0..=2) => Ok(None),
        Ok(xid) => Ok(Some(xid)),
        Err(_) => before.expected("a 32-bit transaction id, or 0 for none"),
    }
}

/// What the record does besides carrying an id. Lists go to `ids`.
pub(crate) fn shape(head: &Head<'_>, ids: &mut Vec<u32>) -> Parsed<Option<Shape>> {
    let mut desc = head.desc;
    match head.manager {
        Manager::Transaction => transaction(&mut desc, head.xid, ids),
        Manager::Standby => running(&mut desc, ids),
        Manager::Xlog => checkpoint(&mut desc),
        Manager::Other => Ok(None),
    }
}

fn transaction(
    desc: &mut Cursor<'_>,
    header: Option<u32>,
    ids: &mut Vec<u32>,
) -> Parsed<Option<Shape>> {
    let of_header = |desc: &Cursor<'_>| match header {
        Some(xid) => Ok(xid),
        None => desc.expected("a record whose header carries an id (tx is not 0)"),
    };
    let (kind, xid) = if desc.skip(b"COMMIT_PREPARED ") {
        (TreeKind::CommitPrepared, before_colon(desc)?)
    } else if desc.skip(b"ABORT_PREPARED ") {
        (TreeKind::AbortPrepared, before_colon(desc)?)
    } else if desc.skip(b"COMMIT ") {
        (TreeKind::Commit, of_header(desc)?)
    } else if desc.skip(b"ABORT ") {
        (TreeKind::Abort, of_header(desc)?)
    } else if desc.skip(b"PREPARE ") {
        (TreeKind::Prepare, of_header(desc)?)
    } else if desc.skip(b"ASSIGNMENT xtop ") {
        let top = before_colon(desc)?;
        desc.literal(" subxacts:")?;
        list(desc, ids)?;
        if ids.is_empty() {
            return desc.expected("at least one subtransaction");
        }
        return Ok(Some(Shape::Tree(TreeKind::Assignment, top)));
    } else {
        return Ok(None);
    };
    // The last one: a name that a user gave to a prepared transaction stands before it and may hold anything.
    // Most lines have no semicolon at all, which is found out much faster.
    if memchr::memchr(b';', desc.rest()).is_some()
        && let Some(at) = memmem::rfind(desc.rest(), b"; subxacts:")
    {
        *desc = Cursor::new(&desc.rest()[at..]);
        desc.literal("; subxacts:")?;
        list(desc, ids)?;
    }
    Ok(Some(Shape::Tree(kind, xid)))
}

fn before_colon(desc: &mut Cursor<'_>) -> Parsed<u32> {
    let xid = desc.xid()?;
    desc.literal(":")?;
    Ok(xid)
}

/// Ids with a blank before each, up to the end of the line or a semicolon.
fn list(desc: &mut Cursor<'_>, ids: &mut Vec<u32>) -> Parsed<()> {
    while desc.skip(b" ") {
        ids.push(desc.xid()?);
    }
    match desc.peek() {
        Some(b';' | b'\n') => Ok(()),
        _ => desc.expected("a blank and an id, a semicolon, or the end of the line"),
    }
}

fn running(desc: &mut Cursor<'_>, ids: &mut Vec<u32>) -> Parsed<Option<Shape>> {
    if !desc.skip(b"RUNNING_XACTS ") {
        return Ok(None);
    }
    desc.literal("nextXid ")?;
    let next = desc.xid()?;
    desc.literal(" latestCompletedXid ")?;
    let latest_completed = desc.xid()?;
    desc.literal(" oldestRunningXid ")?;
    let oldest_running = desc.xid()?;
    let mut overflowed = false;
    let mut xids = 0;
    while desc.skip(b"; ") {
        if desc.skip(b"subxid ovf") || desc.skip(b"subxid overflowed") {
            overflowed = true;
            continue;
        }
        let before = *desc;
        let count = desc.number()? as usize;
        let had = ids.len();
        let top = desc.skip(b" xacts:");
        if !top {
            desc.literal(" subxacts:")?;
        }
        list(desc, ids)?;
        if ids.len() - had != count {
            return before.expected("as many ids as the count before them says");
        }
        if top {
            xids = ids.len();
        }
    }
    desc.literal("\n")?;
    Ok(Some(Shape::Running { next, latest_completed, oldest_running, overflowed, xids }))
}

fn checkpoint(desc: &mut Cursor<'_>) -> Parsed<Option<Shape>> {
    let online = desc.skip(b"CHECKPOINT_ONLINE ");
    if !online && !desc.skip(b"CHECKPOINT_SHUTDOWN ") {
        return Ok(None);
    }
    let next = next_xid(after(desc, "; xid ")?)?;
    let oldest = after(desc, "; oldest running xid ")?.xid_or_none()?;
    Ok(Some(if online {
        Shape::CheckpointOnline { next, oldest }
    } else {
        Shape::CheckpointShutdown { next }
    }))
}

fn after<'a>(desc: &Cursor<'a>, word: &'static str) -> Parsed<Cursor<'a>> {
    match memmem::find(desc.rest(), word.as_bytes()) {
        Some(at) => Ok(Cursor::new(&desc.rest()[at + word.len()..])),
        None => desc.expected(word),
    }
}

/// `EPOCH:XID`.
fn next_xid(mut cursor: Cursor<'_>) -> Parsed<FullXid> {
    let epoch = cursor.number()?;
    cursor.literal(":")?;
    Ok(FullXid::from_parts(epoch, cursor.xid()?))
}

/// Ids that had a record and have not ended since.
///
/// Most records carry an id that had one just before: a small table, one id a place, answers for them.
#[derive(Debug)]
pub(crate) struct Seen {
    recent: Box<[u32; RECENT]>,
    all: HashSet<u32>,
}

const RECENT: usize = 1 << 10;

impl Seen {
    pub(crate) fn new() -> Self {
        Seen { recent: Box::new([0; RECENT]), all: HashSet::new() }
    }

    /// Whether this is the id's first record.
    #[inline]
    pub(crate) fn is_first(&mut self, xid: u32) -> bool {
        let place = &mut self.recent[xid as usize % RECENT];
        if *place == xid {
            return false;
        }
        *place = xid;
        self.all.insert(xid)
    }

    /// Forgets ids that no further record will carry.
    pub(crate) fn apply(&mut self, shape: Shape, ids: &[u32]) {
        match shape {
            Shape::Tree(
                TreeKind::Commit
                | TreeKind::Abort
                | TreeKind::CommitPrepared
                | TreeKind::AbortPrepared,
                xid,
            ) => {
                for xid in ids.iter().chain([&xid]) {
                    self.all.remove(xid);
                    let place = &mut self.recent[*xid as usize % RECENT];
                    if *place == *xid {
                        *place = 0;
                    }
                }
            }
            // Victims of a crash have no end of their own.
            Shape::Running { oldest_running: oldest, .. } => self.forget_before(oldest),
            _ => {}
        }
    }

    fn forget_before(&mut self, oldest: u32) {
        self.all.retain(|&xid| xid.wrapping_sub(oldest) as i32 >= 0);
        for place in self.recent.iter_mut() {
            if place.wrapping_sub(oldest) as i32 <= 0 {
                *place = 0;
            }
        }
    }
}
