//! Events out of lines of pg_waldump: up to two a line, and most lines hold none.

use super::{TraceReader, behind};
use crate::trace::{
    Lsn, TraceError,
    event::Shape,
    fields::{Cursor, Parsed},
    waldump,
};

impl TraceReader {
    /// The next event before the limit.
    pub(super) fn next_dumped(&mut self, limit: Lsn) -> Result<Option<(Lsn, Shape)>, TraceError> {
        loop {
            if self.lines.window()?.is_empty() {
                return Ok(None);
            }
            let line = self.lines.next_line();
            let length = line.len();
            // With --bkp-details a record is followed by lines about its blocks.
            if matches!(line[0], b'#' | b'\t') {
                self.lines.advance(length);
                continue;
            }
            let found = match dumped(line, limit, self.last, &mut self.ids) {
                Ok(found) => found,
                Err(mut expected) => {
                    // Counted from the end of the window, as the lines count.
                    expected.bytes_left += self.lines.window()?.len() - length;
                    return Err(self.lines.malformed(expected));
                }
            };
            let (lsn, xid, shape) = match found {
                Dumped::Behind => return Ok(None),
                Dumped::GoesBack => return Err(self.lines.goes_back(self.last)),
                Dumped::Record(lsn, xid, shape) => (lsn, xid, shape),
            };
            if !std::mem::take(&mut self.assigned)
                && let Some(xid) = xid
                && self.seen.is_first(xid)
            {
                self.assigned = shape.is_some();
                if shape.is_none() {
                    self.lines.advance(length);
                    self.last = Lsn::new(lsn.get() + 1);
                }
                return Ok(Some((lsn, Shape::Assign(xid))));
            }
            self.lines.advance(length);
            // Two records never start at the same place.
            self.last = Lsn::new(lsn.get() + 1);
            if let Some(shape) = shape {
                self.seen.apply(shape, &self.ids);
                return Ok(Some((lsn, shape)));
            }
        }
    }
}

/// What a line of pg_waldump holds.
enum Dumped {
    /// It starts at or behind the limit.
    Behind,
    /// It starts before the line before it.
    GoesBack,
    /// Where it starts, the id in its header, and what it does.
    Record(Lsn, Option<u32>, Option<Shape>),
}

fn dumped(line: &[u8], limit: Lsn, last: Lsn, ids: &mut Vec<u32>) -> Parsed<Dumped> {
    let head = waldump::head(&mut Cursor::new(line))?;
    if head.lsn < last {
        return Ok(Dumped::GoesBack);
    }
    if behind(head.lsn, limit) {
        return Ok(Dumped::Behind);
    }
    ids.clear();
    Ok(Dumped::Record(head.lsn, head.xid, waldump::shape(&head, ids)?))
}
