//! [`Group`]: who finds the lock taken queues up, and one of the queue serves all: PostgreSQL's group clear.
//!
//! ```text
//!   head ─► 7 ─► 2 ─► 5 ─► nobody        5 came first and leads: it waits for the lock,
//!           W    W    W                  takes the whole queue with one swap of the head,
//!                                        serves 7, 2 and 5 under the lock, opens the lock,
//!   head ─► 9 ─► nobody                  and tells them: state W(aiting) becomes D(one).
//!           W                            9 came after the swap and leads the next group.
//! ```
//!
//! A caller has a place of its own, so the queue is made of numbers and nothing is allocated. Its leader holds a **gate**,
//! some mutex, from before the swap until the last one is told.
//!
//! # Why it is right
//!
//! *A place is in the queue at most once.* It is claimed by an exchange of its state from idle to waiting, and becomes
//! idle when its owner has seen that it is done. Whoever finds it claimed does without the queue.
//!
//! *Nobody is lost.* A place leaves the queue only with all others, by the swap. There is no ABA problem: it needs
//! somebody who takes out the first one alone, and links it by a successor read before others came and went. A push
//! links itself to whatever the head is at the moment of its exchange.
//!
//! *Who waits for a leader that is slow, or has panicked, waits no longer than for the gate.* After some rounds it leads
//! itself. With the gate held either it is still in the queue and serves itself with the others, or a leader before it
//! took it; that one has told it before it opened the gate. A leader that unwinds between swap and telling puts back
//! whom it has not told, and a caller that unwinds stays until it is served: nothing on its way panics a second time.
//! To be served twice does no harm.
//!
//! *A leader reads a place's link before it tells it*, since from then on its owner may queue up again.
//!
//! *Who is told finds its end done*: the leader tells after the lock is open again, so the change is behind its return.
//!
//! # Costs
//!
//! A round in the queue: two exchanges and a store for each caller, a lock and a swap for each group. 64 bytes a place.
//!
//! # Source
//!
//! PostgreSQL, `src/backend/storage/ipc/procarray.c`, `ProcArrayGroupClearXid`, since version 9.6. There the members sleep on
//! semaphores and a leader cannot fail; here they look a few times, then sleep on the gate.

use snapshot_api::sync::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    Padded, spin_loop,
};

/// The end of the queue.
const NOBODY: u32 = u32::MAX;

/// Rounds in which a member looks whether it is done before it asks for the gate: about as long as a short group takes.
const ROUNDS: u32 = if cfg!(snapshot_loom) { 1 } else { 100 };

// States of a place.
/// Nobody uses it.
const IDLE: u32 = 0;
/// It is in the queue, on its way there, or taken by a leader.
const WAITING: u32 = 1;
/// A leader has served it.
const DONE: u32 = 2;

/// A caller's place, on a line of its own: others wait on theirs.
#[derive(Debug)]
#[repr(align(64))]
struct Place<R> {
    state: AtomicU32,
    /// The number of the one that came before. Written by the place's owner before it is in the queue, and by who puts
    /// taken ones back.
    next: AtomicU32,
    request: R,
}

/// A queue of callers, each with a request of type `R`. Requests are written through a shared reference.
#[derive(Debug)]
pub(super) struct Group<R> {
    head: Padded<AtomicU32>,
    places: Box<[Place<R>]>,
    waits: AtomicU64,
}

impl<R: Default> Group<R> {
    pub(super) fn new(places: u32) -> Self {
        let place = |_| Place {
            state: AtomicU32::new(IDLE),
            next: AtomicU32::new(NOBODY),
            request: R::default(),
        };
        Group {
            head: Padded(AtomicU32::new(NOBODY)),
            places: (0..places).map(place).collect(),
            waits: AtomicU64::new(0),
        }
    }
}

impl<R> Group<R> {
    /// Queues up at place `number` with the request that `write` leaves there, and returns when it has been served.
    /// False, with nothing done, where there is no such place or somebody else has it.
    ///
    /// `lead` takes the gate, serves [all](Self::take_all), and [tells](Taken::tell) them before it opens the gate.
    pub(super) fn join(&self, number: usize, write: impl FnOnce(&R), lead: impl Fn()) -> bool {
        let Some(place) = self.places.get(number) else { return false };
        // Acquire: pairs with the Release store in `drop`; the last owner is done with the place.
        if place.state.compare_exchange(IDLE, WAITING, Acquire, Relaxed).is_err() {
            return false;
        }
        let mut member = Member { place, lead: &lead, queued: false };
        write(&place.request);
        let first = self.link(number as u32, place);
        member.queued = true;
        if !first {
            self.wait(place);
        }
        member.settle();
        true
    }

