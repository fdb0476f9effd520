//! `page-scan`: scans of a table beside a slow writer, pruner and setter of the threshold.
//!
//! A scanner takes a snapshot and reads all pages with it: a page is 61 visibility tests and then one look at the
//! threshold's timestamp. One more thread updates rows, keeps a few transactions open, prunes, and moves the threshold on.
//! An operation is a page that a scanner has accepted.
//!
//! # What is checked while it is timed
//!
//! A scanner that accepts a page must have seen each of its rows in just one version; and a transaction that is open before
//! and after a take must run in its snapshot.
//!
//! # Who may prune what
//!
//! A version may go when the transaction that replaced it lies below the horizon (no snapshot in use is older) or below the
//! threshold's xid (a snapshot that still needs it is told that it is too old). Each scanner publishes the xmin of its last
//! snapshot *before* it takes the next one: xmin never goes back, so that is a bound below both.
//!
//! The threshold's pairs are right by the order in which they are made: all ids below the xid had ended when the clock was
//! read, and a scanner reads the clock before it takes its snapshot. A snapshot of that time or later needs nothing that a
//! lower id has replaced.

use std::{
    collections::VecDeque,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use snapshot_api::{
    Restore, SessionId, Snapshot, SnapshotStrategy, Threshold, ThresholdStrategy, Timestamp, Xid,
};

use super::{
    cell::{Course, Part, Sample, Settings, nanos, run_threads},
    pages::{Page, ROWS},
    still_open,
};

/// Pages of the table: 250 KB of row versions, which a core's own cache holds.
const PAGES: usize = 256;
/// Transactions that are open at any time.
const OPEN: usize = 16;
/// How long the writer waits between two of its turns.
const PAUSE: Duration = Duration::from_micros(100);
/// How old a snapshot may get before its rows may go. Less than a time slice, so that a scanner that was off its core
/// comes too late now and then.
const AGE_MICROS: u64 = 1_000;
/// One page in so many is timed.
const LOOK_AT: usize = 64;
/// The first transaction; what made the rows lies before it.
const FIRST: Xid = Xid::new(1_000);

/// Measures one pairing.
pub fn run<S: Restore, T: ThresholdStrategy>(
    strategy: &S,
    threshold: &T,
    settings: Settings,
) -> Sample {
    let table = Table {
        strategy,
        threshold,
        pages: (0..PAGES).map(|_| Page::new(FIRST.prev())).collect(),
        oldest: AtomicU64::new(0),
        horizon: (0..settings.threads).map(|_| Bound(AtomicU64::new(0))).collect(),
        clock: Instant::now(),
    };
    let waits = || strategy.lock_waits() + threshold.lock_waits();
    let before = waits();
    let (parts, seconds) = run_threads(
        settings,
        |course| Writer::new(&table, settings.seed).run(course),
        |number, course| table.scan(number, course),
    );
    Sample::of(parts, seconds, waits() - before, false)
}

/// An instance that the load can be run on.
///
/// # Errors
///
/// The strategy's own.
pub fn fresh<S: Restore>(config: &S::Config) -> Result<S, snapshot_api::RestoreError> {
    S::restore(config, FIRST.prev(), &[])
}

/// A scanner's lower bound of the snapshots that it uses, on a line of its own.
#[derive(Debug)]
#[repr(align(128))]
struct Bound(AtomicU64);

struct Table<'a, S, T> {
    strategy: &'a S,
    threshold: &'a T,
    pages: Vec<Page>,
    /// The lowest id that is open, while its end has not begun; 0 in between.
    oldest: AtomicU64,
    horizon: Vec<Bound>,
    clock: Instant,
}

