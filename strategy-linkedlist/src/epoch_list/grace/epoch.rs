//! The collector of crossbeam-epoch, one for each list: a reader that stands still in one list holds up no other.
//!
//! A thread takes part through a handle, made when it first enters a list and kept for it in thread-local storage until the
//! thread ends, or enters a new list when this one is gone. To enter is to pin the handle.
//!
//! Whom a ticket does not wait for sees what the writer did before it asked. To pin has a full fence between the store of the
//! thread's epoch and whatever the reader loads then; to put a ticket into the queue has one between what the writer stored
//! and the look at the threads' epochs. If the reader's comes first, the look finds it pinned, and the ticket waits. If the
//! writer's comes first, the reader's loads see the writer's stores.
//!
//! A ticket is a deferred function that stores the ticket's number. The collector runs it once the epoch has advanced twice
//! since it was put into the queue, which takes that everybody who was pinned then has let go. It may run on any thread that
//! pins, a reader's too, so it does nothing but store; lists, locks and memory are left to the writer that asked.

use std::{
    cell::RefCell,
    marker::PhantomData,
    sync::{
        Arc,
        Weak,
        // The standard library's, without a step: it is stored to inside the collector, where nobody may be stopped or
        // panic, and models do not see it.
        atomic::{
            AtomicU64,
            Ordering::{Acquire, Release},
        },
    },
};

use crossbeam_epoch::{Collector, Guard, LocalHandle};
use snapshot_api::{InstanceId, sync::step};

/// The epoch advances by one each time, if nobody is pinned in an older one; after two a ticket is run at the next.
const ADVANCES: usize = 3;

#[derive(Debug)]
pub(in crate::epoch_list) struct Grace {
    name: InstanceId,
    collector: Collector,
    /// Lets threads see that the list is gone.
    alive: Arc<()>,
    /// The last ticket that is over.
    over: Arc<AtomicU64>,
}

/// A pinned handle.
#[derive(Debug)]
pub(in crate::epoch_list) struct Inside<'a> {
    guard: Guard,
    grace: PhantomData<&'a Grace>,
}

/// This thread's handle of one list.
struct Handle {
    name: InstanceId,
    alive: Weak<()>,
    local: LocalHandle,
}

thread_local! {
    static HANDLES: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

impl Grace {
    pub(in crate::epoch_list) fn new() -> Self {
        Grace {
            name: InstanceId::unique(),
            collector: Collector::new(),
            alive: Arc::new(()),
            over: Arc::new(AtomicU64::new(0)),
        }
    }

    #[inline]
    pub(in crate::epoch_list) fn enter(&self) -> Inside<'_> {
        step();
        let pinned = HANDLES.try_with(|handles| {
            let mut handles = handles.borrow_mut();
            match handles.iter().find(|handle| handle.name == self.name) {
                Some(handle) => handle.local.pin(),
                None => self.register(&mut handles),
            }
        });
        // Where the thread is about to end: a handle for this once, which the guard outlives.
        let guard = pinned.unwrap_or_else(|_| self.collector.register().pin());
        Inside { guard, grace: PhantomData }
    }

    #[cold]
    fn register(&self, handles: &mut Vec<Handle>) -> Guard {
        handles.retain(|handle| handle.alive.strong_count() > 0);
        let local = self.collector.register();
        let guard = local.pin();
        handles.push(Handle { name: self.name, alive: Arc::downgrade(&self.alive), local });
        guard
    }

    /// Tickets rise, and each is asked for when the one before is over.
    pub(in crate::epoch_list) fn ask(&self, ticket: u64) {
        let inside = self.enter();
        let over = Arc::clone(&self.over);
        step();
        // Release: pairs with the Acquire load in `is_over`; the collector runs this after everybody has let go.
        inside.guard.defer(move || over.store(ticket, Release));
        inside.guard.flush();
    }

    /// Also helps the epoch on.
    pub(in crate::epoch_list) fn is_over(&self, ticket: u64) -> bool {
        // Acquire: pairs with the Release store in `ask`; what those did who have left happens before.
        let over = || self.over.load(Acquire) >= ticket;
        for _ in 0..ADVANCES {
            if over() {
                break;
            }
            let inside = self.enter();
            step();
            inside.guard.flush();
        }
        over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_of_lists_that_are_gone_do_not_pile_up() {
        for _ in 0..100 {
            drop(Grace::new().enter());
        }
        HANDLES.with_borrow(|handles| assert_eq!(handles.len(), 1, "the last one's"));
    }

    #[test]
    fn a_ticket_waits_for_who_was_inside_and_for_nobody_else() {
        let (grace, other) = (Grace::new(), Grace::new());
        let _elsewhere = other.enter();
        let inside = grace.enter();
        grace.ask(1);
        assert!(!grace.is_over(1) && !grace.is_over(1));
        drop(inside);
        assert!(grace.is_over(1), "who is inside another list does not matter");
    }
}
