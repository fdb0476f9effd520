//! [`EpochList`]: an ordered list of nodes that carry the number of their end. Readers walk it without a lock.
//!
//! # Idea
//!
//! Every change (an end, a forget, a complete, a prune) has a number. A node keeps the number at which its id ended. A reader
//! loads the number that was published last and walks: what ended later than that still runs for it, whatever happens
//! beside it.
//!
//! ```text
//!   first ─► 40 ───► 43 ───► 44 ───► 45 ───► 46          number = 71
//!           runs   at 70    runs    at 71   runs
//!
//!   reader that read 71:   40 44 46
//!   reader that read 70:   40 44 45 46        45 ended under its feet, and it does not matter
//!   reader that read 69:   40 43 44 45 46     so 43 must still be linked
//! ```
//!
//! # Who does what
//!
//! | | |
//! |---|---|
//! | `begin` | writers' mutex: append a node behind the last one, link it with Release |
//! | `end` | writers' mutex: mark all nodes of the tree with one number, write that number's xmax, publish the number with Release; now and then unlink |
//! | `take` | load the number (Acquire): the value's own, done. Else pin the epoch, load the number again, its xmax, walk |
//!
//! # Why a snapshot is of one instant (laws 1 and 2)
//!
//! A reader's number n was the published one at a moment of its call. Ends up to n were marked before n was published, so it
//! sees them all. Later ones carry a higher number, seen or not seen: they run. A tree has one number, so all of it or
//! none. What begins beside it is above everything completed, or `begin` refuses it: at or above xmax, where it counts as
//! running. An id that ends again is in the index no longer, so its first number stays (law 7).
//!
//! # Which xmax (law 3)
//!
//! That of number n, neither an older nor a newer one: `numbers` has a place for each, and shows what goes wrong with
//! either. Both wrong orders are models that must fail, in `tests/loom`.
//!
//! # When a node goes
//!
//! The epoch protects memory; that alone would not do, since a reader also needs to *find* what ended after its number.
//! So a node first stays linked until every reader that may have an older number has left, and is unlinked then; and its
//! memory is used anew when those have left who may stand on it. The page of `nodes` has the proof for both.
//!
//! # Progress
//!
//! Readers are lock-free: the walk is bounded by xmax, since nobody appends below it; to read number and xmax again takes 63
//! changes each time; and to pin is lock-free in crossbeam-epoch, which now and then lets a reader take a ticket out of
//! its queue. Writers wait for each other, never for readers.
//!
//! # Costs
//!
//! Take O(running + ended and not yet unlinked), a load where nothing has changed. Begin and end O(1), by a hashed index.
//! Writers look after every 64 ends, or half as many as run, what can be unlinked, at O(linked); it is three to six flushes of
//! the epoch's collector. Memory 24 bytes a node and 16 in the index, which keeps the size for the most that ever ran.
//!
//! **A reader that stands still inside a take** keeps every node that ends meanwhile, linked and in memory: 24 bytes each,
//! without bound, and other readers walk over them all. A value that is kept between takes keeps nothing. Once it has gone
//! on, the next changes give all of it back.
//!
//! A take allocates nothing once its list has grown, but for crossbeam-epoch's own books: about 2.5 kB when a thread first
//! takes from a list, and 2 kB for every 64th ticket that happens to be run by that reader.
//!
//! # Source
//!
//! Ours, after the linked list of the thread *Slow standby snapshot* and the commit sequence numbers of later work on standbys.
//! Epochs: Fraser, *Practical lock-freedom* (2004), as in crossbeam-epoch.

mod grace;
mod nodes;
mod numbers;

use std::sync::Arc;

use snapshot_api::{
    BeginError, Costs, Facts, InstanceId, ListSnapshot, Memory, Progress, Restore, RestoreError,
    SessionId, SnapshotStrategy, Standby, Xid, check_order, highest_normal, restore_list,
    sync::Mutex,
};

use self::{
    nodes::{Chain, Nodes},
    numbers::Numbers,
};

/// An ordered list whose readers take no lock.
///
/// ```
/// use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid};
/// use strategy_linkedlist::EpochList;
///
/// let list = EpochList::restore(&(), Xid::new(9), &[Xid::new(7)])?;
/// let session = SessionId::new(0);
/// for id in 10..10_000 {
///     list.begin(session, Xid::new(id))?;
///     list.end(session, &[Xid::new(id)]);
/// }
/// let mut snapshot = list.snapshot();
/// list.take(&mut snapshot);
/// assert!(snapshot.running().eq([Xid::new(7)]));
///
/// let nodes = list.node_counts();
/// assert_eq!(nodes.running, 1);
/// assert!(nodes.ended < 64, "no reader needed those that ended");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct EpochList {
    instance: InstanceId,
    numbers: Numbers,
    nodes: Arc<Nodes>,
    writer: Mutex<Writer>,
}

