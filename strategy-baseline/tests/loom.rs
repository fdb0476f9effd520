//! Models of the two protocols: every interleaving of a few threads, and the wrong orders that must fail.
//!
//! `RUSTFLAGS="--cfg snapshot_loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p strategy-baseline --release --test loom`
#![cfg(snapshot_loom)]

use loom::{sync::Arc, thread};
use snapshot_api::{
    InstanceId, ListSnapshot, Restore, SessionId, Snapshot, SnapshotStrategy, Xid,
    sync::{
        AtomicU64, AtomicUsize, Mutex,
        Ordering::{self, Acquire, Relaxed, Release},
        RwLock,
    },
};
use strategy_baseline::{
    BooleanArray, BooleanArrayConfig, CompactionRule, Layout, ProcArray, ProcArrayConfig,
};

#[path = "loom/group.rs"]
mod group;

const ONE: SessionId = SessionId::new(0);
const TWO: SessionId = SessionId::new(1);

fn ids<const N: usize>(ids: [u64; N]) -> [Xid; N] {
    ids.map(Xid::new)
}

fn begin<S: SnapshotStrategy>(strategy: &S, session: SessionId, id: u64) {
    strategy.begin(session, Xid::new(id)).expect("in order");
}

/// xmax and the running ids.
fn take<S: SnapshotStrategy>(strategy: &S, snapshot: &mut S::Snapshot) -> (u64, Vec<u64>) {
    strategy.take(snapshot);
    (snapshot.xmax().get(), snapshot.running().map(Xid::get).collect())
}

/// Two takes beside the others: each result is one of `states`, and the second is no older than the first.
fn take_twice<S: SnapshotStrategy>(strategy: &S, states: &[(u64, &[u64])]) {
    let mut snapshot = strategy.snapshot();
    let mut oldest = 0;
    for _ in 0..2 {
        let (xmax, running) = take(strategy, &mut snapshot);
        let at = states.iter().position(|&state| state == (xmax, &running));
        let at = at.unwrap_or_else(|| panic!("{running:?} below {xmax} was never so"));
        assert!(at >= oldest, "back from {:?} to {:?}", states[oldest], states[at]);
        oldest = at;
    }
}

/// An array of four places, all taken by ids 3 to 6; the first end that leaves gaps closes them.
fn boolean_array(reuse: bool) -> Arc<BooleanArray> {
    let config =
        BooleanArrayConfig { rule: CompactionRule::Since15_2, reuse, ..Default::default() };
    Arc::new(BooleanArray::restore(&config, Xid::new(6), &ids([3, 4, 5, 6])).expect("it grows"))
}

/// An append that makes the array grow, an end that compacts it, and a reader.
fn append_beside_compaction_and_take(reuse: bool) {
    loom::model(move || {
        let array = boolean_array(reuse);
        let appender = thread::spawn({
            let array = Arc::clone(&array);
            move || begin(&*array, ONE, 7)
        });
        let ender = thread::spawn({
            let array = Arc::clone(&array);
            move || array.end(TWO, &ids([4, 5, 6]))
        });
        take_twice(&*array, &[(7, &[3, 4, 5, 6]), (7, &[3])]);
        appender.join().expect("no panic");
        ender.join().expect("no panic");
        array.end(ONE, &ids([7]));
        assert_eq!(take(&*array, &mut array.snapshot()), (8, vec![3]));
        assert!(array.occupancy().compactions > 0, "the model is to see one");
    });
}

#[test]
fn boolean_array_appends_beside_compaction_and_take() {
    append_beside_compaction_and_take(false);
}

#[test]
fn boolean_array_appends_beside_compaction_and_reuse() {
    append_beside_compaction_and_take(true);
}

/// Whoever sees that a higher id has completed sees each lower one that runs (PostgreSQL 74fc8386).
fn lower_ids_are_found<S: SnapshotStrategy + 'static>(
    make: impl Fn() -> S + Sync + Send + 'static,
) {
    loom::model(move || {
        let strategy = Arc::new(make());
        let writer = thread::spawn({
            let strategy = Arc::clone(&strategy);
            move || {
                begin(&*strategy, ONE, 7);
                begin(&*strategy, TWO, 8);
                strategy.end(TWO, &ids([8]));
            }
        });
        take_twice(&*strategy, &[(7, &[3]), (9, &[3, 7])]);
        writer.join().expect("no panic");
    });
}

#[test]
fn boolean_array_lower_ids_are_found() {
    lower_ids_are_found(|| {
        let config = BooleanArrayConfig { reuse: true, ..Default::default() };
        BooleanArray::restore(&config, Xid::new(6), &ids([3])).expect("it grows")
    });
}

/// Two sessions, neither in use yet, and a restored id.
fn proc_array(layout: Layout, reuse: bool) -> ProcArray {
    let config = ProcArrayConfig { sessions: 2, layout, reuse, group_clear: false };
    ProcArray::restore(&config, Xid::new(6), &ids([3])).expect("nothing is bounded")
}

#[test]
fn proc_array_lower_ids_are_found_scattered() {
    lower_ids_are_found(|| proc_array(Layout::Scattered, false));
}

