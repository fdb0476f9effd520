//! [`KnownArray`]: the array, the locks and the rules of PostgreSQL's KnownAssignedXids, for any way to find what runs.
//!
//! # Idea
//!
//! Ids arrive in rising order and are appended to a sorted array. An id that ends keeps its place, so that the next one
//! is found by binary search; something beside it says that it no longer runs. What that is, and how a snapshot walks, is
//! the design's: its [`Places`]. [`BooleanArray`](crate::BooleanArray) keeps a flag, as PostgreSQL does.
//!
//! ```text
//!             0   1   2   3   4   5   6   7   8   9
//!   ids     │   │   │ 40│ 41│ 42│ 43│ 44│ 45│   │   │
//!   valid   │   │   │ T │ · │ · │ T │ · │ T │   │   │
//!                     ▲                       ▲
//!                    tail     span = 6       head          valid = 3
//!
//!   end(40)           tail moves over what has ended:                    tail = 5
//!   end of the last   tail = head = 0
//!   compaction        40 43 45 move to places 0 1 2
//! ```
//!
//! # Who may touch what
//!
//! | | append mutex | shared/exclusive lock |
//! |---|---|---|
//! | `begin` | yes | no; exclusive for an instant when the array is moved or compacted |
//! | `end`, `forget`, `complete`, `prune` | yes, first | exclusive, second |
//! | `take` | no | shared |
//!
//! In PostgreSQL one process appends, ends and compacts; here the append mutex stands for it. Locks are always taken in
//! this order, and nobody acquires one while the array is in between two states.
//!
//! # Why it is right
//!
//! What runs, tail, array and latest completed change under the exclusive lock alone, so a reader sees them as of one
//! instant (laws 1 and 2). The head alone moves beside readers: `begin` writes the entry, then stores the head with
//! Release; a reader loads it with Acquire and sees whole entries. An append that a reader misses does no harm: such an
//! id is above every completed one, otherwise `begin` would have refused it, or its `begin` would have returned before
//! that of the completed one was called and thus before the reader's lock. So it is at or above xmax, and running by law 3.
//!
//! **Reuse.** The version is raised inside the exclusive lock, after the change. A value stamped v under the shared lock
//! holds the state of version v. A reader that loads v finds no `end` that had returned before its call uncounted (its
//! store happens before the load), so the state of v is that of an instant of the call: law 1. Loads of one variable
//! never go back in one thread, and a value built under the lock is at least as new as any version loaded before it,
//! since that version's store was made inside an earlier hold of the lock: law 5. `begin` raises nothing: the new id
//! is at or above the xmax of every snapshot there is.
//!
//! # Costs
//!
//! Begin O(1) amortised, end O(log span) an id, take what the design's scan costs. Arrays double up to PostgreSQL's number of
//! places and, unless bounded, beyond. Their memory is not given back.
//!
//! # Source
//!
//! PostgreSQL, `src/backend/storage/ipc/procarray.c`.

mod alone;
mod config;
mod occupancy;
mod places;

use std::sync::Arc;

use snapshot_api::{
    BeginError, CapacityExceeded, Facts, ListSnapshot, Memory, Progress, Restore, RestoreError,
    SessionId, SnapshotStrategy, Standby, Xid, check_order, highest_normal, restore_list,
    sync::{
        AtomicUsize, Mutex,
        Ordering::{Acquire, Release},
        Padded, RwLock,
    },
};

use self::alone::{Alone, Appends, Live, Occasion};
use crate::version::Version;

pub use self::{
    config::{CompactionRule, KnownArrayConfig},
    occupancy::Occupancy,
    places::Places,
};

/// Places of a new array; a few only in models, so that they see it grow.
const FIRST_PLACES: usize = if cfg!(snapshot_loom) { 4 } else { 1_024 };

/// A sorted array of ids, and beside each what its design keeps to find those that run.
///
/// The design is `P`. Its locks, bounds, versions and compaction are the same in all.
#[derive(Debug)]
pub struct KnownArray<P: Places> {
    /// What the caller set up, and what of it concerns the array.
    design: P::Config,
    config: KnownArrayConfig,
    appends: Padded<Mutex<Appends<P>>>,
    /// Where the next id goes. Written by holders of the append mutex: with Release, after the entry below it.
    head: Padded<AtomicUsize>,
    live: Padded<RwLock<Live<P>>>,
    /// How many changes there were that a snapshot can see: what [`Live`] counts. Written under the exclusive lock.
    version: Version,
}

impl<P: Places> KnownArray<P> {
    /// How full the array is at one instant. Waits for writers like any writer.
    pub fn occupancy(&self) -> Occupancy {
        let appends = self.appends.lock();
        let live = self.live.read();
        Occupancy {
            span: appends.head - live.tail,
            valid: appends.valid,
            allocated: appends.places.size(),
            compactions: appends.compactions,
        }
    }

