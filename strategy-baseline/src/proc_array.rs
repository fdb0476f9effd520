//! [`ProcArray`]: PostgreSQL's process array, by which a primary knows what runs.
//!
//! # Idea
//!
//! Each session has a slot with the id of its transaction. A snapshot reads all slots in use. To begin is to store an id
//! in one's own slot, without the array's lock; to end is to clear it under the exclusive lock, so that a snapshot, which
//! holds the shared one, never sees half of it.
//!
//! ```text
//!   session        0     3     4     9                  latest completed   completions
//!   slot         │ 57  │  ·  │ 60  │ 58  │                    59                31
//!   subs                        61 62                   xmax = 60
//!                                                       running below it: 57 58
//! ```
//!
//! The [`Layout`] says where the slots lie. Scattered over all sessions that there may be, every snapshot reads every
//! line that any session dirties: the report *GetSnapshotData round two*.
//!
//! # Who may touch what
//!
//! | | turn (a mutex) | shared/exclusive lock |
//! |---|---|---|
//! | `begin` | yes | no; exclusive for an instant where sessions come into use or leave |
//! | `end` of the only id in one's slot | no | exclusive |
//! | `end` of anything else | yes, first | exclusive, second |
//! | `take` | no | shared |
//!
//! The turn is PostgreSQL's XidGenLock. A slot is filled by a holder of the turn and emptied under the exclusive lock, a
//! list of subtransactions grows under the turn and shrinks under both. Locks are always taken in this order, and nobody
//! acquires one while the array is in between two states.
//!
//! With **group clear** an `end` that finds another one at work joins those that wait; the first of them ends the
//! transactions of all in one step, on their behalf. How they queue up, and why none is lost, is on the page of
//! `proc_array/group.rs`.
//!
//! # Why it is right
//!
//! An id leaves its slot together with the rise of latest completed under the exclusive lock, so a reader under the
//! shared one sees both or neither (laws 1 and 2). Ids appear beside readers, each read once; xmax is read first and ids
//! at or above it are dropped, so an id that appears after that changes nothing. An id below xmax was begun before some
//! higher one was; that one's `end` passed it on through the lock. Only then may the highest id begun rise: `begin`
//! stores the id in the slot first. An end of ids that nobody began, above all that were, takes the turn, so that no
//! `begin` is half-way between its check and its slot: law 4.
//!
//! **Reuse.** The counter of completions is raised inside the exclusive lock, after the change. A value stamped c under
//! the shared lock holds the state after c completions. A reader that loads c finds no `end` that had returned before its
//! call uncounted, so that state is the one at an instant of the call: law 1. Loads of the counter never go back in one
//! thread, and a value built under the lock is at least as new as any count loaded before it, since that count was
//! stored inside an earlier hold of the lock: law 5. Raised before the clear and outside the lock it would be
//! wrong: a reader in between stamps the old state with the new count and keeps it for ever. `begin` counts nothing: the
//! new id is at or above the xmax of every snapshot there is.
//!
//! # Differences to PostgreSQL
//!
//! - Subtransactions are never dropped ([`Full`](BeginError::Full) never names them): the list grows.
//! - Restored ids have a sorted list of their own, where PostgreSQL has dummy processes for prepared transactions.
//! - A session is in use from its first `begin` on. The contract has no farewell, so that none leaves by itself, as in
//!   PostgreSQL with its process; idle ones are taken out of use instead, in the dense layout: `proc_array/sessions.rs`.
//!   PostgreSQL's read-only sessions are in the array as well.
//! - The session's xmin is the transaction manager's matter; a snapshot does not write to a slot.
//! - Snapshots list ids in rising order, so `take` sorts. PostgreSQL does not, and searches linearly.
//!
//! # Costs
//!
//! Take O(sessions in use) and a sort, O(running log running). Begin and end O(1) for a single id; a tree costs
//! O(subtransactions of the session × log tree), an id that the session did not begin O(sessions in use).
//!
//! # Source
//!
//! PostgreSQL, `src/backend/storage/ipc/procarray.c`: `PGXACT` up to version 13, `ProcGlobal->xids` since 14; the thread
//! *GetSnapshotData round two*; `ProcArrayGroupClearXid` since 9.6.

mod config;
mod ends;
mod group;
mod sessions;
mod slots;
mod subs;

use snapshot_api::{
    BeginError, Costs, Facts, ListSnapshot, Memory, Progress, Restore, RestoreError, SessionId,
    SnapshotStrategy, Xid, check_order, highest_normal, restore_list,
    sync::{Mutex, Padded, RwLock},
};

use self::{ends::Queues, sessions::Turn, slots::Slots};
use crate::version::Version;

pub use self::config::{Layout, ProcArrayConfig};