#[test]
fn proc_array_lower_ids_are_found_dense() {
    lower_ids_are_found(|| proc_array(Layout::Dense, true));
}

/// A session ends its transaction with a subtransaction and begins the next one while another ends its own.
fn begin_end_take(layout: Layout, reuse: bool) {
    loom::model(move || {
        let array = Arc::new(proc_array(layout, reuse));
        begin(&*array, ONE, 7);
        begin(&*array, TWO, 8);
        begin(&*array, TWO, 9);
        let one = thread::spawn({
            let array = Arc::clone(&array);
            move || {
                begin(&*array, ONE, 10);
                array.end(ONE, &ids([7, 10]));
            }
        });
        let two = thread::spawn({
            let array = Arc::clone(&array);
            move || array.end(TWO, &ids([8, 9]))
        });
        let mut snapshot = array.snapshot();
        let mut before = (7, vec![3]);
        for _ in 0..2 {
            let now = take(&*array, &mut snapshot);
            let later: &[(u64, &[u64])] = match before.0 {
                7 => &[(7, &[3]), (10, &[3, 7]), (11, &[3, 8, 9]), (11, &[3])],
                10 => &[(10, &[3, 7]), (11, &[3])],
                _ if before.1.len() == 3 => &[(11, &[3, 8, 9]), (11, &[3])],
                _ => &[(11, &[3])],
            };
            assert!(later.contains(&(now.0, &now.1)), "{now:?} after {before:?}");
            before = now;
        }
        one.join().expect("no panic");
        two.join().expect("no panic");
        assert_eq!(take(&*array, &mut snapshot), (11, vec![3]), "what had ended before the call");
    });
}

#[test]
fn proc_array_begin_end_take_scattered() {
    begin_end_take(Layout::Scattered, true);
}

#[test]
fn proc_array_begin_end_take_dense() {
    begin_end_take(Layout::Dense, false);
}

/// Another session rolls back one subtransaction while its owner adds one, and nothing is lost.
#[test]
fn proc_array_a_list_grows_beside_a_foreign_end() {
    loom::model(|| {
        let array = Arc::new(proc_array(Layout::Scattered, false));
        begin(&*array, ONE, 7);
        begin(&*array, ONE, 8);
        let owner = thread::spawn({
            let array = Arc::clone(&array);
            move || begin(&*array, ONE, 9)
        });
        let other = thread::spawn({
            let array = Arc::clone(&array);
            move || array.end(TWO, &ids([8]))
        });
        take_twice(&*array, &[(7, &[3]), (9, &[3, 7])]);
        owner.join().expect("no panic");
        other.join().expect("no panic");
        array.end(TWO, &ids([10]));
        assert_eq!(take(&*array, &mut array.snapshot()), (11, vec![3, 7, 9]));
    });
}

/// A session that idles leaves while another ends and a third reads, then comes back.
#[test]
fn proc_array_idle_sessions_leave_beside_an_end_and_a_take() {
    loom::model(|| {
        let config = ProcArrayConfig { sessions: 4, layout: Layout::Dense, ..Default::default() };
        let array = ProcArray::restore(&config, Xid::new(6), &[]).expect("nothing is bounded");
        let array = Arc::new(array);
        // Two that idle lie before the one that runs 9; the next begin looks for idle ones.
        for (session, id) in [(0, 7), (1, 8), (2, 9)] {
            begin(&*array, SessionId::new(session), id);
        }
        array.end(SessionId::new(0), &ids([7]));
        array.end(SessionId::new(1), &ids([8]));
        assert_eq!(array.sessions_in_use(), 3);
        let ender = thread::spawn({
            let array = Arc::clone(&array);
            move || array.end(SessionId::new(2), &ids([9]))
        });
        let beginner = thread::spawn({
            let array = Arc::clone(&array);
            move || {
                for (session, id) in [(3, 10), (1, 11), (0, 12), (0, 13)] {
                    begin(&*array, SessionId::new(session), id);
                }
            }
        });
        take_twice(&*array, &[(9, &[]), (10, &[])]);
        ender.join().expect("no panic");
        beginner.join().expect("no panic");
        array.end(SessionId::new(1), &ids([20]));
        assert_eq!(take(&*array, &mut array.snapshot()), (21, vec![10, 11, 12, 13]));
        for (session, id) in [(3, 10), (1, 11), (0, 12), (0, 13)] {
            array.end(SessionId::new(session), &ids([id]));
        }
        assert_eq!(take(&*array, &mut array.snapshot()), (21, vec![]));
    });
}

/// When the counter of completions is raised, in the reduced protocol of reuse: a set under the lock, a counter beside.
#[derive(Clone, Copy)]
enum Raise {
    Inside,
    BeforeOutside,
    AfterOutside,
}

struct Reuse {
    instance: InstanceId,
    completions: AtomicU64,
    running: RwLock<Vec<Xid>>,
    raise: Raise,
}

impl Reuse {
    fn new(raise: Raise) -> Arc<Self> {
        Arc::new(Reuse {
            instance: InstanceId::unique(),
            completions: AtomicU64::new(0),
            running: RwLock::new(vec![Xid::new(3)]),
            raise,
        })
    }

