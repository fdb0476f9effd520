//! [`Bitmap`]: the standby's known-assigned ids as bits instead of booleans, as the thread proposed.
//!
//! # Idea
//!
//! Ids are handed out one after the other, so an id is a distance from the oldest running one, and whether it runs is one
//! bit at that distance. A snapshot walks over whole words and stops only where one is not zero.
//!
//! ```text
//!   base = 128, the word of the oldest running id
//!
//!   word       0                1               2     …     15,625
//!   bits   │0001 0000 …│0000 0000 …│0000 0000 …│ … │1101 1101 …│
//!              ▲  131 runs        all ended             ▲ the newest ids
//!
//!   a boolean array reads 1,000,000 flags here, this reads 15,626 words
//! ```
//!
//! An id that begins sets its bit and makes the vector longer, one that ends clears it. When the oldest word has become zero
//! the words up to the next one that is not are dead; they are cut off when they are half of the vector.
//!
//! # Invariants
//!
//! - The bit at offset `o` is set if and only if the id `base + o` runs. `base` is a multiple of 64.
//! - The first live word is not zero where any id runs. Dead words before it are less than half of the vector, or few.
//! - Bits, base, latest completed and version change under the exclusive lock alone.
//!
//! # Why it is right
//!
//! A reader holds the shared lock during its walk, so it sees bits and latest completed of one instant: laws 1, 2 and 3. Ids
//! at or above xmax are cut off by a mask in the last word.
//!
//! **Nothing has changed.** The version is raised inside the exclusive lock. A value stamped v under the shared lock holds the
//! state of version v, and a reader that later loads v finds no `end` that had returned before its call uncounted, since
//! that end's store comes before the load: the state of v is one of this call's, law 1. A version loaded was stored inside an
//! earlier hold of the lock, so that a value built afterwards is no older than it: law 5. `begin` raises nothing: its id
//! lies at or above the xmax of every snapshot there is.
//!
//! # Costs
//!
//! Take O(window / 64 + running), begin and end O(1) amortised. Memory is by window: one bit for each id from the oldest
//! running one to the newest, twice that while the vector grows. One transaction that stays open makes it grow by 122 KiB
//! with every million ids that begin, and every snapshot walk over them. A vector eight times too large is given back.
//!
//! `begin` takes the exclusive lock, where PostgreSQL's array is appended to without it: a word has bits of old ids and of
//! new ones.
//!
//! # Source
//!
//! The thread *Slow standby snapshot* on pgsql-hackers, 2021: "We have tried to fix this by using BitMapSet instead of
//! boolean array KnownAssignedXidsValid, but this does not help too much."

mod window;

use snapshot_api::{
    BeginError, CapacityExceeded, Costs, Facts, InstanceId, ListSnapshot, Memory, Progress,
    Restore, RestoreError, SessionId, SnapshotStrategy, Standby, Xid, check_order, highest_normal,
    restore_list,
    sync::{
        AtomicU64,
        Ordering::{Acquire, Release},
        Padded, RwLock,
    },
};

use self::window::Window;

/// How wide a [`Bitmap`] may become.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitmapConfig {
    /// The most ids from the oldest running one to the newest, both included. An id farther away is refused, since every id
    /// between needs a bit. The default is 2³¹, PostgreSQL's own limit, which is 256 MiB of bits.
    pub widest: u64,
}

impl Default for BitmapConfig {
    fn default() -> Self {
        BitmapConfig { widest: 1 << 31 }
    }
}

/// One bit for each id of the window, under a shared/exclusive lock.
///
/// ```
/// use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid};
/// use strategy_bitmap::{Bitmap, BitmapConfig};
///
/// let bitmap = Bitmap::restore(&BitmapConfig::default(), Xid::new(9), &[Xid::new(7)])?;
/// let session = SessionId::new(0);
/// for id in 10..1_000_000 {
///     bitmap.begin(session, Xid::new(id))?;
///     bitmap.end(session, &[Xid::new(id)]);
/// }
/// let mut snapshot = bitmap.snapshot();
/// bitmap.take(&mut snapshot);
/// assert_eq!((snapshot.xmin(), snapshot.xmax()), (Xid::new(7), Xid::new(1_000_000)));
/// assert_eq!(bitmap.words(), 15_625, "one old id holds a million bits");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Bitmap {
    instance: InstanceId,
    config: BitmapConfig,
    state: Padded<RwLock<State>>,
    /// How many changes there were that a snapshot can see: what [`State`] counts. Written under the exclusive lock.
    version: Padded<AtomicU64>,
}

