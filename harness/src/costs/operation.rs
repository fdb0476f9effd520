//! The operations: their names, what is timed, and what is aimed at.

use snapshot_api::measure::Yardstick;

/// One core's write seen by another: half a round trip of a line that two threads write in turn.
pub const TRANSFER: &str = "cache-line transfer";

/// What is measured of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// Its name in rows.
    pub name: &'static str,
    /// What is timed.
    pub what: &'static str,
    /// What it is a multiple of, with the goal where there is one; a row each.
    pub against: &'static [(&'static str, Option<&'static str>)],
}

/// A take into a value after which nothing has ended.
pub const UNCHANGED: Operation = Operation {
    name: "take unchanged",
    what: "a take into a value that was taken a moment ago, nothing has ended since",
    against: &[(Yardstick::Load.name(), Some("at most 2 for every design with a version"))],
};

/// A take after an end.
pub const FRESH: Operation = Operation {
    name: "take fresh",
    what: "a begin, an end and a take, less the same begin and end without the take",
    against: &[
        (
            Yardstick::Load.name(),
            Some(
                "at most 6 for the best design, and flat: within 1.5 times from 256 to 10 million",
            ),
        ),
        (
            Yardstick::Copy.name(),
            Some(
                "hierarchical-bitmap, windows 2 thousand to 1 million: at most 12 clustered, 25 uniform",
            ),
        ),
    ],
};

/// One end, many readers.
pub const FRESH_64: Operation = Operation {
    name: "take fresh, 64 values",
    what: "one end, then a take into each of 64 values: a 64th of their time",
    against: &[(Yardstick::Load.name(), None), (Yardstick::Copy.name(), None)],
};

/// The export of the list.
pub const RUNNING: Operation = Operation {
    name: "running",
    what: "all of a snapshot's running ids, written into a list",
    against: &[(Yardstick::Copy.name(), None)],
};

/// A transaction.
pub const BEGIN_END: Operation = Operation {
    name: "begin+end",
    what: "one transaction begins and one ends, one thread",
    against: &[(Yardstick::FetchAdd.name(), Some("at most 12 for the best design"))],
};

/// Visibility of a few ids.
pub const HOT: Operation = Operation {
    name: "is_running hot",
    what: "visibility tests of the same eight ids, four of which run",
    against: &[(Yardstick::Search.name(), Some("at most 0.5 for the best design"))],
};

/// Visibility of any id.
pub const UNIFORM: Operation = Operation {
    name: "is_running uniform",
    what: "visibility tests of random ids of the whole window: cache misses are in it where the bytes held exceed the cache",
    against: &[(Yardstick::Search.name(), Some("at most 1 for the best design"))],
};

/// A take while another core ends: the median.
pub const BESIDE_P50: Operation = Operation {
    name: "take beside ends p50",
    what: "single takes while another core begins and ends without pause, the median",
    against: &[(TRANSFER, Some("at most 3 for the best design"))],
};

/// The same: 99 of 100 take no longer.
pub const BESIDE_P99: Operation = Operation {
    name: "take beside ends p99",
    what: "the same: 99 of 100 take no longer",
    against: &[(TRANSFER, Some("at most 3 for the best design"))],
};

/// The operations of snapshot strategies, in the order of the tables.
pub const OF_SNAPSHOTS: [Operation; 9] =
    [UNCHANGED, FRESH, FRESH_64, RUNNING, BEGIN_END, HOT, UNIFORM, BESIDE_P50, BESIDE_P99];

/// A reader's look at the threshold.
pub const TIMESTAMP: Operation = Operation {
    name: "timestamp",
    what: "a reader's look after each page, nobody else there",
    against: &[(Yardstick::Load.name(), Some("at most 1.5 for seqlock or split-atomic"))],
};

/// The same beside another reader.
pub const BESIDE_READER: Operation = Operation {
    name: "timestamp beside a reader",
    what: "the same while another core reads without pause",
    against: &[(Yardstick::Load.name(), Some("at most 1.5 for seqlock or split-atomic"))],
};

/// The same beside a setter.
pub const BESIDE_ADVANCER: Operation = Operation {
    name: "timestamp beside an advancer",
    what: "the same while another core advances without pause: the line moves between the cores",
    against: &[(Yardstick::Load.name(), None)],
};

/// The pair.
pub const LOAD: Operation = Operation {
    name: "load",
    what: "the pair, as a pruner reads it",
    against: &[(Yardstick::Load.name(), None)],
};

/// A rise of both halves.
pub const ADVANCE: Operation = Operation {
    name: "advance",
    what: "both halves rise by one",
    against: &[(Yardstick::FetchAdd.name(), None)],
};

/// The operations of thresholds, in the order of the tables.
pub const OF_THRESHOLDS: [Operation; 5] =
    [TIMESTAMP, BESIDE_READER, BESIDE_ADVANCER, LOAD, ADVANCE];
