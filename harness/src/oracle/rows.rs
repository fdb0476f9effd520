//! [`RowReader`]: the lines of `snapshots.tsv`.
//!
//! ```text
//! #lsn       pg_current_snapshot  txid_current_snapshot  xmin    xmax    suboverflowed  nextXid  xip            hidden
//! 0/2B001410 245283:245374:       245283:245374:         245283  245374  0              245390   245283,245284
//! ```
//!
//! Fields are separated by tabs, ids are PostgreSQL's 64-bit ones. The second and third columns are text of functions
//! that know nothing of a standby's list; they are passed over.

use std::{io::Read, path::Path, sync::Arc};

use snapshot_api::Xid;

use crate::trace::{
    Lsn, Problem, TraceError,
    fields::{Cursor, Parsed},
    lines::Lines,
};

/// What the first line is.
const HEADER: &str = "#lsn\tpg_current_snapshot\ttxid_current_snapshot\txmin\txmax\tsuboverflowed\tnextXid\txip\thidden";

const HEADER_EXPECTED: &str = "the header of snapshots.tsv (#lsn, pg_current_snapshot, \
     txid_current_snapshot, xmin, xmax, suboverflowed, nextXid, xip, hidden, separated by tabs)";

/// From this window on PostgreSQL was not asked for hidden ids.
const HIDDEN_WINDOW: u64 = 20_000;

/// A snapshot that a real standby computed. Ids are dense.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    /// End of the last record replayed: events that start before it are in the snapshot.
    pub lsn: Lsn,
    /// Nothing below is in progress.
    pub xmin: Xid,
    /// Everything from here on is.
    pub xmax: Xid,
    /// Whether running subtransactions may be missing in the list.
    pub suboverflowed: bool,
    /// The next id.
    pub next: Xid,
    /// Ids in progress, in rising order.
    pub xip: Vec<Xid>,
    /// Ids in progress that only their parents tell of, in rising order; `None` where it was not asked.
    pub hidden: Option<Vec<Xid>>,
}

/// Reads rows one by one.
#[derive(Debug)]
pub struct RowReader {
    lines: Lines,
    row: Row,
    begun: bool,
}

impl RowReader {
    /// Reads a file, plain or gzip'd.
    ///
    /// # Errors
    ///
    /// A file that cannot be opened or read.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        Lines::open(path).map(RowReader::from_lines)
    }

    /// Reads anything, plain or gzip'd; `file` names it in errors.
    ///
    /// # Errors
    ///
    /// Input that cannot be read.
    pub fn new(
        input: impl Read + Send + 'static,
        file: impl Into<Arc<str>>,
    ) -> Result<Self, TraceError> {
        Lines::new(Box::new(input), file.into()).map(RowReader::from_lines)
    }

    fn from_lines(lines: Lines) -> Self {
        RowReader { lines, row: Row::default(), begun: false }
    }

    /// The next row; `None` at the end.
    ///
    /// # Errors
    ///
    /// A line that is not as it should be, input that cannot be read, or a file without a header. What follows an error
    /// has no meaning.
    pub fn next_row(&mut self) -> Result<Option<&Row>, TraceError> {
        if !self.begun {
            self.header()?;
            self.begun = true;
        }
        let window = self.lines.window()?;
        if window.is_empty() {
            return Ok(None);
        }
        let mut cursor = Cursor::new(window);
        let last = self.row.lsn;
        match parse(&mut cursor, &mut self.row) {
            Ok(()) if self.row.lsn < last => Err(self.lines.goes_back(last)),
            Ok(()) => {
                let bytes = window.len() - cursor.rest().len();
                self.lines.advance(bytes);
                Ok(Some(&self.row))
            }
            Err(expected) => Err(self.lines.malformed(expected)),
        }
    }

    fn header(&mut self) -> Result<(), TraceError> {
        let window = self.lines.window()?;
        if window.is_empty() {
            return Err(self.lines.whole(Problem::Empty));
        }
        let mut cursor = Cursor::new(window);
        if cursor.skip(HEADER.as_bytes()) && cursor.skip(b"\n") {
            self.lines.advance(HEADER.len() + 1);
            return Ok(());
        }
        match Cursor::new(window).expected(HEADER_EXPECTED) {
            Ok(()) => Ok(()),
            Err(expected) => Err(self.lines.malformed(expected)),
        }
    }

    /// The position of the row handed out last, and an error about its line.
    pub(crate) fn error(&self, problem: Problem) -> TraceError {
        self.lines.error(problem)
    }
}

fn parse(cursor: &mut Cursor<'_>, row: &mut Row) -> Parsed<()> {
    row.lsn = cursor.lsn()?;
    tab(cursor)?;
    pass_over(cursor)?;
    pass_over(cursor)?;
    row.xmin = cursor.full_xid()?.dense();
    tab(cursor)?;
    let before = *cursor;
    row.xmax = cursor.full_xid()?.dense();
    if row.xmax < row.xmin {
        return before.expected("an xmax not below xmin");
    }
    tab(cursor)?;
    row.suboverflowed = match cursor.peek() {
        Some(flag @ b'0'..=b'1') => {
            cursor.literal(if flag == b'1' { "1" } else { "0" })?;
            flag == b'1'
        }
        _ => return cursor.expected("0 or 1, whether subtransactions may be missing"),
    };
    tab(cursor)?;
    row.next = cursor.full_xid()?.dense();
    tab(cursor)?;
    list(cursor, &mut row.xip, row.xmin, row.xmax)?;
    tab(cursor)?;
    let before = *cursor;
    if cursor.skip(b"skipped") {
        row.hidden = None;
    } else {
        let hidden = row.hidden.get_or_insert_default();
        list(cursor, hidden, row.xmin, row.xmax)?;
        if row.xmax.get() - row.xmin.get() > HIDDEN_WINDOW {
            return before.expected("skipped, since xmax - xmin is above 20000");
        }
    }
    cursor.literal("\n").or_else(|_| cursor.expected("the end of the line"))
}

fn tab(cursor: &mut Cursor<'_>) -> Parsed<()> {
    if cursor.skip(b"\t") { Ok(()) } else { cursor.expected("a tab") }
}

/// Goes to behind the next tab.
fn pass_over(cursor: &mut Cursor<'_>) -> Parsed<()> {
    match memchr::memchr2(b'\t', b'\n', cursor.rest()) {
        Some(at) => {
            *cursor = Cursor::new(&cursor.rest()[at..]);
            tab(cursor)
        }
        None => cursor.expected("a tab"),
    }
}

/// Ids in rising order with commas in between.
fn list(cursor: &mut Cursor<'_>, ids: &mut Vec<Xid>, from: Xid, to: Xid) -> Parsed<()> {
    ids.clear();
    if matches!(cursor.peek(), Some(b'\t' | b'\n')) {
        return Ok(());
    }
    let mut least = from;
    loop {
        let before = *cursor;
        let xid = cursor.full_xid()?.dense();
        if xid < least || xid >= to {
            return before.expected("ids in rising order, from xmin to before xmax");
        }
        ids.push(xid);
        least = xid.next();
        if !cursor.skip(b",") {
            return Ok(());
        }
    }
}
