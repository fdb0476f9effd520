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
//! Whoever entered since has read n or a later number, to which the nodes ended up to n have ended: these are unlinked. And
//! nobody stands any more on a node that was unlinked before the ticket was asked for: these are free.
//!
//! # Why a reader never reads freed memory
//!
//! It gets to nodes over links alone, from the first one on, while it is inside. A node is freed or used anew after a ticket
//! that was asked for when the node had been unlinked. For a reader that entered before, the ticket waits. One that entered
//! after sees every link as it was when the ticket was asked for, or later: no path led to the node then, since linked nodes
//! lead past it and no linked node leads to an unlinked one; and no link to it is stored until it is used anew. So it does not
//! get there.
//!
//! # Why a reader misses nothing
//!
//! What it needs are nodes below its xmax that run or ended after its number. These are linked before its number was
//! published, and unlinked only after it has left; and ids rise along every path, also over unlinked nodes. A node appended
//! behind an unlinked one is not seen from there: it began after the reader came by, so it is not below its xmax.
#![allow(unsafe_code, reason = "nodes are freed by hand, when the epoch allows it")]

mod chain;
mod spread;

use std::{iter, ptr::NonNull};

#[cfg(not(snapshot_loom))]
use std::sync::atomic::AtomicPtr;

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

use super::grace::{Grace, Inside};

pub(super) use self::chain::Chain;

/// The end of an id that runs: after every number.
const RUNS: u64 = u64::MAX;

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
        // after a grace that waits for the caller, and gives out no `&mut`. A `Reader`, the only caller, is inside its own
        // list; and it borrows the `EpochList`, so that the chain is not dropped.
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
    pub(super) fn enter(&self) -> Reader<'_> {
        Reader { first: &self.first, inside: self.grace.enter() }
    }
}

/// Somebody who is inside.
#[derive(Debug)]
pub(super) struct Reader<'n> {
    first: &'n Link,
    inside: Inside<'n>,
}

impl Reader<'_> {
    /// All nodes, from the first on.
    #[inline]
    pub(super) fn walk(&self) -> impl Iterator<Item = &Node> {
        let inside = &self.inside;
        iter::successors(self.first.follow(inside), move |node| node.next.follow(inside))
    }
}
