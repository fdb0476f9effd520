//! [`TraceReader`]: events out of a file, a pipe or memory, whatever form they have.

mod dumped;
mod each;

use std::{io::Read, path::Path, sync::Arc};

use super::{
    Lsn,
    error::{Problem, TraceError},
    event::Event,
    fields::{Cursor, Expected},
    lines::Lines,
    native, waldump,
};
use crate::standby::Contradiction;

/// The form of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// `events.txt`: events alone, beginning with the state at the start.
    Events,
    /// The text that `pg_waldump` prints, with all resource managers.
    WalDump,
}

/// Reads events one by one, in the order of the log.
///
/// Whether the input is gzip'd shows in its first two bytes, which form it has in its first line. Nothing is allocated for
/// a line: numbers are parsed out of the buffer, lists go into a vector that is used again.
///
/// ```
/// use harness::trace::{Kind, TraceReader};
///
/// let text = "0/28 init 100 100\n0/60 assign 100\n0/A8 commit 100\n";
/// let mut reader = TraceReader::new(text.as_bytes(), "example")?;
/// let mut commits = 0;
/// while let Some(event) = reader.next_event()? {
///     commits += u32::from(matches!(event.kind, Kind::Commit(_)));
/// }
/// assert_eq!(commits, 1);
/// # Ok::<(), harness::trace::TraceError>(())
/// ```
#[derive(Debug)]
pub struct TraceReader {
    lines: Lines,
    format: Option<Format>,
    ids: Vec<u32>,
    seen: waldump::Seen,
    /// The next line's `assign` has been handed out, what its record does has not.
    assigned: bool,
    last: Lsn,
    empty: bool,
}

impl TraceReader {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// A file that cannot be opened or read.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        Lines::open(path).map(TraceReader::from_lines)
    }

    /// Reads standard input.
    ///
    /// # Errors
    ///
    /// Input that cannot be read.
    pub fn stdin() -> Result<Self, TraceError> {
        TraceReader::new(std::io::stdin(), "standard input")
    }

    /// Reads anything; `file` names it in errors.
    ///
    /// # Errors
    ///
    /// Input that cannot be read.
    pub fn new(
        input: impl Read + Send + 'static,
        file: impl Into<Arc<str>>,
    ) -> Result<Self, TraceError> {
        Lines::new(Box::new(input), file.into()).map(TraceReader::from_lines)
    }

    /// Reads text in memory, unzipped, without copying it; `file` names it in errors.
    pub fn of_text(text: Arc<Vec<u8>>, file: impl Into<Arc<str>>) -> Self {
        TraceReader::from_lines(Lines::of_text(text, file.into()))
    }

    fn from_lines(lines: Lines) -> Self {
        TraceReader {
            lines,
            format: None,
            ids: Vec::new(),
            seen: waldump::Seen::new(),
            assigned: false,
            last: Lsn::default(),
            empty: true,
        }
    }

    /// The form of the input; `None` for an empty one. Reads up to the first line with content.
    ///
    /// # Errors
    ///
    /// Input that cannot be read.
    pub fn format(&mut self) -> Result<Option<Format>, TraceError> {
        loop {
            if self.format.is_some() {
                return Ok(self.format);
            }
            match self.lines.window()? {
                [] => return Ok(None),
                window if window[0] == b'#' || window.starts_with(waldump::NOTE) => {
                    self.lines.advance(self.lines.length());
                }
                window => {
                    let dump = window.starts_with(waldump::START);
                    self.format = Some(if dump { Format::WalDump } else { Format::Events });
                }
            }
        }
    }

    /// The next event; `None` at the end. For all of them, [`each`](Self::each) is much faster.
    ///
    /// # Errors
    ///
    /// A line that is not as it should be, input that cannot be read, or a file without any event. What follows an error
    /// has no meaning.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, TraceError> {
        self.next_before(Lsn::MAX)
    }

    /// The next event if it starts before `limit`; `None` at the end as well.
    ///
    /// # Errors
    ///
    /// As for [`next_event`](Self::next_event).
    #[inline]
    pub fn next_before(&mut self, limit: Lsn) -> Result<Option<Event<'_>>, TraceError> {
        if self.format != Some(Format::Events) {
            return self.next_other(limit);
        }
        let window = self.lines.window()?;
        if let Some((lsn, kind, bytes)) = native::short(window)
            && lsn >= self.last
        {
            if behind(lsn, limit) {
                return Ok(None);
            }
            self.lines.advance(bytes);
            self.last = lsn;
            self.empty = false;
            return Ok(Some(Event { lsn, kind }));
        }
        self.next_long(limit)
    }

    /// A line that is longer than most, or wrong.
    #[inline(never)]
    fn next_long(&mut self, limit: Lsn) -> Result<Option<Event<'_>>, TraceError> {
        let mut window = self.lines.window()?;
        while let [b'#', ..] = window {
            self.lines.advance(self.lines.length());
            window = self.lines.window()?;
        }
        if window.is_empty() {
            return self.end(limit);
        }
        let length = window.len();
        let mut cursor = Cursor::new(window);
        let lsn = match cursor.lsn() {
            Ok(lsn) => lsn,
            Err(expected) => return Err(self.no_position(expected)),
        };
        if lsn < self.last {
            return Err(self.lines.goes_back(self.last));
        }
        if behind(lsn, limit) {
            return Ok(None);
        }
        match native::kind(&mut cursor, &mut self.ids) {
            Ok(kind) => {
                let bytes = length - cursor.rest().len();
                self.lines.advance(bytes);
                self.last = lsn;
                self.empty = false;
                Ok(Some(Event { lsn, kind }))
            }
            Err(expected) => Err(self.lines.malformed(expected)),
        }
    }

    /// The first event of any input, and every one of pg_waldump's text.
    fn next_other(&mut self, limit: Lsn) -> Result<Option<Event<'_>>, TraceError> {
        match self.format()? {
            None => self.end(limit),
            Some(Format::Events) => self.next_before(limit),
            Some(Format::WalDump) => match self.next_dumped(limit)? {
                Some((lsn, shape)) => {
                    self.empty = false;
                    Ok(Some(Event { lsn, kind: shape.with(&self.ids) }))
                }
                None => self.end(limit),
            },
        }
    }

    /// No event before the limit; without a limit there should have been one.
    fn end(&self, limit: Lsn) -> Result<Option<Event<'_>>, TraceError> {
        if self.empty && limit == Lsn::MAX {
            return Err(self.lines.whole(Problem::Empty));
        }
        Ok(None)
    }

    /// A line that does not begin with an LSN. If it is the first one, the file may be anything.
    #[cold]
    fn no_position(&mut self, mut expected: Expected) -> TraceError {
        if self.empty {
            expected.what = native::LINE;
        }
        self.lines.malformed(expected)
    }

    /// An error about the event that was handed out last: it contradicts those before it.
    pub fn contradicted(&self, contradiction: Contradiction) -> TraceError {
        self.lines.error(Problem::Contradiction(contradiction))
    }
}

/// [`Lsn::MAX`] limits nothing.
#[inline]
fn behind(lsn: Lsn, limit: Lsn) -> bool {
    lsn >= limit && limit < Lsn::MAX
}
