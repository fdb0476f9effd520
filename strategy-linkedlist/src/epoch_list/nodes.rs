//! [`Nodes`] and [`Chain`]: one list, seen by its readers and by its writer. The one module with unsafe code.
//!
//! # A node's life
//!
//! ```text
//!   linked, runs ──end n──► linked, ended at n ──1st grace──► unlinked ──2nd grace──► used anew or freed
//!                           readers older than n               readers that stand on it
//!                           still count it as running          still follow its link
//! ```
//!
//! Both graces run at once: a ticket asked for after number n was published is over when everybody who was inside has left.
//! Whoever is inside from then on has read n or a later number, to which the nodes ended up to n have ended: these are
//! unlinked. And nobody stands any more on a node that was unlinked before the ticket was asked for: these are free.
//!
//! # Why a reader never reads freed memory
//!
//! It gets to a node over links alone, while it is inside. Let it stand on a node X and follow X's link to Y.
//!
//! - X is linked at that moment: then its link leads to a node that is linked.
//! - X was unlinked: its link is as it was then, to a Y that was linked. The reader was inside before X was unlinked, or it
//!   would have entered after the ticket and seen the link before X lead past it. If Y has been unlinked as well, that was
//!   after X, so the ticket that Y waits for was asked for when the reader was inside, and Y stays.
//!
//! # Why a reader misses nothing
//!
//! What it needs are nodes below its xmax that run or ended after its number. These are linked before its number was
//! published, and unlinked only after it has left; and ids rise along every path, also over unlinked nodes. A node appended
//! behind an unlinked one is not seen from there: it began after the reader came by, so it is not below its xmax.
#![allow(unsafe_code, reason = "nodes are freed by hand, when the epoch allows it")]

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    iter,
    ptr::NonNull,
    sync::Arc,
};

#[cfg(snapshot_loom)]
use loom::sync::atomic::AtomicPtr;
use snapshot_api::{
    Xid,
    sync::{
        AtomicU64,
        Ordering::{Acquire, Relaxed, Release},
        step,
    },
};
#[cfg(not(snapshot_loom))]
use std::sync::atomic::AtomicPtr;

use super::{
    NodeCounts,
    grace::{Grace, Inside},
};

/// The end of an id that runs: after every number.
const RUNS: u64 = u64::MAX;
/// So many ends, or half as many as run, lie between two looks at what can go; a few only in models.
const BATCH: usize = if cfg!(snapshot_loom) { 1 } else { 64 };
/// So many free nodes are kept for the next ids.
const SPARE: usize = 4 * BATCH;

/// An id and when it ended. Its fields are atomics since readers look while the writer writes.
#[derive(Debug)]
pub(super) struct Node {
    id: AtomicU64,
    end: AtomicU64,
    next: Link,
}

impl Node {
    #[inline]
    pub(super) fn xid(&self) -> Xid {
        // Relaxed: written before the node was linked, with Release; and only when nobody can stand on it.
        Xid::new(self.id.load(Relaxed))
    }

    /// Whether the id ran after change `number`, which the caller has read with Acquire.
    #[inline]
    pub(super) fn ran_at(&self, number: u64) -> bool {
        // Relaxed: the end's store happens before the Release store of its number, so a caller whose number is at or above
        // it sees it. A caller with a lower number may see it or not: both mean that the id runs.
        self.end.load(Relaxed) > number
    }
}

/// A pointer to the next node.
#[derive(Debug)]
struct Link(AtomicPtr<Node>);

impl Link {
    fn none() -> Self {
        Link(AtomicPtr::new(std::ptr::null_mut()))
    }

    fn get(&self) -> Option<Owned> {
        step();
        // Relaxed: for the writer, who has written it.
        NonNull::new(self.0.load(Relaxed)).map(Owned)
    }

    fn set(&self, to: Option<Owned>) {
        step();
        // Release: pairs with the Acquire load in `follow`; what the node holds is written before.
        self.0.store(to.map_or(std::ptr::null_mut(), |node| node.0.as_ptr()), Release);
    }

