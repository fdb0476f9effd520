//! [`Kind`]: what a load does, and which parameters it has.

use std::{fmt, ops::RangeInclusive, sync::Arc};

use super::LoadError;
use crate::{compare::recorded::Recorded, results::row::Parameter};

/// What a load does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Scans beside a writer.
    PageScan,
    /// Readers beside a replayer, one transaction open for the middle third.
    Standby,
    /// Sessions that read, write, or both.
    Sessions,
    /// A recording replayed beside readers.
    Replay,
}

/// A parameter of a kind.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its name, in files and on the command line.
    pub name: &'static str,
    /// Its value where a file says nothing.
    pub initial: Initial,
    /// What a number has to lie in.
    pub range: RangeInclusive<f64>,
    /// Whether it is a whole number.
    pub whole: bool,
}

/// What a parameter is where nobody says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Initial {
    /// Of a number.
    Number(f64),
    /// Of a name.
    Text(&'static str),
}

const fn count(name: &'static str, initial: f64, range: RangeInclusive<f64>) -> Spec {
    Spec { name, initial: Initial::Number(initial), range, whole: true }
}

/// The parameters of each kind, in the order of the files.
const PAGE_SCAN: &[Spec] = &[
    count("page-work", 61.0, 2.0..=10_000.0),
    count("pages", 256.0, 1.0..=100_000.0),
    count("running", 16.0, 1.0..=256.0),
    count("pause", 100.0, 1.0..=1_000_000.0),
    count("age", 1_000.0, 1.0..=1e9),
];
const STANDBY: &[Spec] = &[
    count("tests", 16.0, 0.0..=100_000.0),
    count("running", 16.0, 1.0..=256.0),
    count("transactions", 800_000.0, 1.0..=1e9),
];
const SESSIONS: &[Spec] = &[
    Spec { name: "read-share", initial: Initial::Number(0.9), range: 0.0..=1.0, whole: false },
    count("tests", 16.0, 0.0..=100_000.0),
    count("slots", 200.0, 1.0..=1_000.0),
    count("writers", 0.0, 0.0..=512.0),
    count("running", 16.0, 0.0..=256.0),
    count("window", 0.0, 0.0..=1e7),
];
const REPLAY: &[Spec] = &[
    Spec { name: "recording", initial: Initial::Text("big_300k"), range: 0.0..=0.0, whole: false },
    count("pace", 0.0, 0.0..=1e9),
    count("tests", 16.0, 0.0..=100_000.0),
];

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::PageScan, Kind::Standby, Kind::Sessions, Kind::Replay];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::PageScan => "page-scan",
            Kind::Standby => "standby",
            Kind::Sessions => "sessions",
            Kind::Replay => "replay",
        }
    }

    /// Its parameters.
    pub fn parameters(self) -> &'static [Spec] {
        match self {
            Kind::PageScan => PAGE_SCAN,
            Kind::Standby => STANDBY,
            Kind::Sessions => SESSIONS,
            Kind::Replay => REPLAY,
        }
    }

    /// Whether the strategy has to be one that can play a standby.
    pub fn needs_standby(self) -> bool {
        matches!(self, Kind::Standby | Kind::Replay)
    }
}

/// The parameters of a load at one point of its sweep.
#[derive(Clone, Debug)]
pub enum What {
    /// Of [`Kind::PageScan`].
    PageScan(PageScan),
    /// Of [`Kind::Standby`].
    Standby(Standby),
    /// Of [`Kind::Sessions`].
    Sessions(Sessions),
    /// Of [`Kind::Replay`].
    Replay(Replay),
}

/// Scans beside a writer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PageScan {
    /// Row versions on a page.
    pub page_work: usize,
    /// Pages of the table.
    pub pages: usize,
    /// Transactions that are open at any time.
    pub running: usize,
    /// How long the writer rests between two of its turns, in microseconds.
    pub pause: u64,
    /// How old a snapshot may get before its rows may go, in microseconds.
    pub age: u64,
}

/// Readers beside a replayer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Standby {
    /// Visibility tests after a take.
    pub tests: u64,
    /// Transactions that run at any time besides the long one.
    pub running: usize,
    /// Transactions a second that the replayer keeps up with.
    pub transactions: u64,
}

/// Sessions that read, write, or both.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sessions {
    /// Share of the operations that only read.
    pub read_share: f64,
    /// Visibility tests after a take.
    pub tests: u64,
    /// Slots among which the sessions lie.
    pub slots: usize,
    /// Sessions that write without pause, besides.
    pub writers: usize,
    /// Transactions that are open all the time.
    pub running: usize,
    /// Ids that have ended since the oldest of them began.
    pub window: u64,
}

/// A recording replayed beside readers.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Its events.
    pub recorded: Arc<Recorded>,
    /// Events a second; 0 for as fast as it goes.
    pub pace: f64,
    /// Visibility tests after a reader's take.
    pub tests: u64,
}

impl What {
    /// What `kind` does with these values, one for each of its parameters and in range, and so many threads.
    ///
    /// # Errors
    ///
    /// A combination that is impossible, a recording that is not there; `place` names the load.
    pub(super) fn new(
        kind: Kind,
        value: impl Fn(&str) -> Parameter,
        threads: usize,
        place: &str,
    ) -> Result<Self, LoadError> {
        let number = |name| match value(name) {
            Parameter::Number(number) => number,
            Parameter::Text(_) => 0.0,
        };
        // In range: the tables above have no range that does not fit.
        let count = |name| number(name) as usize;
        Ok(match kind {
            Kind::PageScan => What::PageScan(PageScan {
                page_work: count("page-work"),
                pages: count("pages"),
                running: count("running"),
                pause: number("pause") as u64,
                age: number("age") as u64,
            }),
            Kind::Standby => What::Standby(Standby {
                tests: number("tests") as u64,
                running: count("running"),
                transactions: number("transactions") as u64,
            }),
            Kind::Sessions => {
                let sessions = Sessions {
                    read_share: number("read-share"),
                    tests: number("tests") as u64,
                    slots: count("slots"),
                    writers: count("writers"),
                    running: count("running"),
                    window: number("window") as u64,
                };
                sessions.fit(threads, place)?;
                What::Sessions(sessions)
            }
            Kind::Replay => What::Replay(Replay {
                recorded: match value("recording") {
                    Parameter::Text(name) => {
                        Recorded::named(&name).map_err(|expected| LoadError::at(place, expected))?
                    }
                    Parameter::Number(number) => {
                        let expected = format!("expected the name of a recording, not {number}");
                        return Err(LoadError::at(place, expected));
                    }
                },
                pace: number("pace"),
                tests: number("tests") as u64,
            }),
        })
    }

    /// Which kind it is of.
    pub fn kind(&self) -> Kind {
        match self {
            What::PageScan(_) => Kind::PageScan,
            What::Standby(_) => Kind::Standby,
            What::Sessions(_) => Kind::Sessions,
            What::Replay(_) => Kind::Replay,
        }
    }
}

impl Sessions {
    /// Each session needs a slot: those that are measured, the writers, the idle ones, and one that makes the window.
    fn fit(&self, threads: usize, place: &str) -> Result<(), LoadError> {
        let Sessions { slots, writers, running, window, .. } = *self;
        let needed = threads + writers + running + usize::from(window > 0);
        if needed <= slots {
            return Ok(());
        }
        let expected = format!(
            "expected a slot for each session: {threads} threads, {writers} writers, {running} running and the maker of a window \
             of {window} need {needed}, there are {slots} slots (--slots)"
        );
        Err(LoadError::at(place, expected))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
