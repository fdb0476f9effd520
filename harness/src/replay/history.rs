//! [`History`]: the events of a trace in memory, for all strategies the same.
//!
//! ```text
//!  entries  │ 0/28 init  │ 0/28 running_xacts 100 │ 0/60 assign 101 │ 0/A8 commit 101 │ …    16 bytes each, in the log's order
//!                 │                  │                                       │
//!  words    │ 3 next next oldest │ 5 99 100 0 1 100 │                  │ 2 102 103 │ …       4 bytes each, where an entry has more
//! ```
//!
//! The alternative is to keep the text and to parse it again for each strategy. Entries are smaller (16 bytes against 25 for a
//! line of `events.txt` and 180 of `pg_waldump`, most of whose lines are no event), and the same for every form of text:
//! going over them took 3 to 7 ns an event, where parsing takes 4 ns (`events.txt`, lines alike), 23 ns (lines of all kinds)
//! and 126 to 138 ns (`pg_waldump`).

use std::{error::Error, fmt, ops::ControlFlow};

use snapshot_api::FullXid;

use super::Input;
use crate::{
    nothing::Nothing,
    standby::{Machine, Options, Phase, Refused, Start},
    trace::{Event, Format, Kind, Lsn, RunningXacts, TraceError, Tree},
};

/// The events of a trace that no rule objects to.
///
/// ```
/// use harness::replay::{History, Input};
///
/// let text = "0/28 init 100 100\n0/28 running_xacts 100 99 100 0 0 0\n0/60 assign 100\n0/A8 commit 100\n";
/// let history = History::read(&Input::new(text.as_bytes(), "example", None)?)?;
/// assert_eq!(history.before_ready(), 2, "init and running_xacts make the standby accept queries");
/// assert_eq!(history.events().skip(2).map(|event| event.to_string()).collect::<Vec<_>>(), [
///     "0/60 assign 100",
///     "0/A8 commit 100",
/// ]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct History {
    entries: Vec<Entry>,
    words: Vec<u32>,
    start: Start,
    before_ready: usize,
}

/// An event without its lists.
#[derive(Clone, Copy, Debug)]
struct Entry {
    lsn: Lsn,
    xid: u32,
    tag: Tag,
    /// Whether there are words of it: their number, then the words.
    more: bool,
}

#[derive(Clone, Copy, Debug)]
enum Tag {
    Init,
    InitShutdown,
    InitPrepared,
    Assign,
    Commit,
    Abort,
    Prepare,
    CommitPrepared,
    AbortPrepared,
    Assignment,
    RunningXacts,
    CheckpointOnline,
    CheckpointShutdown,
}

/// A trace that cannot be replayed.
#[derive(Debug)]
pub enum Unusable {
    /// It is not as it should be.
    Trace(TraceError),
    /// No standby accepts queries at any point of it.
    NeverReady {
        /// The file as the user named it.
        file: String,
        /// How many events it has.
        events: usize,
        /// Which form.
        format: Format,
    },
}

impl From<TraceError> for Unusable {
    fn from(error: TraceError) -> Self {
        Unusable::Trace(error)
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Trace(error) => error.fmt(f),
            Unusable::NeverReady { file, events, format } => {
                let start = match format {
                    Format::Events => "init or init_shutdown",
                    Format::WalDump => "a checkpoint",
                };
                write!(
                    f,
                    "{file}: expected {start}, and later a record of running transactions with all their \
                     subtransactions: at none of its {events} events a standby accepts queries"
                )
            }
        }
    }
}

impl Error for Unusable {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Unusable::Trace(error) => Some(error),
            Unusable::NeverReady { .. } => None,
        }
    }
}

impl History {
    /// Reads and checks all events. No strategy is involved: what a trace may say does not depend on one.
    ///
    /// # Errors
    ///
    /// A line that is not as it should be, an event that contradicts those before it, or no point at which a standby
    /// accepts queries.
    pub fn read(input: &Input) -> Result<Self, Unusable> {
        let start = match input.format() {
            Format::Events => Start::AtInit,
            Format::WalDump => Start::AtCheckpoint,
        };
        let mut history =
            History { entries: Vec::new(), words: Vec::new(), start, before_ready: 0 };
        let mut reader = input.reader();
        let mut machine = history.machine_of_nothing();
        let end = reader.each(|event| {
            history.push(event);
            history.before_ready += usize::from(machine.phase() < Phase::Ready);
            match machine.apply(event) {
                Ok(()) => ControlFlow::Continue(()),
                Err(Refused::Trace(contradiction)) => ControlFlow::Break(contradiction),
                Err(Refused::Strategy(never)) => unreachable!("nothing refuses nothing: {never}"),
            }
        })?;
        if let ControlFlow::Break(contradiction) = end {
            return Err(reader.contradicted(contradiction).into());
        }
        if machine.phase() < Phase::Ready {
            return Err(Unusable::NeverReady {
                file: input.file().into(),
                events: history.entries.len(),
                format: input.format(),
            });
        }
        history.entries.shrink_to_fit();
        history.words.shrink_to_fit();
        Ok(history)
    }

    fn machine_of_nothing(&self) -> Machine<Nothing> {
        match Machine::new((), self.options()) {
            Ok(machine) => machine,
            Err(never) => unreachable!("nothing refuses nothing: {never}"),
        }
    }

