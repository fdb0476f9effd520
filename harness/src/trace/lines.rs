//! Whole lines out of a stream, in a buffer that is used again.
//!
//! ```text
//!  buffer  │ done │ line\n line\n … line\n │ beginning of a line │ free │
//!                 start                    complete              filled
//! ```
//!
//! Everything from `start` to `complete` is whole lines, so that a parser runs to a line's end by itself and no line is
//! searched twice. When no whole line is left, the beginning of the next one moves to the front and the rest is read.
//! Memory is bounded by the longest line, and that by [`LIMIT`]. Text that is in memory already is not copied: there
//! `buffer` is all of it, and `complete` moves on.

use std::{
    fs::File,
    io::{self, Cursor, Read},
    ops::Deref,
    path::Path,
    sync::Arc,
};

use flate2::read::MultiGzDecoder;

use super::{
    Lsn,
    error::{Problem, TraceError},
    fields::Expected,
};

/// Bytes asked for at once.
const CHUNK: usize = 64 << 10;

/// The longest line that is kept, in bytes: a running-transactions record with more than a million ids.
pub const LIMIT: usize = 16 << 20;

/// Whole lines out of a file, a pipe or memory, gunzipped where the first bytes say so.
pub(crate) struct Lines {
    input: Box<dyn Read + Send>,
    gzip: bool,
    ended: bool,
    file: Arc<str>,
    buffer: Buffer,
    start: usize,
    complete: usize,
    filled: usize,
    /// Where the line handed out last begins and ends. Right until the buffer is filled again.
    last: (usize, usize),
    /// Its number.
    number: u64,
}

enum Buffer {
    /// What has been read and not been gone over.
    Part(Vec<u8>),
    /// Everything.
    Whole(Arc<Vec<u8>>),
}

impl Deref for Buffer {
    type Target = Vec<u8>;

    #[inline]
    fn deref(&self) -> &Vec<u8> {
        match self {
            Buffer::Part(bytes) => bytes,
            Buffer::Whole(bytes) => bytes,
        }
    }
}

impl Lines {
    pub(crate) fn open(path: &Path) -> Result<Self, TraceError> {
        let file: Arc<str> = path.display().to_string().into();
        match File::open(path) {
            Ok(input) => Lines::new(Box::new(input), file),
            Err(error) => Err(TraceError::new(&file, None, Problem::Io(error))),
        }
    }

