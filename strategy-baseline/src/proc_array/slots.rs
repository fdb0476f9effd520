//! The sessions' slots in both layouts.
//!
//! ```text
//!   scattered   in_use   3 17 41            a line of 64 bytes holds 4 slots
//!                        │  │  └──────────────────────────────┐
//!                        │  └────────────┐                    │
//!               slots  ·│·│·│X│ … │·│·│·│·│X│·│ … │·│·│·│·│·│X│ …      (X: in use)
//!
//!   dense       in_use   17 3 41            whose place it is
//!               xids    │X│X│X│             a line holds 8 ids
//!               subs    │f│f│f│             and 64 flags
//! ```
//!
//! PostgreSQL's slot of version 13 (`PGXACT`) has 12 bytes, 5 to a line: id, xmin, and flags with the number of
//! subtransactions. Here ids have 64 bits, and a session's xmin is not the array's matter, so that a slot is an id and a
//! flag, 16 bytes with alignment, 4 to a line.

use std::sync::OnceLock;

use snapshot_api::{
    Xid,
    sync::{
        AtomicBool, AtomicU32, AtomicU64,
        Ordering::{Acquire, Relaxed, Release},
        step,
    },
};

use super::{Layout, subs::SubList};

/// What is not an id: an empty slot.
const NO_XID: u64 = 0;

/// One session's slot in the scattered layout. No padding to a line: that sessions share lines is the design.
#[derive(Debug)]
struct Slot {
    xid: AtomicU64,
    subs: AtomicBool,
}

#[cfg(not(snapshot_loom))]
const _: () = assert!(size_of::<Slot>() == 16, "four slots share a line of 64 bytes");

#[derive(Debug)]
enum Arrays {
    Scattered(Box<[Slot]>),
    Dense { xids: Box<[AtomicU64]>, subs: Box<[AtomicBool]> },
}

/// For each session in use: the id of its transaction, and its subtransactions.
#[derive(Debug)]
pub(super) struct Slots {
    arrays: Arrays,
    /// The place of each session in `arrays`, while it is in use. Written under both locks.
    places: Box<[AtomicU32]>,
    /// The list of each session that ever had a subtransaction. Made by holders of the turn.
    lists: Box<[OnceLock<Box<SubList>>]>,
}

/// The place of a session that is not in use.
const UNUSED: u32 = u32::MAX;

/// So many places more than twice those that hold something are no reason to close gaps.
const SPARE: usize = if cfg!(snapshot_loom) { 0 } else { 64 };

impl Slots {
    pub(super) fn new(layout: Layout, sessions: u32) -> Self {
        let id = |_| AtomicU64::new(NO_XID);
        let flag = |_| AtomicBool::new(false);
        Slots {
            arrays: match layout {
                Layout::Scattered => Arrays::Scattered(
                    (0..sessions).map(|n| Slot { xid: id(n), subs: flag(n) }).collect(),
                ),
                Layout::Dense => Arrays::Dense {
                    xids: (0..sessions).map(id).collect(),
                    subs: (0..sessions).map(flag).collect(),
                },
            },
            places: (0..sessions).map(|_| AtomicU32::new(UNUSED)).collect(),
            lists: (0..sessions).map(|_| OnceLock::new()).collect(),
        }
    }

    /// How many sessions there may be.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether a session is in use.
    pub(super) fn in_use(&self, session: usize) -> bool {
        self.slot(session).is_some()
    }

    /// Takes a session into use: the caller holds both locks. `in_use` names the sessions in the order in which
    /// [`scan`](Self::scan) walks.
    pub(super) fn register(&self, session: u32, in_use: &mut Vec<u32>) {
        let place = match &self.arrays {
            Arrays::Scattered(_) => {
                // Sorted, as PostgreSQL keeps it, so that the walk goes one way through memory.
                let at = in_use.partition_point(|&other| other < session);
                in_use.insert(at, session);
                session
            }
            Arrays::Dense { .. } => {
                in_use.push(session);
                in_use.len() as u32 - 1
            }
        };
        // Relaxed: both locks are held.
        self.places[session as usize].store(place, Relaxed);
    }

    /// Whether so many places in use hold so little that idle sessions are to leave. The caller holds the turn. Scattered
    /// slots never move.
    pub(super) fn is_sparse(&self, in_use: usize) -> bool {
        let Arrays::Dense { xids, subs } = &self.arrays else { return false };
        // Relaxed: an estimate, since some are emptied beside us.
        let holds = |(xid, subs): &(&AtomicU64, &AtomicBool)| {
            xid.load(Relaxed) != NO_XID || subs.load(Relaxed)
        };
        in_use > 2 * xids[..in_use].iter().zip(subs).filter(holds).count() + SPARE
    }

