//! [`Chain`]: what the writer does to the list, and the nodes that are in it no longer.

use std::{collections::HashMap, hash::BuildHasherDefault, ptr::NonNull, sync::Arc};

use snapshot_api::{
    Xid,
    sync::{AtomicU64, Ordering::Relaxed},
};

use super::{Grace, Link, Node, Nodes, Owned, RUNS, spread::Spread};
use crate::epoch_list::NodeCounts;

/// So many ends, or half as many as run, lie between two looks at what can go; a few only in models.
const BATCH: usize = if cfg!(snapshot_loom) { 1 } else { 64 };
/// So many free nodes are kept for the next ids.
const SPARE: usize = 4 * BATCH;

/// The list as its one writer sees it, and the nodes that are in it no longer.
#[derive(Debug)]
pub(in crate::epoch_list) struct Chain {
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
    pub(in crate::epoch_list) fn new() -> Self {
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
    pub(in crate::epoch_list) fn nodes(&self) -> Arc<Nodes> {
        Arc::clone(&self.nodes)
    }

    pub(in crate::epoch_list) fn counts(&self) -> NodeCounts {
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
    pub(in crate::epoch_list) fn append(&mut self, xid: Xid) {
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
    pub(in crate::epoch_list) fn end(&mut self, xid: Xid, number: u64) -> bool {
        let Some(owned) = self.index.remove(&xid.get()) else { return false };
        // Relaxed: published by the Release store of the number. An id that has ended is not in the index, so it keeps its
        // first end.
        self.node(owned).end.store(number, Relaxed);
        self.ended += 1;
        self.untidied += 1;
        true
    }

    /// Ends every id below `below` with this number and says whether one ran.
    pub(in crate::epoch_list) fn end_below(&mut self, below: Xid, number: u64) -> bool {
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
    pub(in crate::epoch_list) fn tidy(&mut self, number: u64) {
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
