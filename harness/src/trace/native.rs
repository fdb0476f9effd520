//! Lines of `events.txt`: `LSN KIND ARG...`, one blank between fields.

use super::{
    event::{Shape, TreeKind},
    fields::{Cursor, Parsed},
};

/// What the first event of a file begins with.
pub(crate) const LINE: &str =
    "a line of events.txt (LSN KIND ARG..., one blank between fields) or of pg_waldump (rmgr: ...)";

const KIND: &str = "one blank and a known kind with arguments: init, init_shutdown, init_prepared, assign, commit, abort, \
     prepare, commit_prepared, abort_prepared, assignment, running_xacts, checkpoint_online or checkpoint_shutdown";

/// Reads what follows the LSN, up to and with the end of the line. Lists go to `ids`, which is emptied before.
#[inline]
pub(crate) fn shape(cursor: &mut Cursor<'_>, ids: &mut Vec<u32>) -> Parsed<Shape> {
    ids.clear();
    let shape = if cursor.skip(b" assign ") {
        Shape::Assign(cursor.xid()?)
    } else if cursor.skip(b" commit ") {
        tree(cursor, ids, TreeKind::Commit)?
    } else if cursor.skip(b" abort ") {
        tree(cursor, ids, TreeKind::Abort)?
    } else {
        rare(cursor, ids)?
    };
    if cursor.skip(b"\n") { Ok(shape) } else { cursor.expected("the end of the line") }
}

fn rare(cursor: &mut Cursor<'_>, ids: &mut Vec<u32>) -> Parsed<Shape> {
    if cursor.skip(b" prepare ") {
        tree(cursor, ids, TreeKind::Prepare)
    } else if cursor.skip(b" commit_prepared ") {
        tree(cursor, ids, TreeKind::CommitPrepared)
    } else if cursor.skip(b" abort_prepared ") {
        tree(cursor, ids, TreeKind::AbortPrepared)
    } else if cursor.skip(b" init_prepared ") {
        tree(cursor, ids, TreeKind::InitPrepared)
    } else if cursor.skip(b" assignment ") {
        let shape = tree(cursor, ids, TreeKind::Assignment)?;
        if ids.is_empty() { cursor.expected("at least one subtransaction") } else { Ok(shape) }
    } else if cursor.skip(b" running_xacts ") {
        running(cursor, ids)
    } else if cursor.skip(b" checkpoint_online ") {
        let (next, oldest) = (cursor.full_xid()?, oldest(cursor)?);
        Ok(Shape::CheckpointOnline { next, oldest })
    } else if cursor.skip(b" checkpoint_shutdown ") {
        let next = cursor.full_xid()?;
        none(cursor)?;
        Ok(Shape::CheckpointShutdown { next })
    } else if cursor.skip(b" init ") {
        let (next, oldest) = (cursor.full_xid()?, oldest(cursor)?);
        Ok(Shape::Init { next, oldest })
    } else if cursor.skip(b" init_shutdown ") {
        let next = cursor.full_xid()?;
        none(cursor)?;
        Ok(Shape::InitShutdown { next })
    } else {
        cursor.expected(KIND)
    }
}

#[inline]
fn tree(cursor: &mut Cursor<'_>, ids: &mut Vec<u32>, kind: TreeKind) -> Parsed<Shape> {
    let xid = cursor.xid()?;
    list(cursor, ids)?;
    Ok(Shape::Tree(kind, xid))
}

#[inline]
fn list(cursor: &mut Cursor<'_>, ids: &mut Vec<u32>) -> Parsed<()> {
    while cursor.skip(b" ") {
        ids.push(cursor.xid()?);
    }
    Ok(())
}

fn oldest(cursor: &mut Cursor<'_>) -> Parsed<Option<u32>> {
    cursor.literal(" ")?;
    cursor.xid_or_none()
}

fn none(cursor: &mut Cursor<'_>) -> Parsed<()> {
    let before = *cursor;
    match oldest(cursor)? {
        None => Ok(()),
        Some(_) => before.expected("0, since nothing runs at a shutdown checkpoint"),
    }
}

fn running(cursor: &mut Cursor<'_>, ids: &mut Vec<u32>) -> Parsed<Shape> {
    let next = cursor.xid()?;
    cursor.literal(" ")?;
    let latest_completed = cursor.xid()?;
    cursor.literal(" ")?;
    let oldest_running = cursor.xid()?;
    let overflowed = if cursor.skip(b" 1 ") {
        true
    } else if cursor.skip(b" 0 ") {
        false
    } else {
        return cursor.expected("0 or 1, whether subtransactions are missing");
    };
    let xids = cursor.number()? as usize;
    cursor.literal(" ")?;
    let subxids = cursor.number()? as usize;
    let before = *cursor;
    list(cursor, ids)?;
    if ids.len() != xids + subxids {
        return before.expected("as many ids as XCNT and SUBXCNT say");
    }
    Ok(Shape::Running { next, latest_completed, oldest_running, overflowed, xids })
}