/// What writers share, under their mutex.
#[derive(Debug)]
struct Writer {
    chain: Chain,
    /// The number of the last change.
    number: u64,
    latest_completed: Xid,
    /// The highest id begun or completed.
    last: Xid,
}

/// How many nodes an [`EpochList`] has, by what they wait for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeCounts {
    /// Of ids that run.
    pub running: usize,
    /// Of ids that ended, still linked: readers walk over them.
    pub ended: usize,
    /// Unlinked, and not yet free for use.
    pub unlinked: usize,
    /// Free for the next ids. What is more than a few hundred of them is given back.
    pub spare: usize,
}

impl EpochList {
    /// How many nodes there are at one instant. Waits for writers like any writer.
    pub fn node_counts(&self) -> NodeCounts {
        self.writer.lock().chain.counts()
    }

    /// One change: `ends` marks nodes with the number that it is given and says whether there were any; latest completed
    /// rises to `completes`. Without an effect nothing gets a number, and kept snapshots stay current.
    fn change(&self, completes: Option<Xid>, ends: impl FnOnce(&mut Chain, u64) -> bool) {
        let mut writer = self.writer.lock();
        let number = writer.number + 1;
        let ended = ends(&mut writer.chain, number);
        let completes = completes.filter(|&latest| latest > writer.latest_completed);
        if let Some(latest) = completes {
            writer.latest_completed = latest;
            writer.last = writer.last.max(latest);
        }
        if ended || completes.is_some() {
            writer.number = number;
            self.numbers.publish(number, writer.latest_completed.next());
            writer.chain.tidy(number);
        }
    }

    /// Fills `snapshot` with the state of the last number. Apart from `take`, so that a current value costs its callers a
    /// load and not a call.
    #[inline(never)]
    fn build(&self, snapshot: &mut ListSnapshot) {
        // First inside, then the number: what this number needs is kept from here on.
        let reader = self.nodes.enter();
        let (number, xmax) = self.numbers.read();
        let running = snapshot.refill(xmax);
        for node in reader.walk() {
            let xid = node.xid();
            if xid >= xmax {
                break;
            }
            if node.ran_at(number) {
                running.push(xid);
            }
        }
        snapshot.stamp(self.instance, number);
    }
}

impl SnapshotStrategy for EpochList {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "epoch-list".into(),
            source: "ours, after thread \"Slow standby snapshot\", 2021; epochs by crossbeam-epoch",
            costs: Costs {
                take: "O(running + ended and not yet unlinked)",
                begin: "O(1)",
                end: "O(1) amortised",
                is_running: "O(log running)",
            },
            readers: Progress::LockFree,
            writers: Progress::Blocking,
            unordered_begin: false,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::UnboundedWhileTaking,
        }
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        let mut writer = self.writer.lock();
        check_order(xid, writer.last)?;
        writer.chain.append(xid);
        writer.last = xid;
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let Some(highest) = highest_normal(tree) else { return };
        self.change(Some(highest), |chain, number| end_all(chain, tree, number));
    }

    #[inline]
    fn take(&self, snapshot: &mut ListSnapshot) {
        if !snapshot.is_from(self.instance, self.numbers.number()) {
            self.build(snapshot);
        }
    }

    fn lock_waits(&self) -> u64 {
        self.writer.waits()
    }
}

fn end_all(chain: &mut Chain, xids: &[Xid], number: u64) -> bool {
    xids.iter().fold(false, |any, &xid| any | chain.end(xid, number))
}

impl Restore for EpochList {
    type Config = ();

    fn restore(_config: &(), latest_completed: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let mut chain = Chain::new();
        for &xid in &running {
            chain.append(xid);
        }
        let last = running.last().map_or(latest_completed, |&xid| xid.max(latest_completed));
        Ok(EpochList {
            instance: InstanceId::unique(),
            numbers: Numbers::new(latest_completed.next()),
            nodes: chain.nodes(),
            writer: Mutex::new(Writer { chain, number: 0, latest_completed, last }),
        })
    }
}

impl Standby for EpochList {
    fn forget(&self, xids: &[Xid]) {
        self.change(None, |chain, number| end_all(chain, xids, number));
    }

    fn complete(&self, latest: Xid) {
        if latest.is_normal() {
            self.change(Some(latest), |_, _| false);
        }
    }

    fn prune(&self, below: Xid) {
        self.change(None, |chain, number| chain.end_below(below, number));
    }
}

#[cfg(all(test, not(snapshot_loom)))]
mod tests;