    /// How often a caller queued up behind another.
    pub(super) fn waits(&self) -> u64 {
        // Relaxed: a statistic.
        self.waits.load(Relaxed)
    }

    /// Takes the whole queue. The caller holds the gate, and the lock under which it serves them.
    pub(super) fn take_all(&self) -> Taken<'_, R> {
        // Acquire: pairs with the Release exchanges in `link`, those before the last one as well, since each continues
        // what the one before began; requests and links are whole.
        Taken { group: self, first: self.head.swap(NOBODY, Acquire) }
    }

    /// Puts `last`, and what is linked to it in front up to `first`, before the queue. True if that was empty.
    fn link(&self, first: u32, last: &Place<R>) -> bool {
        // Relaxed: nothing is read through it.
        let mut head = self.head.load(Relaxed);
        loop {
            // Relaxed: published by the exchange.
            last.next.store(head, Relaxed);
            // Release: pairs with the Acquire swap in `take_all`. Relaxed where it fails: as above.
            match self.head.compare_exchange(head, first, Release, Relaxed) {
                Ok(_) => return head == NOBODY,
                Err(other) => head = other,
            }
        }
    }

    /// Looks for some time whether a leader has served this one.
    fn wait(&self, place: &Place<R>) {
        // Relaxed: a statistic.
        self.waits.fetch_add(1, Relaxed);
        for _ in 0..ROUNDS {
            if place.is_done() {
                return;
            }
            spin_loop();
        }
    }
}

impl<R> Place<R> {
    fn is_done(&self) -> bool {
        // Acquire: pairs with the Release store in `tell`; what the leader did is before this call's return.
        self.state.load(Acquire) == DONE
    }
}

/// A claimed place.
struct Member<'a, R, L: Fn()> {
    place: &'a Place<R>,
    lead: &'a L,
    queued: bool,
}

impl<R, L: Fn()> Member<'_, R, L> {
    /// Returns when it is served.
    fn settle(&mut self) {
        if self.queued && !self.place.is_done() {
            (self.lead)();
        }
        self.queued = false;
    }
}

impl<R, L: Fn()> Drop for Member<'_, R, L> {
    /// Leaves the place. Where a panic comes before it was served, it stays for that: its number is in the queue.
    fn drop(&mut self) {
        self.settle();
        // Release: pairs with the Acquire exchange in `join`.
        self.place.state.store(IDLE, Release);
    }
}

/// A queue that has been taken. Who has not been told goes back to the queue when it is dropped.
#[must_use]
pub(super) struct Taken<'a, R> {
    group: &'a Group<R>,
    first: u32,
}

impl<'a, R> Taken<'a, R> {
    /// Those not told yet, with their requests.
    pub(super) fn members(&self) -> impl Iterator<Item = (usize, &'a R)> + use<'a, R> {
        let places = &self.group.places;
        let mut at = self.first;
        std::iter::from_fn(move || {
            let number = at as usize;
            let place = places.get(number)?;
            // Relaxed: the swap was made first.
            at = place.next.load(Relaxed);
            Some((number, &place.request))
        })
    }

    /// Tells all that they have been served: after the change is there for everybody to see.
    pub(super) fn tell(mut self) {
        while let Some(place) = self.group.places.get(self.first as usize) {
            // Relaxed: the swap was made first. Before its owner is told, who may then write it.
            let next = place.next.load(Relaxed);
            // Release: pairs with the Acquire load in `is_done`.
            place.state.store(DONE, Release);
            self.first = next;
        }
    }
}

impl<R> Drop for Taken<'_, R> {
    fn drop(&mut self) {
        if let Some((last, _)) = self.members().last() {
            self.group.link(self.first, &self.group.places[last]);
        }
    }
}

#[cfg(all(test, not(snapshot_loom)))]
mod tests;