    pub(crate) fn new(mut input: Box<dyn Read + Send>, file: Arc<str>) -> Result<Self, TraceError> {
        let mut magic = Vec::new();
        if let Err(error) = input.by_ref().take(2).read_to_end(&mut magic) {
            return Err(TraceError::new(&file, None, Problem::Io(error)));
        }
        let gzip = magic == [0x1F, 0x8B];
        let whole = Cursor::new(magic).chain(input);
        let input: Box<dyn Read + Send> =
            if gzip { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) };
        Ok(Lines { gzip, ..Lines::start(input, file, Buffer::Part(vec![0; CHUNK])) })
    }

    /// Text in memory, which is no gzip.
    pub(crate) fn of_text(text: Arc<Vec<u8>>, file: Arc<str>) -> Self {
        let filled = text.len();
        Lines { filled, ..Lines::start(Box::new(io::empty()), file, Buffer::Whole(text)) }
    }

    fn start(input: Box<dyn Read + Send>, file: Arc<str>, buffer: Buffer) -> Self {
        Lines {
            input,
            gzip: false,
            ended: false,
            file,
            buffer,
            start: 0,
            complete: 0,
            filled: 0,
            last: (0, 0),
            number: 0,
        }
    }

    /// What begins with the next line and holds whole lines only. Empty at the end of the input.
    #[inline]
    pub(crate) fn window(&mut self) -> Result<&[u8], TraceError> {
        if self.start == self.complete {
            self.fill()?;
        }
        Ok(&self.buffer[self.start..self.complete])
    }

    #[cold]
    fn fill(&mut self) -> Result<(), TraceError> {
        let Buffer::Part(buffer) = &mut self.buffer else { return self.uncover() };
        buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        (self.start, self.complete, self.last) = (0, 0, (0, 0));
        while !self.ended {
            if self.filled == buffer.len() {
                if self.filled >= LIMIT {
                    return Err(self.beginning(Problem::LineTooLong(LIMIT)));
                }
                buffer.resize(2 * self.filled, 0);
            }
            match self.input.read(&mut buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(read) => {
                    let fresh = &buffer[self.filled..self.filled + read];
                    if let Some(end) = memchr::memrchr(b'\n', fresh) {
                        self.complete = self.filled + end + 1;
                    }
                    self.filled += read;
                    if self.complete > 0 {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let problem = if self.gzip { Problem::Gzip(error) } else { Problem::Io(error) };
                    return Err(self.beginning(problem));
                }
            }
        }
        if self.filled > 0 { Err(self.beginning(Problem::CutOff)) } else { Ok(()) }
    }

    /// Moves on in text that is all in memory, by so much that no line longer than the limit gets in.
    fn uncover(&mut self) -> Result<(), TraceError> {
        let rest = &self.buffer[self.start..];
        let piece = &rest[..rest.len().min(LIMIT)];
        match memchr::memrchr(b'\n', piece) {
            Some(end) => {
                self.complete = self.start + end + 1;
                Ok(())
            }
            None if piece.is_empty() => Ok(()),
            None if piece.len() == LIMIT => Err(self.beginning(Problem::LineTooLong(LIMIT))),
            None => Err(self.beginning(Problem::CutOff)),
        }
    }

    /// An error about the line whose beginning is all that could be read.
    fn beginning(&self, problem: Problem) -> TraceError {
        let line = &self.buffer[self.start..self.filled];
        TraceError::new(&self.file, Some((self.number + 1, line)), problem)
    }

    /// The window, and this many bytes before it; `None` where fewer are left.
    #[inline]
    pub(crate) fn window_from(&self, back: usize) -> Option<&[u8]> {
        Some(&self.buffer[self.start.checked_sub(back)?..self.complete])
    }

    /// Goes over this many lines of the same length.
    #[inline]
    pub(crate) fn advance_by(&mut self, lines: usize, length: usize) {
        if let Some(before) = lines.checked_sub(1) {
            self.start += before * length;
            self.number += before as u64;
            self.advance(length);
        }
    }

    /// The line handed out last, with its end.
    #[inline]
    pub(crate) fn last_line(&self) -> &[u8] {
        &self.buffer[self.last.0..self.last.1]
    }

    /// Goes over the next line, which has this many bytes with its end.
    #[inline]
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.last = (self.start, self.start + bytes);
        self.start += bytes;
        self.number += 1;
    }

    /// The length of the next line with its end; 0 at the end of the input.
    #[inline]
    pub(crate) fn length(&self) -> usize {
        let window = &self.buffer[self.start..self.complete];
        memchr::memchr(b'\n', window).map_or(0, |end| end + 1)
    }

    /// The next line, with its end.
    pub(crate) fn next_line(&self) -> &[u8] {
        &self.buffer[self.start..self.start + self.length()]
    }

    /// An error about the line that was gone over last.
    #[cold]
    pub(crate) fn error(&self, problem: Problem) -> TraceError {
        let (start, end) = self.last;
        TraceError::new(&self.file, Some((self.number, &self.buffer[start..end])), problem)
    }

    /// An error about the next line, in which something was expected at a place counted from the window's end.
    #[cold]
    pub(crate) fn malformed(&mut self, expected: Expected) -> TraceError {
        let column = self.complete - self.start - expected.bytes_left + 1;
        self.advance(self.length());
        self.error(Problem::Malformed { expected: expected.what, column })
    }

    /// An error about the next line, whose position lies before `after`.
    #[cold]
    pub(crate) fn goes_back(&mut self, after: Lsn) -> TraceError {
        self.advance(self.length());
        self.error(Problem::GoesBack { after })
    }

    /// An error about the whole file.
    pub(crate) fn whole(&self, problem: Problem) -> TraceError {
        TraceError::new(&self.file, None, problem)
    }
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines")
            .field("file", &self.file)
            .field("line", &self.number)
            .finish_non_exhaustive()
    }
}