impl<S: SnapshotStrategy, T: ThresholdStrategy> Table<'_, S, T> {
    fn now(&self) -> u64 {
        u64::try_from(self.clock.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn scan(&self, number: usize, course: &Course) -> Part {
        let mut part = Part::default();
        let mut snapshot = self.strategy.snapshot();
        while !course.is_over() && part.wrong.is_none() {
            let scan = Instant::now();
            let taken = Timestamp::from_micros(self.now());
            // Acquire: pairs with the writer's Release; that transaction's begin happens before the take.
            let open = self.oldest.load(Ordering::Acquire);
            let take = Instant::now();
            self.strategy.take(&mut snapshot);
            part.take_ns += nanos(take.elapsed());
            if open != 0 && still_open(&self.oldest, open) && !snapshot.is_running(Xid::new(open)) {
                part.is_wrong(|| {
                    format!(
                        "transaction {open} is open, but does not run below xmax {}",
                        snapshot.xmax()
                    )
                });
            }
            // Release: pairs with the writer's Acquire; the older snapshot is not used any more.
            self.horizon[number].0.store(snapshot.xmin().get(), Ordering::Release);
            self.read_all(&snapshot, taken, course, &mut part);
            part.looked_at += nanos(scan.elapsed());
        }
        part
    }

    fn read_all(&self, snapshot: &S::Snapshot, taken: Timestamp, course: &Course, part: &mut Part) {
        for (place, page) in self.pages.iter().enumerate() {
            let start = place.is_multiple_of(LOOK_AT).then(Instant::now);
            let seen = page.visible(snapshot);
            // After the page has been read: what was removed from it is known by now.
            if taken < self.threshold.timestamp() {
                return;
            }
            if let Some(start) = start {
                part.took(start.elapsed());
                if course.is_over() {
                    return;
                }
            }
            part.ops += 1;
            if seen != ROWS {
                part.is_wrong(|| {
                    format!(
                        "page {place} has {ROWS} rows, a scan accepted {seen}: snapshot of {taken} with xmin {}, xmax {}, \
                         threshold {:?}",
                        snapshot.xmin(),
                        snapshot.xmax(),
                        self.threshold.load()
                    )
                });
                return;
            }
        }
    }
}

/// The thread that changes the table.
struct Writer<'a, S, T> {
    table: &'a Table<'a, S, T>,
    next: u64,
    open: Vec<(SessionId, Xid)>,
    /// Pages with old versions.
    changed: VecDeque<usize>,
    /// Points in time, and the id below which all had ended then.
    ended: VecDeque<(u64, Xid)>,
    random: fastrand::Rng,
}

impl<'a, S: SnapshotStrategy, T: ThresholdStrategy> Writer<'a, S, T> {
    fn new(table: &'a Table<'a, S, T>, seed: u64) -> Self {
        Writer {
            table,
            next: FIRST.get(),
            open: Vec::new(),
            changed: VecDeque::new(),
            ended: VecDeque::new(),
            random: fastrand::Rng::with_seed(seed),
        }
    }

    fn run(mut self, course: &Course) {
        while !course.is_over() {
            self.change();
            self.move_on();
            self.prune();
            thread::sleep(PAUSE);
        }
    }

    /// Ends one transaction and begins another, which replaces a row.
    fn change(&mut self) {
        let slot = if self.open.len() == OPEN {
            let (session, xid) = self.open.swap_remove(self.random.usize(..OPEN));
            // Relaxed: only this thread writes.
            if self.table.oldest.load(Ordering::Relaxed) == xid.get() {
                // Release: whoever sees the end, which is passed on by the strategy, sees this store too.
                self.table.oldest.store(0, Ordering::Release);
            }
            self.table.strategy.end(session, &[xid]);
            session
        } else {
            SessionId::new(self.open.len() as u32)
        };
        let xid = Xid::new(self.next);
        if self.table.strategy.begin(slot, xid).is_err() {
            // A bounded design that is full: what is open has to end first.
            return;
        }
        self.next += 1;
        let page = self.random.usize(..PAGES);
        let is_open = |by| self.open.iter().any(|(_, xid)| xid.get() == by);
        if self.table.pages[page].update(xid, self.random.usize(..ROWS), is_open) {
            self.changed.push_back(page);
        }
        self.open.push((slot, xid));
        let oldest = self.open.iter().map(|(_, xid)| xid.get()).min().unwrap_or(0);
        // Release: pairs with the scanners' Acquire; its begin has returned.
        self.table.oldest.store(oldest, Ordering::Release);
    }

    /// Writes down what has ended by now, and moves the threshold to what had ended an age ago.
    fn move_on(&mut self) {
        let oldest = self.open.iter().map(|(_, xid)| *xid).min().unwrap_or(Xid::new(self.next));
        let now = self.table.now();
        // One microsecond later: a snapshot of the same microsecond may have been taken a moment before.
        self.ended.push_back((now + 1, oldest));
        let mut to = None;
        while self.ended.front().is_some_and(|(time, _)| time + AGE_MICROS <= now) {
            to = self.ended.pop_front();
        }
        if let Some((time, xid)) = to {
            self.table
                .threshold
                .advance(Threshold { timestamp: Timestamp::from_micros(time), xid });
        }
    }

    /// Removes versions that nobody sees, or whose readers will be told that they are too late.
    fn prune(&mut self) {
        let bounds = self.table.horizon.iter();
        // Acquire: pairs with the scanners' Release; an older snapshot is not used any more.
        let horizon = bounds.map(|bound| bound.0.load(Ordering::Acquire)).min().unwrap_or(0);
        let bound = Xid::new(horizon).max(self.table.threshold.load().xid);
        for _ in 0..self.changed.len().min(4) {
            if let Some(page) = self.changed.pop_front() {
                self.table.pages[page].prune(bound);
                self.changed.push_back(page);
            }
        }
        if self.changed.len() > 4 * PAGES {
            self.changed.drain(..PAGES);
        }
    }
}
