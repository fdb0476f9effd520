//! Which anomalies a history of list appends has: after Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from
//! Experimental Observations", PVLDB 14(3), 2020; the phenomena are those of Adya, "Weak Consistency", 1999.
//!
//! # Why lists
//!
//! A register forgets what it held before. A list of unique elements tells its own history: to read `[4, 9, 2]` is to see which
//! transaction wrote last, and that 9 came before 2. So from the reads alone follows who must have come before whom:
//!
//! ```text
//!   T1 appends 4        T2 appends 9          T3 reads [4]         T4 reads [4, 9]
//!
//!        ww: T1 ─► T2 (9 right after 4)     wr: T1 ─► T3     rw: T3 ─► T2 (T3 did not see 9)     wr: T2 ─► T4
//!        time: one has returned before the other began
//! ```
//!
//! A cycle is a contradiction. Which one depends on its edges:
//!
//! | | a cycle of | snapshot isolation |
//! |---|---|---|
//! | G0 | ww | forbids |
//! | G1c | ww, wr | forbids |
//! | G-single | one rw, else ww, wr | forbids: lost update, read skew |
//! | G-nonadjacent | rw, but never two in a row | forbids |
//! | G2-item | rw, two of them in a row | permits: write skew |
//! | …-realtime | the same, and time | forbids, as it is promised here: a snapshot has every commit that has returned |
//!
//! *Why no two rw in a row.* ww, wr and time say: its commit came before my snapshot, or before my commit and I did not
//! conflict, which is the same. rw says: my snapshot came before its commit. Walk along a cycle of these in which a rw is always
//! followed by one of the others: commit, snapshot, later commit, later snapshot, and so on; it never comes back.
//! Two rw in a row lose the thread. (Cerone and Gotsman, "Analysing Snapshot Isolation", PODC 2016, prove it is exact.)
//!
//! Anomalies that need no cycle come first, in [`lists`]. Only committed transactions count, as in Adya, but for [`Anomaly::Internal`].

mod cycles;
mod graph;
mod lists;

use std::{collections::BTreeSet, fmt};

use crate::record::History;

/// What can be wrong with a history.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Anomaly {
    /// A transaction does not read what it has read or appended itself.
    Internal,
    /// An element that nobody appended.
    Garbage,
    /// An element twice in one list.
    Duplicate,
    /// Two reads of a list, neither of which begins with the other.
    IncompatibleOrder,
    /// What was read was aborted, or rolled back.
    G1a,
    /// What was read was not the last that its transaction made of it.
    G1b,
    /// Two transactions read the same version, and both wrote another.
    LostUpdate,
    G0,
    G1c,
    GSingle,
    GNonadjacent,
    G2Item,
    G0Realtime,
    G1cRealtime,
    GSingleRealtime,
    GNonadjacentRealtime,
}

impl Anomaly {
    pub(crate) fn is_permitted(self) -> bool {
        self == Anomaly::G2Item
    }
}

/// An anomaly, and how it shows.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) anomaly: Anomaly,
    pub(crate) story: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.anomaly, self.story)
    }
}

/// Everything that is found; of each kind of cycle the shortest, of other anomalies each.
pub(crate) fn check(history: &History) -> Vec<Finding> {
    let (lists, mut findings) = lists::read(history);
    findings.extend(cycles::find(history, &graph::build(history, &lists)));
    findings
}

/// Their kinds.
pub(crate) fn anomalies(history: &History) -> BTreeSet<Anomaly> {
    check(history).into_iter().map(|finding| finding.anomaly).collect()
}