    fn end(&self, xid: Xid) {
        if let Raise::BeforeOutside = self.raise {
            self.completions.fetch_add(1, Release);
        }
        let mut running = self.running.write();
        running.retain(|&other| other != xid);
        if let Raise::Inside = self.raise {
            self.completions.store(self.completions.load(Relaxed) + 1, Release);
        }
        drop(running);
        if let Raise::AfterOutside = self.raise {
            self.completions.fetch_add(1, Release);
        }
    }

    /// Whether id 3 runs.
    fn take(&self, snapshot: &mut ListSnapshot) -> bool {
        if !snapshot.is_from(self.instance, self.completions.load(Acquire)) {
            let running = self.running.read();
            snapshot.refill(Xid::new(9)).extend(running.iter());
            snapshot.stamp(self.instance, self.completions.load(Relaxed));
        }
        snapshot.is_running(Xid::new(3))
    }
}

/// A reader with two values beside an end: neither goes back, and both see what has returned.
fn reuse_beside_an_end(raise: Raise) {
    loom::model(move || {
        let reuse = Reuse::new(raise);
        let (mut kept, mut fresh) = (ListSnapshot::new(), ListSnapshot::new());
        assert!(reuse.take(&mut kept));
        let ender = thread::spawn({
            let reuse = Arc::clone(&reuse);
            move || reuse.end(Xid::new(3))
        });
        let first = reuse.take(&mut fresh);
        assert!(first || !reuse.take(&mut kept), "an ended id runs again");
        ender.join().expect("no panic");
        assert!(!reuse.take(&mut fresh), "an end that has returned is missed");
    });
}

#[test]
fn reuse_with_the_counter_raised_inside_the_lock() {
    reuse_beside_an_end(Raise::Inside);
}

#[test]
#[should_panic(expected = "an end that has returned is missed")]
fn reuse_with_the_counter_raised_before_the_clear_and_outside_the_lock() {
    reuse_beside_an_end(Raise::BeforeOutside);
}

#[test]
#[should_panic(expected = "an ended id runs again")]
fn reuse_with_the_counter_raised_after_the_lock() {
    reuse_beside_an_end(Raise::AfterOutside);
}

/// The append in the reduced protocol of the known-assigned array: two places and a head.
struct Append {
    places: [AtomicU64; 2],
    head: AtomicUsize,
    appends: Mutex<()>,
    live: RwLock<()>,
}

const ENDED: u64 = 0;
const UNWRITTEN: u64 = 1;

impl Append {
    /// An id that has ended lies in the first place.
    fn new() -> Arc<Self> {
        Arc::new(Append {
            places: [AtomicU64::new(ENDED), AtomicU64::new(UNWRITTEN)],
            head: AtomicUsize::new(1),
            appends: Mutex::new(()),
            live: RwLock::new(()),
        })
    }

    /// Enters an id. The caller holds the append mutex, or nobody else appends or compacts.
    fn put(&self, id: u64, publish: Ordering) {
        let head = self.head.load(Relaxed);
        self.places[head].store(id, Relaxed);
        self.head.store(head + 1, publish);
    }

    /// What runs. The caller holds the shared lock, or nobody compacts.
    fn scan(&self) -> Vec<u64> {
        let head = self.head.load(Acquire);
        self.places[..head].iter().map(|id| id.load(Relaxed)).filter(|&id| id != ENDED).collect()
    }

    /// Moves what runs to the front, with or without the append mutex.
    fn compact(&self, exclude: bool) {
        let _turn = exclude.then(|| self.appends.lock());
        let _alone = self.live.write();
        let running = self.scan();
        for (place, &id) in self.places.iter().zip(&running) {
            place.store(id, Relaxed);
        }
        self.head.store(running.len(), Release);
    }
}

/// Without the locks, which in loom order more than they do in fact and would hide a missing Release.
fn append_beside_a_reader(publish: Ordering) {
    loom::model(move || {
        let array = Append::new();
        let reader = thread::spawn({
            let array = Arc::clone(&array);
            move || array.scan()
        });
        array.put(7, publish);
        let seen = reader.join().expect("no panic");
        assert!(!seen.contains(&UNWRITTEN), "an entry is seen before it is written");
    });
}

#[test]
fn the_head_is_stored_with_release() {
    append_beside_a_reader(Release);
}

#[test]
#[should_panic(expected = "an entry is seen before it is written")]
fn the_head_stored_relaxed() {
    append_beside_a_reader(Relaxed);
}

fn append_beside_a_compaction(exclude: bool) {
    loom::model(move || {
        let array = Append::new();
        let appender = thread::spawn({
            let array = Arc::clone(&array);
            move || {
                let _turn = array.appends.lock();
                array.put(7, Release);
            }
        });
        array.compact(exclude);
        appender.join().expect("no panic");
        assert_eq!(array.scan(), [7], "an append is lost");
    });
}

#[test]
fn compaction_excludes_appends() {
    append_beside_a_compaction(true);
}

#[test]
#[should_panic(expected = "an append is lost")]
fn compaction_beside_an_append() {
    append_beside_a_compaction(false);
}