/// A slot for each session, read whole by every snapshot: PostgreSQL's process array.
///
/// ```
/// use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid};
/// use strategy_baseline::{ProcArray, ProcArrayConfig};
///
/// let config = ProcArrayConfig { sessions: 2, ..ProcArrayConfig::default() };
/// let array = ProcArray::restore(&config, Xid::FROZEN, &[])?;
/// let (alice, bob) = (SessionId::new(0), SessionId::new(1));
/// array.begin(alice, Xid::new(3))?;
/// array.begin(bob, Xid::new(4))?;
/// array.begin(bob, Xid::new(5))?; // a subtransaction
/// array.end(bob, &[4, 5].map(Xid::new));
///
/// let mut snapshot = array.snapshot();
/// array.take(&mut snapshot);
/// assert_eq!((snapshot.xmin(), snapshot.xmax()), (Xid::new(3), Xid::new(6)));
///
/// let refused = array.begin(SessionId::new(2), Xid::new(6)).unwrap_err();
/// assert_eq!(refused.to_string(), "all 2 session slots are in use");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ProcArray {
    config: ProcArrayConfig,
    slots: Slots,
    turn: Padded<Mutex<Turn>>,
    array: Padded<RwLock<Array>>,
    /// With group clear: who waits to end something.
    queues: Option<Queues>,
    /// What [`Array`] counts, for those who do not hold its lock. Written under the exclusive lock.
    completions: Version,
}

/// What the shared/exclusive lock guards, besides the emptying of slots.
#[derive(Debug)]
struct Array {
    /// The sessions in use, in the order of the walk.
    in_use: Vec<u32>,
    /// Restored ids that still run, in rising order.
    restored: Vec<Xid>,
    latest_completed: Xid,
    /// How many ends there were.
    completions: u64,
}

impl ProcArray {
    /// Fills `snapshot` under the shared lock. Apart from `take`, so that reuse costs its callers a load and not a call.
    #[inline(never)]
    fn build(&self, snapshot: &mut ListSnapshot) {
        let array = self.array.read();
        // First of all: what appears from here on is at or above it.
        let xmax = array.latest_completed.next();
        let running = snapshot.refill(xmax);
        running.extend(array.restored.iter().take_while(|&&xid| xid < xmax));
        self.slots.scan(&array.in_use, |xid| {
            if xid < xmax {
                running.push(xid);
            }
        });
        running.sort_unstable();
        if self.config.reuse {
            self.completions.stamp(snapshot, array.completions);
        }
    }
}

impl SnapshotStrategy for ProcArray {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: format!("proc-array({})", self.config).into(),
            source: "PostgreSQL's process array; thread \"GetSnapshotData round two\"",
            costs: Costs {
                take: "O(sessions in use + running log running)",
                begin: "O(1)",
                end: "O(1) alone in its session, else O(subtransactions)",
                is_running: "O(log running)",
            },
            readers: Progress::Blocking,
            writers: Progress::Blocking,
            unordered_begin: false,
            // Sessions are limited, the ids of each are not.
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        let mut turn = self.turn.lock();
        check_order(xid, turn.last)?;
        self.look_for_idle(&mut turn);
        self.register(&mut turn, session)?;
        self.slots.enter(session.index(), xid);
        // After the id stands in its slot, so that nobody hears of an id that is in no slot.
        turn.last = xid;
        Ok(())
    }

    fn end(&self, session: SessionId, tree: &[Xid]) {
        if highest_normal(tree).is_none() {
            return;
        }
        let session = session.index();
        if let [xid] = tree
            && self.slots.holds(session, *xid)
        {
            self.end_single(session, *xid);
            return;
        }
        let mut ids: Vec<Xid> = tree.iter().copied().filter(|xid| xid.is_normal()).collect();
        ids.sort_unstable();
        ids.dedup();
        self.end_tree(session, &ids);
    }

    #[inline]
    fn take(&self, snapshot: &mut ListSnapshot) {
        // Without reuse no value is stamped by this instance.
        if !self.completions.is_of(snapshot) {
            self.build(snapshot);
        }
    }

    fn lock_waits(&self) -> u64 {
        let queued = self.queues.as_ref().map_or(0, Queues::waits);
        self.turn.waits() + self.array.waits() + queued
    }
}

impl Restore for ProcArray {
    type Config = ProcArrayConfig;

    fn restore(
        config: &ProcArrayConfig,
        latest_completed: Xid,
        running: &[Xid],
    ) -> Result<Self, RestoreError> {
        let (latest_completed, restored) = restore_list(latest_completed, running)?;
        let last = restored.last().map_or(latest_completed, |&xid| xid.max(latest_completed));
        Ok(ProcArray {
            config: *config,
            slots: Slots::new(config.layout, config.sessions),
            queues: config.group_clear.then(|| Queues::new(config.sessions)),
            turn: Padded(Mutex::new(Turn::new(last))),
            array: Padded(RwLock::new(Array {
                in_use: Vec::new(),
                restored,
                latest_completed,
                completions: 0,
            })),
            completions: Version::new(),
        })
    }
}