    /// Takes the sessions that run nothing out of use and moves the others together: the caller holds both locks, which
    /// publish it.
    pub(super) fn drop_idle(&self, in_use: &mut Vec<u32>) {
        let Arrays::Dense { xids, subs } = &self.arrays else { return };
        let mut kept = 0;
        for place in 0..in_use.len() {
            let session = in_use[place];
            // Relaxed, all of them: both locks are held.
            let (xid, flag) = (xids[place].load(Relaxed), subs[place].load(Relaxed));
            xids[place].store(NO_XID, Relaxed);
            subs[place].store(false, Relaxed);
            let mut moved_to = UNUSED;
            if xid != NO_XID || flag {
                // `kept` is never ahead of `place`.
                xids[kept].store(xid, Relaxed);
                subs[kept].store(flag, Relaxed);
                in_use[kept] = session;
                moved_to = kept as u32;
                kept += 1;
            }
            self.places[session as usize].store(moved_to, Relaxed);
        }
        in_use.truncate(kept);
    }

    /// Enters a running id for a session in use: in its slot, or on its list where the slot is taken. The caller holds
    /// the turn, and tells of the id no other way before this returns.
    pub(super) fn enter(&self, session: usize, xid: Xid) {
        let Some((slot, subs)) = self.slot(session) else { return };
        // Relaxed: filled by holders of the turn. One that is emptied beside us may still look taken: the id then goes
        // on the list, where it is found as well.
        if slot.load(Relaxed) == NO_XID {
            // Relaxed, see `scan`: whoever must see it hears of it through the return of `begin`.
            slot.store(xid.get(), Relaxed);
        } else {
            step();
            self.lists[session].get_or_init(|| Box::new(SubList::new())).push(xid);
            // Release: pairs with the Acquire load in `scan`; who sees the flag sees the list.
            subs.store(true, Release);
        }
    }

    /// Whether `xid` is in the session's slot.
    #[inline]
    pub(super) fn holds(&self, session: usize, xid: Xid) -> bool {
        // Relaxed: a hint. The session's place may move meanwhile, and what is found there then is not `xid`.
        self.slot(session).is_some_and(|(slot, _)| slot.load(Relaxed) == xid.get())
    }

    /// Empties the session's slot if it holds `xid`. The caller holds the exclusive lock, which keeps others from emptying
    /// it and publishes the change. A `begin` beside it fills only a slot that it has seen empty.
    #[inline]
    pub(super) fn clear(&self, session: usize, xid: Xid) {
        if let Some((slot, _)) = self.slot(session)
            && slot.load(Relaxed) == xid.get()
        {
            slot.store(NO_XID, Relaxed);
        }
    }

    /// Ends those ids of a session that `gone` names and says how many there were. The caller holds both locks, which
    /// keep others out and publish the change.
    pub(super) fn remove(&self, session: usize, gone: impl Fn(Xid) -> bool) -> usize {
        let Some((slot, subs)) = self.slot(session) else { return 0 };
        let mut removed = 0;
        if gone(Xid::new(slot.load(Relaxed))) {
            slot.store(NO_XID, Relaxed);
            removed += 1;
        }
        if subs.load(Relaxed)
            && let Some(list) = self.list(session)
        {
            let (ended, kept) = list.remove(|xid| gone(Xid::new(xid)));
            subs.store(kept > 0, Relaxed);
            removed += ended;
        }
        removed
    }

    /// Calls `running` with each id of each session, in no order. The caller holds the lock under which `in_use` changes
    /// and slots are emptied, shared.
    ///
    /// Relaxed for the ids: one that the caller must see was stored before its `begin` returned, and some later `end` passed that
    /// on through the lock; any other id is at or above the caller's xmax. Each is read once. Acquire for the flags: pairs
    /// with the Release store in `enter`, so that the list is whole.
    #[inline]
    pub(super) fn scan(&self, in_use: &[u32], mut running: impl FnMut(Xid)) {
        let mut id = |xid| {
            if xid != NO_XID {
                running(Xid::new(xid));
            }
        };
        match &self.arrays {
            Arrays::Scattered(slots) => {
                for &session in in_use {
                    let slot = &slots[session as usize];
                    id(slot.xid.load(Relaxed));
                    if slot.subs.load(Acquire) {
                        self.scan_list(session, &mut id);
                    }
                }
            }
            Arrays::Dense { xids, subs } => {
                for xid in &xids[..in_use.len()] {
                    id(xid.load(Relaxed));
                }
                for (flag, &session) in subs.iter().zip(in_use) {
                    if flag.load(Acquire) {
                        self.scan_list(session, &mut id);
                    }
                }
            }
        }
    }

    #[cold]
    fn scan_list(&self, session: u32, running: impl FnMut(u64)) {
        if let Some(list) = self.list(session as usize) {
            list.for_each(running);
        }
    }

    /// The id and the flag of a session that is in use.
    #[inline]
    fn slot(&self, session: usize) -> Option<(&AtomicU64, &AtomicBool)> {
        // Relaxed: whoever holds one of the locks is behind the last write; all others take the answer for a hint.
        let place = self.places.get(session)?.load(Relaxed);
        if place == UNUSED {
            return None;
        }
        let place = place as usize;
        Some(match &self.arrays {
            Arrays::Scattered(slots) => (&slots[place].xid, &slots[place].subs),
            Arrays::Dense { xids, subs } => (&xids[place], &subs[place]),
        })
    }

    /// The session's list of subtransactions, if it ever had one.
    fn list(&self, session: usize) -> Option<&SubList> {
        step();
        self.lists[session].get().map(|list| &**list)
    }
}
