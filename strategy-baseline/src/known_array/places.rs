//! [`Places`]: what is kept beside the ids, so that a snapshot finds those that run.

use std::{fmt, ops::Range};

use snapshot_api::{Costs, Xid};

use super::KnownArrayConfig;

/// The array of a [`KnownArray`](super::KnownArray): sorted ids, and beside each what its design keeps to find those that
/// run.
///
/// The array above keeps locks, bounds and versions, so that a design is these few functions:
///
/// | | who calls it | beside it |
/// |---|---|---|
/// | `append`, `grown` | holder of the append mutex | readers in `scan`, below `place` |
/// | `scan` | holder of the shared lock | other readers in `scan`; one in `append` or `grown` |
/// | `remove`, `remove_below`, `first_valid`, `compact` | holder of both locks | nobody |
///
/// Entries are atomics, since appender and readers share the array without a common lock; not for their order: every
/// access can be Relaxed. A place below the head is published by the Release store of the head, which a reader has loaded
/// with Acquire before it scans up to there; and what is done under the exclusive lock is ordered by it.
///
/// `live` is the range of places from the tail to the head. The place at its start holds a running id, unless the range is
/// empty or that id was removed just before `first_valid`.
pub trait Places: fmt::Debug + Send + Sync + Sized {
    /// How a strategy of this kind is set up.
    type Config: Into<KnownArrayConfig> + Default + Clone + fmt::Debug + Send + Sync;

    /// Where the design comes from.
    const SOURCE: &'static str;
    /// What it costs.
    const COSTS: Costs;
    /// No array is longer than this.
    const MOST: usize = usize::MAX;

    /// Name and variant on a command line.
    fn name(config: &Self::Config) -> String;

    /// So many places, none in use.
    fn new(len: usize) -> Self;

    /// How many places there are.
    fn size(&self) -> usize;

    /// A larger array with the same content in the same places. What ended stays so meanwhile; readers go on in this one.
    fn grown(&self, len: usize) -> Self;

    /// Enters a running id, higher than all before it, at `place`: the head. The place may have been used before, by an id
    /// that ended or was moved away; then the live range has been emptied or compacted since.
    fn append(&self, place: usize, xid: Xid);

    /// Ends `xid` and says where it was, or nothing where it does not run. O(log of the range).
    fn remove(&self, live: Range<usize>, xid: Xid) -> Option<usize>;

    /// Ends the running ids below `below` and says how many there were.
    fn remove_below(&self, live: Range<usize>, below: Xid) -> usize;

    /// The first place in `live` that holds a running id, or its end.
    fn first_valid(&self, live: Range<usize>) -> usize;

    /// Adds the running ids in `live` that lie below `xmax` to `running`, in rising order.
    fn scan(&self, live: Range<usize>, xmax: Xid, running: &mut Vec<Xid>);

    /// Moves the running ids in `live` to the front of the array and says how many there are.
    fn compact(&self, live: Range<usize>) -> usize;
}