    /// Changes the array with both locks held, and makes kept snapshots stale.
    fn alone(&self, change: impl FnOnce(&mut Alone<'_, P>)) {
        let mut appends = self.appends.lock();
        let mut live = self.live.write();
        change(&mut Alone {
            config: &self.config,
            appends: &mut appends,
            live: &mut live,
            head: &self.head,
        });
        live.version += 1;
        self.version.publish(live.version);
    }

    /// Fills `snapshot` under the shared lock. Apart from `take`, so that reuse costs its callers a load and not a call.
    #[inline(never)]
    fn build(&self, snapshot: &mut ListSnapshot) {
        let live = self.live.read();
        let xmax = live.latest_completed.next();
        // Acquire: pairs with the Release store in `begin`; the entries below the head are whole.
        let head = self.head.load(Acquire);
        live.places.scan(live.tail..head, xmax, snapshot.refill(xmax));
        if self.config.reuse {
            self.version.stamp(snapshot, live.version);
        }
    }

    /// Makes the place at the head usable.
    #[cold]
    fn make_room(&self, appends: &mut Appends<P>) -> Result<(), CapacityExceeded> {
        if appends.places.size() == appends.bound {
            let fixed = self.config.bounded || appends.bound == P::MOST;
            if fixed && appends.valid == appends.bound {
                return Err(CapacityExceeded { what: "places", limit: appends.bound });
            }
            let mut live = self.live.write();
            Alone { config: &self.config, appends, live: &mut live, head: &self.head }.compact();
            drop(live);
            if fixed || appends.valid <= appends.bound / 2 {
                return Ok(());
            }
            appends.bound = appends.bound.saturating_mul(2).min(P::MOST);
        }
        // Nothing ends without the append mutex, which is held: readers go on in the old array while it is copied.
        let len = appends.places.size().saturating_mul(2).min(appends.bound);
        let larger = Arc::new(appends.places.grown(len));
        let mut live = self.live.write();
        let smaller = std::mem::replace(&mut live.places, Arc::clone(&larger));
        drop(live);
        appends.places = larger;
        drop(smaller);
        Ok(())
    }
}

impl<P: Places> SnapshotStrategy for KnownArray<P> {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: P::name(&self.design).into(),
            source: P::SOURCE,
            costs: P::COSTS,
            readers: Progress::Blocking,
            writers: Progress::Blocking,
            unordered_begin: false,
            capacity: self.config.bounded.then(|| self.config.places()),
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        let mut appends = self.appends.lock();
        check_order(xid, appends.last)?;
        if appends.head == appends.places.size() {
            self.make_room(&mut appends)?;
        }
        appends.places.append(appends.head, xid);
        appends.head += 1;
        // Release: pairs with the Acquire load in `build`; who sees the new head sees the entry below it.
        self.head.store(appends.head, Release);
        appends.valid += 1;
        appends.last = xid;
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let Some(highest) = highest_normal(tree) else { return };
        self.alone(|array| {
            for &xid in tree {
                array.remove(xid);
            }
            array.complete(highest);
            array.consider_compaction(Occasion::End);
        });
    }

    #[inline]
    fn take(&self, snapshot: &mut ListSnapshot) {
        // Without reuse no value is stamped by this instance.
        if !self.version.is_of(snapshot) {
            self.build(snapshot);
        }
    }

    fn lock_waits(&self) -> u64 {
        self.appends.waits() + self.live.waits()
    }
}

impl<P: Places> Restore for KnownArray<P> {
    type Config = P::Config;

    fn restore(
        design: &P::Config,
        latest_completed: Xid,
        running: &[Xid],
    ) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let config: KnownArrayConfig = design.clone().into();
        let mut bound = config.places().min(P::MOST);
        if running.len() > bound {
            if config.bounded || running.len() > P::MOST {
                return Err(CapacityExceeded { what: "places", limit: bound }.into());
            }
            bound = running.len().next_power_of_two().min(P::MOST);
        }
        let places = Arc::new(P::new(running.len().max(FIRST_PLACES).min(bound)));
        for (place, &xid) in running.iter().enumerate() {
            places.append(place, xid);
        }
        let appends = Appends {
            places: Arc::clone(&places),
            bound,
            head: running.len(),
            valid: running.len(),
            last: running.last().map_or(latest_completed, |&xid| xid.max(latest_completed)),
            gap_ends: 0,
            compactions: 0,
        };
        Ok(KnownArray {
            design: design.clone(),
            config,
            appends: Padded(Mutex::new(appends)),
            head: Padded(AtomicUsize::new(running.len())),
            live: Padded(RwLock::new(Live { places, tail: 0, latest_completed, version: 0 })),
            version: Version::new(),
        })
    }
}

impl<P: Places> Standby for KnownArray<P> {
    fn forget(&self, xids: &[Xid]) {
        self.alone(|array| {
            for &xid in xids {
                array.remove(xid);
            }
            array.consider_compaction(Occasion::End);
        });
    }

    fn complete(&self, latest: Xid) {
        if latest.is_normal() {
            self.alone(|array| array.complete(latest));
        }
    }

    fn prune(&self, below: Xid) {
        self.alone(|array| {
            array.remove_below(below);
            array.consider_compaction(Occasion::Prune);
        });
    }
}