    #[inline]
    fn follow<'i>(&self, _inside: &'i Inside<'_>) -> Option<&'i Node> {
        step();
        // Acquire: pairs with the Release store in `set`.
        let node = self.0.load(Acquire);
        // SAFETY: null or a node that was linked when the caller was inside already, as the page shows; `Chain` frees it
        // after a grace that waits for the caller, and gives out no `&mut`.
        unsafe { node.as_ref() }
    }
}

/// A node that the chain owns.
#[derive(Clone, Copy, Debug)]
struct Owned(NonNull<Node>);

// SAFETY: a pointer to a `Node`, which is `Send` and `Sync`, owned by the one chain that it is in.
unsafe impl Send for Owned {}

/// The list as readers see it: nodes in rising order of their ids.
#[derive(Debug)]
pub(super) struct Nodes {
    first: Link,
    grace: Grace,
}

impl Nodes {
    /// While the caller keeps this, no node that it can get to is freed or used anew.
    #[inline]
    pub(super) fn enter(&self) -> Inside<'_> {
        self.grace.enter()
    }

    /// All nodes, from the first on.
    #[inline]
    pub(super) fn walk<'i>(&self, inside: &'i Inside<'_>) -> impl Iterator<Item = &'i Node> {
        iter::successors(self.first.follow(inside), |node| node.next.follow(inside))
    }
}

/// The list as its one writer sees it, and the nodes that are in it no longer.
#[derive(Debug)]
pub(super) struct Chain {
    nodes: Arc<Nodes>,
    /// Nodes of running ids.
    index: HashMap<u64, Owned, BuildHasherDefault<Spread>>,
    last: Option<Owned>,
    /// How many nodes are linked whose ids have ended.
    ended: usize,
    /// How many ended since `tidy` last looked.
    untidied: usize,
    unlinked: Vec<Owned>,
    spare: Vec<Owned>,
    tickets: u64,
    asked: Option<Asked>,
}

/// What becomes possible when a ticket is over.
#[derive(Clone, Copy, Debug)]
struct Asked {
    ticket: u64,
    /// Nodes that ended up to this number may be unlinked.
    number: u64,
    /// So many of the unlinked ones may be used anew.
    unlinked: usize,
}

impl Chain {
    pub(super) fn new() -> Self {
        Chain {
            nodes: Arc::new(Nodes { first: Link::none(), grace: Grace::new() }),
            index: HashMap::default(),
            last: None,
            ended: 0,
            untidied: 0,
            unlinked: Vec::new(),
            spare: Vec::new(),
            tickets: 0,
            asked: None,
        }
    }

    /// For readers.
    pub(super) fn nodes(&self) -> Arc<Nodes> {
        Arc::clone(&self.nodes)
    }

    pub(super) fn counts(&self) -> NodeCounts {
        NodeCounts {
            running: self.index.len(),
            ended: self.ended,
            unlinked: self.unlinked.len(),
            spare: self.spare.len(),
        }
    }

    fn node(&self, owned: Owned) -> &Node {
        // SAFETY: whatever a chain hands itself from its own fields and links it has not freed: `release` and `drop` take
        // a node out of all of them first. Others have shared references at most.
        unsafe { owned.0.as_ref() }
    }

    /// Enters a running id, higher than all before.
    pub(super) fn append(&mut self, xid: Xid) {
        let owned = self.spare.pop().unwrap_or_else(|| {
            let unused = Node { id: AtomicU64::new(0), end: AtomicU64::new(0), next: Link::none() };
            Owned(NonNull::from(Box::leak(Box::new(unused))))
        });
        let node = self.node(owned);
        // Relaxed: nobody can see it before it is linked, with Release.
        node.id.store(xid.get(), Relaxed);
        node.end.store(RUNS, Relaxed);
        node.next.set(None);
        self.link_behind(self.last).set(Some(owned));
        self.last = Some(owned);
        self.index.insert(xid.get(), owned);
    }

    fn link_behind(&self, before: Option<Owned>) -> &Link {
        before.map_or(&self.nodes.first, |before| &self.node(before).next)
    }

