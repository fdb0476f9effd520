//! [`Input`]: the text of a trace in memory, unzipped.
//!
//! A pipe can be read once, and the speed of parsing is to be measured on text that is there already. So all of it is kept
//! until the [`History`](super::History) has been made out of it: memory is bounded by the input, not by a constant.

use std::{
    fs::File,
    io::{self, Cursor, Read},
    path::Path,
    sync::Arc,
};

use flate2::read::MultiGzDecoder;

use crate::trace::{Format, Problem, TraceError, TraceReader};

/// The text of a trace.
#[derive(Clone, Debug)]
pub struct Input {
    file: Arc<str>,
    /// Shared with the readers.
    text: Arc<Vec<u8>>,
    format: Format,
}

const GZIP: [u8; 2] = [0x1F, 0x8B];

impl Input {
    /// Reads a file, plain or gzip'd. Its form is found out, or has to be the one that is wanted.
    ///
    /// # Errors
    ///
    /// A file that cannot be opened or read, is empty, or has another form than the one that is wanted.
    pub fn open(path: &Path, wanted: Option<Format>) -> Result<Self, TraceError> {
        let file: Arc<str> = path.display().to_string().into();
        match File::open(path) {
            Ok(input) => Input::new(input, file, wanted),
            Err(error) => Err(TraceError::new(&file, None, Problem::Io(error))),
        }
    }

    /// Reads standard input to its end.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn stdin(wanted: Option<Format>) -> Result<Self, TraceError> {
        Input::new(io::stdin().lock(), "standard input", wanted)
    }

    /// Reads anything to its end; `file` names it in errors.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn new(
        mut input: impl Read,
        file: impl Into<Arc<str>>,
        wanted: Option<Format>,
    ) -> Result<Self, TraceError> {
        let file = file.into();
        let mut bytes = Vec::new();
        if let Err(error) = input.read_to_end(&mut bytes) {
            return Err(TraceError::new(&file, None, Problem::Io(error)));
        }
        let text = if bytes.starts_with(&GZIP) { unzip(bytes, &file)? } else { bytes };
        let mut input = Input { file, text: Arc::new(text), format: Format::Events };
        match input.reader().format()? {
            None => return Err(TraceError::new(&input.file, None, Problem::Empty)),
            Some(format) => input.format = format,
        }
        match wanted {
            Some(wanted) if wanted != input.format => Err(input.other_than(wanted)),
            _ => Ok(input),
        }
    }

    /// The name of the file, as errors have it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The form of its lines.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Its text, unzipped.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Reads its events, from the first one on.
    pub fn reader(&self) -> TraceReader {
        TraceReader::of_text(Arc::clone(&self.text), Arc::clone(&self.file))
    }

    /// The first line with content is not of the form that is wanted.
    fn other_than(&self, wanted: Format) -> TraceError {
        let expected = match wanted {
            Format::Events => "a line of events.txt (LSN KIND ARG..., one blank between fields)",
            Format::WalDump => "a record of pg_waldump (rmgr: ...)",
        };
        let lines = self.text().split(|&byte| byte == b'\n');
        let line = (1..).zip(lines).find(|(_, line)| !line.starts_with(b"#"));
        TraceError::new(&self.file, line, Problem::Malformed { expected, column: 1 })
    }
}

fn unzip(gzip: Vec<u8>, file: &Arc<str>) -> Result<Vec<u8>, TraceError> {
    let mut text = Vec::new();
    match MultiGzDecoder::new(&gzip[..]).read_to_end(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => {
            // Once more, line by line: the reader knows in which line it breaks.
            let mut reader = TraceReader::new(Cursor::new(gzip), Arc::clone(file))?;
            while reader.next_event()?.is_some() {}
            Err(TraceError::new(file, None, Problem::Gzip(error)))
        }
    }
}