#[derive(Debug)]
struct State {
    window: Window,
    latest_completed: Xid,
    /// The highest id begun or completed.
    last: Xid,
    version: u64,
}

impl State {
    fn complete(&mut self, latest: Xid) {
        self.latest_completed = self.latest_completed.max(latest);
        self.last = self.last.max(latest);
    }
}

impl Bitmap {
    /// How many words a snapshot walks over, from that of the oldest running id to the newest one. Waits for writers.
    pub fn words(&self) -> usize {
        self.state.read().window.live().len()
    }

    fn too_wide(config: &BitmapConfig) -> CapacityExceeded {
        let limit = usize::try_from(config.widest).unwrap_or(usize::MAX);
        CapacityExceeded { what: "places from the oldest running id on", limit }
    }

    /// Changes the state alone and makes kept snapshots stale.
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.write();
        change(&mut state);
        state.version += 1;
        // Release: pairs with the Acquire load in `take`; whoever reads the new version has the change before it.
        self.version.store(state.version, Release);
    }

    /// Fills `snapshot` under the shared lock. Apart from `take`, so that an unchanged one costs a load and not a call.
    #[inline(never)]
    fn build(&self, snapshot: &mut ListSnapshot) {
        let state = self.state.read();
        let xmax = state.latest_completed.next();
        state.window.list(xmax, snapshot.refill(xmax));
        snapshot.stamp(self.instance, state.version);
    }
}

impl SnapshotStrategy for Bitmap {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts {
            name: "bitmap".into(),
            source: "thread \"Slow standby snapshot\", 2021: BitMapSet instead of boolean array",
            costs: Costs {
                take: "O(window / 64 + running)",
                begin: "O(1) amortised",
                end: "O(1) amortised",
                is_running: "O(log running)",
            },
            readers: Progress::Blocking,
            writers: Progress::Blocking,
            unordered_begin: false,
            capacity: None,
            allocations_per_change: 0,
            memory: Memory::Bounded,
        }
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, _session: SessionId, xid: Xid) -> Result<(), BeginError> {
        let mut state = self.state.write();
        check_order(xid, state.last)?;
        if !state.window.set(xid, self.config.widest) {
            return Err(Self::too_wide(&self.config).into());
        }
        state.last = xid;
        Ok(())
    }

    fn end(&self, _session: SessionId, tree: &[Xid]) {
        let Some(highest) = highest_normal(tree) else { return };
        self.change(|state| {
            tree.iter().for_each(|&xid| state.window.clear(xid));
            state.complete(highest);
        });
    }

    #[inline]
    fn take(&self, snapshot: &mut ListSnapshot) {
        // Acquire: pairs with the Release store in `change`; the state of this version is before this call's return.
        if !snapshot.is_from(self.instance, self.version.load(Acquire)) {
            self.build(snapshot);
        }
    }

    fn lock_waits(&self) -> u64 {
        self.state.waits()
    }
}

impl Restore for Bitmap {
    type Config = BitmapConfig;

    fn restore(
        config: &BitmapConfig,
        latest_completed: Xid,
        running: &[Xid],
    ) -> Result<Self, RestoreError> {
        let (latest_completed, running) = restore_list(latest_completed, running)?;
        let mut window = Window::new();
        for &xid in &running {
            if !window.set(xid, config.widest) {
                return Err(Self::too_wide(config).into());
            }
        }
        let last = running.last().map_or(latest_completed, |&xid| xid.max(latest_completed));
        Ok(Bitmap {
            instance: InstanceId::unique(),
            config: *config,
            state: Padded(RwLock::new(State { window, latest_completed, last, version: 0 })),
            version: Padded(AtomicU64::new(0)),
        })
    }
}

impl Standby for Bitmap {
    fn forget(&self, xids: &[Xid]) {
        self.change(|state| xids.iter().for_each(|&xid| state.window.clear(xid)));
    }

    fn complete(&self, latest: Xid) {
        if latest.is_normal() {
            self.change(|state| state.complete(latest));
        }
    }

    fn prune(&self, below: Xid) {
        self.change(|state| state.window.clear_below(below));
    }
}

#[cfg(test)]
mod tests;
