//! Law (b) end to end: readers, pruners and setters over pages that hold real row versions, on threads of the operating
//! system.
//!
//! ```text
//!  time       1      2      3      4  …        one row, changed at every time t by transaction 10·t
//!  version    0 ───► 1 ───► 2 ───► 3           a snapshot of time t sees version t
//!  threshold (k, 10·k + 1): versions below k may go; a snapshot of a time below k is too old
//! ```
//!
//! A reader takes the page's latch, looks for its version, gives the latch back, and tests. If it is not too old and the
//! version is not there, it would have given a wrong answer.
#![cfg(not(snapshot_loom))]

use std::{
    collections::BTreeSet,
    sync::{
        Barrier, Mutex, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use snapshot_api::{
    Pairing, Progress, Threshold, ThresholdFacts, ThresholdStrategy, Timestamp, Xid,
};
use strategy_atomic_threshold::{
    MutexThreshold, OsMutexThreshold, PackedThreshold, SeqlockThreshold, SplitAtomicThreshold,
};

/// The threshold under which the snapshots of times below `time` are too old.
fn threshold_at(time: u64) -> Threshold {
    Threshold { timestamp: Timestamp::from_micros(time), xid: Xid::new(10 * time + 1) }
}

/// One page, with the versions of one row that are on it.
struct Page(RwLock<BTreeSet<u64>>);

/// What became of a reader's look at a page.
#[derive(Debug, PartialEq, Eq)]
enum Read {
    Row,
    TooOld,
    WrongAnswer,
}

impl Page {
    fn new() -> Self {
        Page(RwLock::new(BTreeSet::from([0])))
    }

    /// The transaction `10·time` changes the row.
    fn change(&self, time: u64) {
        self.0.write().unwrap().insert(time);
    }

    /// Removes what the threshold allows: a version ends with the transaction that made the next one.
    fn prune(&self, threshold: &impl ThresholdStrategy) {
        let Threshold { xid, .. } = threshold.load();
        self.0.write().unwrap().retain(|version| Xid::new(10 * (version + 1)) >= xid);
    }

    /// Reads the row as of `taken`: first the page, then the test.
    fn read(&self, threshold: &impl ThresholdStrategy, taken: u64) -> Read {
        let found = self.0.read().unwrap().contains(&taken);
        match (Timestamp::from_micros(taken) < threshold.timestamp(), found) {
            (true, _) => Read::TooOld,
            (false, true) => Read::Row,
            (false, false) => Read::WrongAnswer,
        }
    }
}

const PAGES: usize = 4;
const TIMES: u64 = if cfg!(debug_assertions) { 20_000 } else { 100_000 };

fn no_reader_misses_a_row(threshold: &impl ThresholdStrategy) {
    let pages = [(); PAGES].map(|()| Page::new());
    let now = AtomicU64::new(0);
    let done = AtomicBool::new(false);
    let start = Barrier::new(4);

    thread::scope(|scope| {
        // Setters lag one and two steps behind the changes, so that they advance to different times side by side.
        let setter = |lag: u64| {
            let (now, done, start) = (&now, &done, &start);
            move || {
                start.wait();
                while !done.load(Ordering::Relaxed) {
                    threshold
                        .advance(threshold_at(now.load(Ordering::Acquire).saturating_sub(lag)));
                }
            }
        };
        scope.spawn(setter(1));
        scope.spawn(setter(2));
        scope.spawn(|| {
            start.wait();
            for time in 1..=TIMES {
                for page in &pages {
                    page.change(time);
                }
                // Release: a snapshot of this time finds its version on every page.
                now.store(time, Ordering::Release);
                pages[time as usize % PAGES].prune(threshold);
            }
            done.store(true, Ordering::Relaxed);
        });

        start.wait();
        let mut round = 0;
        while !done.load(Ordering::Relaxed) {
            round += 1;
            let taken = now.load(Ordering::Acquire).saturating_sub(round as u64 % 4);
            let read = pages[round % PAGES].read(threshold, taken);
            assert_ne!(read, Read::WrongAnswer, "snapshot of time {taken}, round {round}");
        }
    });

    // At rest the threshold is exact: what is too old is what may be gone.
    threshold.advance(threshold_at(TIMES - 3));
    let standing = threshold.load().timestamp.as_micros();
    for page in &pages {
        page.prune(threshold);
        for taken in TIMES - 10..=TIMES {
            let expected = if taken < standing { Read::TooOld } else { Read::Row };
            assert_eq!(page.read(threshold, taken), expected, "snapshot of time {taken}");
        }
        let oldest = page.0.read().unwrap().first().copied();
        assert_eq!(oldest, Some(standing), "everything below the threshold is pruned");
    }
}

#[test]
fn mutex() {
    no_reader_misses_a_row(&MutexThreshold::new());
}

#[test]
fn mutex_os() {
    no_reader_misses_a_row(&OsMutexThreshold::new());
}

#[test]
fn split_atomic() {
    no_reader_misses_a_row(&SplitAtomicThreshold::new());
}

#[test]
fn seqlock() {
    no_reader_misses_a_row(&SeqlockThreshold::new());
}

#[test]
fn packed() {
    no_reader_misses_a_row(&PackedThreshold::new());
}

/// The xid raised first. Before the timestamp follows, a pruner and a reader of a snapshot of time 2 come along.
struct XidFirst<'a> {
    timestamp: AtomicU64,
    xid: AtomicU64,
    page: &'a Page,
    read: Mutex<Option<Read>>,
}

impl ThresholdStrategy for XidFirst<'_> {
    fn facts(&self) -> ThresholdFacts {
        ThresholdFacts {
            name: "xid-first".into(),
            source: "this file",
            readers: Progress::WaitFree,
            writers: Progress::WaitFree,
            pairing: Pairing::Split,
        }
    }

    fn timestamp(&self) -> Timestamp {
        Timestamp::from_micros(self.timestamp.load(Ordering::SeqCst))
    }

    fn load(&self) -> Threshold {
        Threshold { timestamp: self.timestamp(), xid: Xid::new(self.xid.load(Ordering::SeqCst)) }
    }

    fn advance(&self, to: Threshold) {
        self.xid.fetch_max(to.xid.get(), Ordering::SeqCst);
        self.page.prune(self);
        *self.read.lock().unwrap() = Some(self.page.read(self, 2));
        self.timestamp.fetch_max(to.timestamp.as_micros(), Ordering::SeqCst);
    }
}

/// The check can fail, and no stronger ordering helps against a wrong order.
#[test]
fn xid_first_is_a_wrong_answer_even_sequentially_consistent() {
    let page = Page::new();
    (1..=5).for_each(|time| page.change(time));
    let threshold = XidFirst {
        timestamp: AtomicU64::new(0),
        xid: AtomicU64::new(0),
        page: &page,
        read: Mutex::new(None),
    };
    threshold.advance(threshold_at(4));
    assert_eq!(threshold.read.into_inner().unwrap(), Some(Read::WrongAnswer));
}
