//! How transactions end: alone, or all that wait for the lock in one step.
//!
//! | | queues up | gate: who leads | locks of the leader |
//! |---|---|---|---|
//! | the only id in one's slot | where another is ending one | the door, a mutex for this alone | door, exclusive |
//! | anything else | where the turn is taken | the turn | turn, exclusive |
//!
//! Who finds nobody at work ends alone, otherwise it joins the [`Group`]. All of a group end in one step: latest completed
//! rises to the highest of them, the completions by one.
//!
//! That another is ending an id is a flag, set and cleared by plain stores: it is to cost nothing where one session ends
//! alone. Two that set it at once, or one that clears it under another, do no harm: the exclusive lock excludes, the flag
//! only advises.

use snapshot_api::{
    Xid,
    sync::{AtomicBool, AtomicU64, Mutex, Ordering::Relaxed, Padded},
};

use super::{Array, ProcArray, group::Group, sessions::Turn};

/// Those that wait to end something.
#[derive(Debug)]
pub(super) struct Queues {
    door: Padded<Mutex<()>>,
    /// Whether somebody is ending an id: a hint.
    ending: Padded<AtomicBool>,
    singles: Group<AtomicU64>,
    /// The lock of a request is the last that a leader takes, and held by nobody that waits for anything.
    trees: Group<Mutex<Vec<Xid>>>,
}

impl Queues {
    pub(super) fn new(sessions: u32) -> Self {
        Queues {
            door: Padded(Mutex::new(())),
            ending: Padded(AtomicBool::new(false)),
            singles: Group::new(sessions),
            trees: Group::new(sessions),
        }
    }

    pub(super) fn waits(&self) -> u64 {
        self.door.waits() + self.singles.waits() + self.trees.waits()
    }

    /// Says that somebody is ending an id, until the result is dropped.
    fn ending(&self) -> Ending<'_> {
        // Relaxed, like the others: a hint.
        self.ending.store(true, Relaxed);
        Ending(&self.ending)
    }
}

struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(false, Relaxed);
    }
}

impl ProcArray {
    /// Ends the id in a session's slot. If it is not there any more, another has ended it: an id never moves from its
    /// slot to elsewhere.
    pub(super) fn end_single(&self, session: usize, xid: Xid) {
        let alone = || {
            let mut array = self.array.write();
            self.slots.clear(session, xid);
            self.complete(&mut array, xid);
        };
        let Some(queues) = &self.queues else { return alone() };
        if !queues.ending.load(Relaxed) {
            let _ending = queues.ending();
            return alone();
        }
        // Relaxed: published with the place.
        let write = |request: &AtomicU64| request.store(xid.get(), Relaxed);
        if !queues.singles.join(session, write, || self.lead_singles(queues)) {
            alone();
        }
    }

    fn lead_singles(&self, queues: &Queues) {
        let _door = queues.door.lock();
        let _ending = queues.ending();
        let mut array = self.array.write();
        let taken = queues.singles.take_all();
        let mut highest = Xid::INVALID;
        for (session, request) in taken.members() {
            // Relaxed: `take_all` has seen what was published with the place.
            let xid = Xid::new(request.load(Relaxed));
            self.slots.clear(session, xid);
            highest = highest.max(xid);
        }
        if highest > Xid::INVALID {
            self.complete(&mut array, highest);
        }
        drop(array);
        taken.tell();
    }

    /// Ends `ids`, all normal, in rising order, wherever they are.
    pub(super) fn end_tree(&self, session: usize, ids: &[Xid]) {
        let Some(queues) = &self.queues else {
            return self.end_tree_alone(&mut self.turn.lock(), session, ids);
        };
        if let Some(mut turn) = self.turn.try_lock() {
            return self.end_tree_alone(&mut turn, session, ids);
        }
        let write = |request: &Mutex<Vec<Xid>>| {
            let mut request = request.lock();
            request.clear();
            request.extend_from_slice(ids);
        };
        if !queues.trees.join(session, write, || self.lead_trees(queues)) {
            self.end_tree_alone(&mut self.turn.lock(), session, ids);
        }
    }

    fn end_tree_alone(&self, turn: &mut Turn, session: usize, ids: &[Xid]) {
        let Some(&highest) = ids.last() else { return };
        let mut array = self.array.write();
        self.remove(&mut array, session, ids);
        turn.last = highest.max(turn.last);
        self.complete(&mut array, highest);
    }

    fn lead_trees(&self, queues: &Queues) {
        let mut turn = self.turn.lock();
        let mut array = self.array.write();
        let taken = queues.trees.take_all();
        let mut highest = Xid::INVALID;
        for (session, request) in taken.members() {
            let ids = request.lock();
            self.remove(&mut array, session, &ids);
            highest = ids.last().copied().unwrap_or(highest).max(highest);
        }
        turn.last = highest.max(turn.last);
        if highest > Xid::INVALID {
            self.complete(&mut array, highest);
        }
        drop(array);
        taken.tell();
    }

    /// Ends `ids`, sorted, wherever they are: first with the session itself, then among the restored ones, then
    /// everywhere. The caller holds the turn and the exclusive lock.
    fn remove(&self, array: &mut Array, session: usize, ids: &[Xid]) {
        let gone = |xid: Xid| ids.binary_search(&xid).is_ok();
        let mut left = ids.len() - self.slots.remove(session, gone);
        if left > 0 {
            let before = array.restored.len();
            array.restored.retain(|&xid| !gone(xid));
            left -= before - array.restored.len();
        }
        for other in array.in_use.iter().map(|&other| other as usize) {
            if left == 0 {
                break;
            }
            // The session's own ids are gone already: it counts none twice.
            left -= self.slots.remove(other, gone);
        }
    }

    /// Raises latest completed and the counter: the last step of an end, under the exclusive lock.
    fn complete(&self, array: &mut Array, highest: Xid) {
        array.latest_completed = array.latest_completed.max(highest);
        array.completions += 1;
        self.completions.publish(array.completions);
    }
}
