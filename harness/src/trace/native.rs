//! Lines of `events.txt`: `LSN KIND ARG...`, one blank between fields.

use super::{
    Lsn,
    event::{Kind, Shape, Tree, TreeKind},
    fields::{Cursor, HEX, Parsed, leading_digits, leading_hex_digits},
};

/// What the first event of a file begins with.
pub(crate) const LINE: &str =
    "a line of events.txt (LSN KIND ARG..., one blank between fields) or of pg_waldump (rmgr: ...)";

const KINDS: &str = "one blank and a known kind with arguments: init, init_shutdown, init_prepared, assign, commit, abort, \
     prepare, commit_prepared, abort_prepared, assignment, running_xacts, checkpoint_online or checkpoint_shutdown";

/// How many bytes must follow for [`short`].
const AHEAD: usize = 48;

/// Reads a line of the form that nearly all have, and returns its length too: a short position, `assign`, `commit` or
/// `abort`, one id, the end. `None` for every other line, right or wrong: [`kind`] looks at those.
///
/// One pass over a piece of fixed size, without a bounds check that could fail.
#[inline(always)]
pub(crate) fn short(window: &[u8]) -> Option<(Lsn, Kind<'static>, usize)> {
    let piece = window.first_chunk::<AHEAD>()?;
    let word = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&piece[at..at + 8]);
        u64::from_le_bytes(bytes)
    };
    let high = HEX[usize::from(piece[0])];
    let (low, hex_digits) = leading_hex_digits(word(2));
    if high > 15 || piece[1] != b'/' || hex_digits == 0 {
        return None;
    }
    let lsn = Lsn::new(u64::from(high) << 32 | u64::from(low));
    let at = 2 + hex_digits;
    const ASSIGN: u64 = u64::from_le_bytes(*b" assign ");
    const COMMIT: u64 = u64::from_le_bytes(*b" commit ");
    const ABORT: u64 = u64::from_le_bytes(*b" abort \0");
    let name = word(at);
    let aborted = name & (u64::MAX >> 8) == ABORT;
    // No branch tells the kinds apart: which comes next in a log is as good as random.
    if !(aborted | (name == ASSIGN) | (name == COMMIT)) {
        return None;
    }
    let at = at + 8 - usize::from(aborted);
    let (mut xid, mut digits) = leading_digits(word(at));
    if digits == 8 {
        let (last, more) = leading_digits(word(at + 8));
        if more > 2 {
            return None;
        }
        xid = xid * [1, 10, 100][more] + last;
        digits += more;
    }
    if digits == 0 || piece[at + digits] != b'\n' {
        return None;
    }
    let xid = u32::try_from(xid).ok().filter(|&xid| xid > 2)?;
    let tree = Tree { xid, subxids: &[] };
    let kind = match name {
        ASSIGN => Kind::Assign(xid),
        COMMIT => Kind::Commit(tree),
        _ => Kind::Abort(tree),
    };
    Some((lsn, kind, at + digits + 1))
}

/// Reads what follows the LSN, up to and with the end of the line. Lists go to `ids`, which is emptied before.
pub(crate) fn kind<'a>(cursor: &mut Cursor<'_>, ids: &'a mut Vec<u32>) -> Parsed<Kind<'a>> {
    ids.clear();
    let kind = shape(cursor, ids)?.with(ids);
    if cursor.skip(b"\n") { Ok(kind) } else { cursor.expected("the end of the line") }
}

fn shape(cursor: &mut Cursor<'_>, ids: &mut Vec<u32>) -> Parsed<Shape> {
    if cursor.skip(b" assign ") {
        Ok(Shape::Assign(cursor.xid()?))
    } else if cursor.skip(b" commit ") {
        tree(cursor, ids, TreeKind::Commit)
    } else if cursor.skip(b" abort ") {
        tree(cursor, ids, TreeKind::Abort)
    } else {
        rare(cursor, ids)
    }
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
        cursor.expected(KINDS)
    }
}

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