    /// How a machine has to be set up for it.
    pub fn options(&self) -> Options {
        Options { start: self.start, ..Options::default() }
    }

    /// How many events come first, up to and with the one that makes a standby accept queries.
    pub fn before_ready(&self) -> usize {
        self.before_ready
    }

    /// How many events come after that one.
    pub fn after_ready(&self) -> usize {
        self.entries.len() - self.before_ready
    }

    /// Bytes that it occupies.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.words.capacity() * size_of::<u32>()
    }

    /// All events in the order of the log.
    pub fn events(&self) -> Events<'_> {
        Events { entries: self.entries.iter(), words: &self.words }
    }

    fn push(&mut self, event: &Event<'_>) {
        let full =
            |next: FullXid, oldest: Option<u32>| [next.low(), next.epoch(), oldest.unwrap_or(0)];
        let before = self.words.len();
        // Its number of words goes here if there are any.
        self.words.push(0);
        let (tag, xid) = match event.kind {
            Kind::Assign(xid) => (Tag::Assign, xid),
            Kind::Commit(tree) => self.tree(Tag::Commit, tree),
            Kind::Abort(tree) => self.tree(Tag::Abort, tree),
            Kind::Prepare(tree) => self.tree(Tag::Prepare, tree),
            Kind::CommitPrepared(tree) => self.tree(Tag::CommitPrepared, tree),
            Kind::AbortPrepared(tree) => self.tree(Tag::AbortPrepared, tree),
            Kind::Assignment(tree) => self.tree(Tag::Assignment, tree),
            Kind::InitPrepared(tree) => self.tree(Tag::InitPrepared, tree),
            Kind::Init { next, oldest } => self.full(Tag::Init, full(next, oldest)),
            Kind::InitShutdown { next } => self.full(Tag::InitShutdown, full(next, None)),
            Kind::CheckpointOnline { next, oldest } => {
                self.full(Tag::CheckpointOnline, full(next, oldest))
            }
            Kind::CheckpointShutdown { next } => {
                self.full(Tag::CheckpointShutdown, full(next, None))
            }
            Kind::RunningXacts(running) => {
                let RunningXacts { latest_completed, oldest_running, overflowed, xids, .. } =
                    running;
                let count = xids.len() as u32;
                self.words.extend([latest_completed, oldest_running, overflowed.into(), count]);
                self.words.extend_from_slice(xids);
                self.words.extend_from_slice(running.subxids);
                (Tag::RunningXacts, running.next)
            }
        };
        let words = self.words.len() - before - 1;
        if words == 0 {
            self.words.truncate(before);
        } else {
            // A line has at most `LINE_LIMIT` bytes, so that its number of words fits by far.
            self.words[before] = words as u32;
        }
        self.entries.push(Entry { lsn: event.lsn, xid, tag, more: words > 0 });
    }

    fn tree(&mut self, tag: Tag, tree: Tree<'_>) -> (Tag, u32) {
        self.words.extend_from_slice(tree.subxids);
        (tag, tree.xid)
    }

    fn full(&mut self, tag: Tag, words: [u32; 3]) -> (Tag, u32) {
        self.words.extend(words);
        (tag, 0)
    }
}

/// The events of a [`History`] in the order of the log.
#[derive(Clone, Debug)]
pub struct Events<'a> {
    entries: std::slice::Iter<'a, Entry>,
    words: &'a [u32],
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    #[inline]
    fn next(&mut self) -> Option<Event<'a>> {
        let &Entry { lsn, xid, tag, more } = self.entries.next()?;
        let mut words: &[u32] = &[];
        if more {
            let (count, rest) = self.words.split_first()?;
            (words, self.words) = rest.split_at(*count as usize);
        }
        let tree = Tree { xid, subxids: words };
        let kind = match tag {
            Tag::Assign => Kind::Assign(xid),
            Tag::Commit => Kind::Commit(tree),
            Tag::Abort => Kind::Abort(tree),
            Tag::Prepare => Kind::Prepare(tree),
            Tag::CommitPrepared => Kind::CommitPrepared(tree),
            Tag::AbortPrepared => Kind::AbortPrepared(tree),
            Tag::Assignment => Kind::Assignment(tree),
            Tag::InitPrepared => Kind::InitPrepared(tree),
            Tag::Init => {
                let (next, oldest) = full(words);
                Kind::Init { next, oldest }
            }
            Tag::InitShutdown => Kind::InitShutdown { next: full(words).0 },
            Tag::CheckpointOnline => {
                let (next, oldest) = full(words);
                Kind::CheckpointOnline { next, oldest }
            }
            Tag::CheckpointShutdown => Kind::CheckpointShutdown { next: full(words).0 },
            Tag::RunningXacts => {
                let (xids, subxids) = words[4..].split_at(words[3] as usize);
                Kind::RunningXacts(RunningXacts {
                    next: xid,
                    latest_completed: words[0],
                    oldest_running: words[1],
                    overflowed: words[2] != 0,
                    xids,
                    subxids,
                })
            }
        };
        Some(Event { lsn, kind })
    }
}

fn full(words: &[u32]) -> (FullXid, Option<u32>) {
    (FullXid::from_parts(words[1], words[0]), Some(words[2]).filter(|&oldest| oldest != 0))
}
