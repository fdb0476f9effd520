//! The rules that a trace keeps, by name.

use std::{error::Error, fmt};

/// What the records of one log cannot do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Rule {
    /// `events.txt` begins with `init` or `init_shutdown`.
    InitFirst,
    /// There is one start.
    InitOnce,
    /// `init_prepared` follows the start, before anything else.
    InitPreparedFirst,
    /// A list names an id once. (A running-transactions record may name one twice: while it is being prepared.)
    NamedOnce,
    /// A subtransaction's id lies above those of its parents.
    ParentFirst,
    /// A transaction ends once.
    EndsOnce,
    /// What a running-transactions record or a shutdown checkpoint says to be over has no further record.
    OldestIsOldest,
    /// The record that prepares a transaction carries its id: `assign` comes before, or the id was known at the start.
    AssignedFirst,
    /// A transaction is prepared once at a time.
    PreparedOnce,
    /// `commit_prepared` and `abort_prepared` end what was prepared, and nothing else does.
    PreparedEnd,
    /// In a running-transactions record: oldest running ≤ every id < next, and latest completed < next.
    RunningInRange,
    /// A shutdown checkpoint's next id lies above every id that had a record or is said to be over; what was prepared before
    /// recovery starts lies below the next id.
    NextIsNext,
    /// Snapshots come from a standby that accepts queries.
    ReadyFirst,
    /// Ids do not leap further than servers can have transactions running.
    NoLeap,
}

impl Rule {
    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::InitFirst => "init-first",
            Rule::InitOnce => "init-once",
            Rule::InitPreparedFirst => "init-prepared-first",
            Rule::NamedOnce => "named-once",
            Rule::ParentFirst => "parent-first",
            Rule::EndsOnce => "ends-once",
            Rule::OldestIsOldest => "oldest-is-oldest",
            Rule::AssignedFirst => "assigned-first",
            Rule::PreparedOnce => "prepared-once",
            Rule::PreparedEnd => "prepared-end",
            Rule::RunningInRange => "running-in-range",
            Rule::NextIsNext => "next-is-next",
            Rule::ReadyFirst => "ready-first",
            Rule::NoLeap => "no-leap",
        }
    }
}

/// A record that contradicts the ones before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// The rule that it breaks.
    pub rule: Rule,
    /// What was expected instead.
    pub expected: String,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "contradicts the records before it (rule {}): expected {}",
            self.rule.name(),
            self.expected
        )
    }
}

impl Error for Contradiction {}
