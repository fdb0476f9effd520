//! Reduced protocols of a few words, right and wrong orders: reuse by the counter of completions, and the array's append.

use super::*;

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
    every(move || {
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
    every(move || {
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
    every(move || {
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