    /// Ends an id with this number and says whether it ran.
    pub(super) fn end(&mut self, xid: Xid, number: u64) -> bool {
        let Some(owned) = self.index.remove(&xid.get()) else { return false };
        // Relaxed: published by the Release store of the number. An id that has ended is not in the index, so it keeps its
        // first end.
        self.node(owned).end.store(number, Relaxed);
        self.ended += 1;
        self.untidied += 1;
        true
    }

    /// Ends every id below `below` with this number and says whether one ran.
    pub(super) fn end_below(&mut self, below: Xid, number: u64) -> bool {
        let (mut any, mut at) = (false, self.nodes.first.get());
        while let Some(owned) = at {
            let node = self.node(owned);
            let (xid, next) = (node.xid(), node.next.get());
            if xid >= below {
                break;
            }
            any |= self.end(xid, number);
            at = next;
        }
        any
    }

    /// Now and then lets go of what no reader can need any more. `number` has been published.
    pub(super) fn tidy(&mut self, number: u64) {
        if self.untidied < BATCH.max(self.index.len() / 2) {
            return;
        }
        self.untidied = 0;
        self.settle();
        if self.asked.is_none() {
            self.tickets += 1;
            let ticket = self.tickets;
            self.asked = Some(Asked { ticket, number, unlinked: self.unlinked.len() });
            self.nodes.grace.ask(ticket);
            self.settle();
        }
    }

    /// Does what a ticket was asked for, if it is over.
    fn settle(&mut self) {
        let Some(asked) = self.asked.filter(|asked| self.nodes.grace.is_over(asked.ticket)) else {
            return;
        };
        self.asked = None;
        self.release(asked.unlinked);
        self.unlink(asked.number);
    }

    /// The first of the unlinked nodes become spare ones, or are freed. Nobody stands on them.
    fn release(&mut self, count: usize) {
        for owned in self.unlinked.drain(..count) {
            if self.spare.len() < SPARE {
                self.spare.push(owned);
            } else {
                // SAFETY: it was unlinked before the ticket was asked for that is over, and is out of `unlinked` now.
                unsafe { free(owned) };
            }
        }
        // What a reader that stood still has let pile up.
        self.unlinked.shrink_to(SPARE);
    }

    /// Takes the nodes out of the list that ended up to `number`.
    fn unlink(&mut self, number: u64) {
        let (mut before, mut at) = (None, self.nodes.first.get());
        while let Some(owned) = at {
            let node = self.node(owned);
            let (runs, next) = (node.ran_at(number), node.next.get());
            if runs {
                before = at;
            } else {
                // Its own link stays for those who stand on it.
                self.link_behind(before).set(next);
                self.unlinked.push(owned);
                self.ended -= 1;
            }
            at = next;
        }
        self.last = before;
    }
}

/// # Safety
///
/// Nobody stands on the node, and no link and no field leads to it any more.
unsafe fn free(owned: Owned) {
    // SAFETY: it came out of a `Box` in `append`; the caller promises the rest.
    drop(unsafe { Box::from_raw(owned.0.as_ptr()) });
}

impl Drop for Chain {
    fn drop(&mut self) {
        // Whoever still has the readers' side finds an empty list.
        let mut at = self.nodes.first.get();
        self.nodes.first.set(None);
        while let Some(owned) = at {
            at = self.node(owned).next.get();
            // SAFETY: nobody is inside: a reader borrows the `EpochList` that this chain is a part of. The link that led
            // here is gone, and the fields go with the chain.
            unsafe { free(owned) };
        }
        for owned in self.unlinked.drain(..).chain(self.spare.drain(..)) {
            // SAFETY: as above; unlinked and spare nodes are not linked.
            unsafe { free(owned) };
        }
    }
}

/// Spreads ids over the index: they are close together, and a table takes its place from the low bits and a tag from the
/// high ones.
#[derive(Debug, Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 ^ u64::from(byte)));
    }

    #[inline]
    fn write_u64(&mut self, id: u64) {
        // 2⁶⁴ divided by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
        self.0 = id.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(26);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
