//! `page-scan`: scans of a table beside a slow writer, pruner and setter of the threshold.
//!
//! A scanner takes a snapshot and reads all pages with it: a page is some visibility tests and then one look at the
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
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use snapshot_api::{
    Restore, Snapshot, SnapshotStrategy, Threshold, ThresholdStrategy, Timestamp, Xid,
};

use super::{
    course::{Course, Settings, run_threads},
    loops::Loops,
    pacer::Pacer,
    pages::Page,
    part::{Part, Spent},
    sample::Sample,
    session::{does_not_run, still_open},
    writer::Writer,
};
use crate::{
    clock::{Lap, own_nanos},
    loads::PageScan,
    replay::memory::Meter,
};

/// One page in so many is timed, where they do not come at a rate.
const LOOK_AT: usize = 64;
/// The first transaction; what made the rows lies before it.
pub(super) const FIRST: Xid = Xid::new(1_000);

/// Measures one pairing.
///
/// # Errors
///
/// The strategy cannot be set up.
pub(super) fn run<S: Restore>(
    config: &S::Config,
    loops: &Loops<'_, S>,
    load: &PageScan,
    settings: Settings,
) -> Result<Sample, String> {
    let mut memory = Meter::default();
    let strategy = memory
        .run(|| S::restore(config, FIRST.prev(), &[]))
        .map_err(|refused| refused.to_string())?;
    let table = Table::new(load, settings.threads);
    let waits = || strategy.lock_waits() + loops.threshold.lock_waits();
    let told = run_threads(
        settings,
        &waits,
        (settings.threads, &|number, course, part| {
            (loops.scan)(&Scanner { strategy: &strategy, table: &table }, number, course, part);
        }),
        (1, &|_, course, beside| {
            beside.done =
                Writer::new(&strategy, loops.threshold, &table, course.settings().seed).run(course);
        }),
    );
    Ok(Sample::of(told, memory.held()))
}

/// A scanner's lower bound of the snapshots that it uses, on a line of its own.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Bound(pub(super) AtomicU64);

/// What scanners read and the writer changes.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) load: PageScan,
    pub(super) pages: Vec<Page>,
    /// The lowest id that is open, while its end has not begun; 0 in between.
    pub(super) oldest: AtomicU64,
    pub(super) horizon: Vec<Bound>,
    clock: Instant,
}

impl Table {
    fn new(load: &PageScan, scanners: usize) -> Self {
        Table {
            load: *load,
            pages: (0..load.pages).map(|_| Page::new(load.page_work, FIRST.prev())).collect(),
            oldest: AtomicU64::new(0),
            horizon: (0..scanners).map(|_| Bound(AtomicU64::new(0))).collect(),
            clock: Instant::now(),
        }
    }

    /// Microseconds since the table was made.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.clock.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// What reads the pages.
pub(super) struct Scanner<'a, S> {
    strategy: &'a S,
    table: &'a Table,
}

impl<S: SnapshotStrategy> Scanner<'_, S> {
    /// Scans until the time is up.
    pub(super) fn run<T: ThresholdStrategy>(
        &self,
        threshold: &T,
        number: usize,
        course: &Course,
        part: &mut Part,
    ) {
        let Scanner { strategy, table } = *self;
        let own = own_nanos();
        let mut snapshot = strategy.snapshot();
        let start = Instant::now();
        let pages = table.pages.len();
        let mut pacer = Pacer::new(course, number, start, pages);
        // A part of a take for each page that is looked at, as if pages took it.
        let looked_at = pages.div_ceil(LOOK_AT) as f64;
        while !course.is_over() && part.wrong.is_none() {
            let due = match &mut pacer {
                Some(pacer) => match pacer.wait(course, part) {
                    Some(due) => Some((due, Instant::now())),
                    None => break,
                },
                None => None,
            };
            let taken = Timestamp::from_micros(table.now());
            // Acquire: pairs with the writer's Release; that transaction's begin happens before the take.
            let open = table.oldest.load(Ordering::Acquire);
            let mut lap = Lap::start(own);
            strategy.take(&mut snapshot);
            let take = lap.lap() * looked_at / pages as f64;
            part.spent.add(Spent { take, ..Spent::default() });
            if open != 0 && still_open(&table.oldest, open) && !snapshot.is_running(Xid::new(open))
            {
                does_not_run(part, Xid::new(open), snapshot.xmax());
            }
            // Release: pairs with the writer's Acquire; the older snapshot is not used any more.
            table.horizon[number].0.store(snapshot.xmin().get(), Ordering::Release);
            part.scans[0] += 1;
            self.read_all(threshold, &snapshot, (taken, start, own), course, part);
            if let Some((due, began)) = due {
                part.was_due(due, began, Instant::now());
            }
        }
        if let Some(pacer) = pacer {
            pacer.end(course, part);
        }
    }

    fn read_all<T: ThresholdStrategy>(
        &self,
        threshold: &T,
        snapshot: &S::Snapshot,
        (taken, start, own): (Timestamp, Instant, f64),
        course: &Course,
        part: &mut Part,
    ) {
        for (place, page) in self.table.pages.iter().enumerate() {
            let mut lap = place.is_multiple_of(LOOK_AT).then(|| Lap::start(own));
            let seen = page.visible(snapshot);
            let visibility = lap.as_mut().map_or(0.0, Lap::lap);
            // After the page has been read: what was removed from it is known by now.
            if taken < threshold.timestamp() {
                part.scans[1] += 1;
                return;
            }
            part.ops += 1;
            if let Some(lap) = &mut lap {
                let spent = Spent { visibility, threshold: lap.lap(), ..Spent::default() };
                let time = Duration::from_nanos(spent.all() as u64);
                part.took(course, lap.last() - start, time, spent);
                if course.is_over() {
                    return;
                }
            }
            if seen != page.rows() {
                let bounds = [snapshot.xmin(), snapshot.xmax()];
                lacks_rows(part, (place, page.rows(), seen), (taken, bounds), threshold.load());
                if part.wrong.is_some() {
                    return;
                }
            }
        }
    }
}

#[cold]
fn lacks_rows(
    part: &mut Part,
    (place, rows, seen): (usize, usize, usize),
    (taken, [xmin, xmax]): (Timestamp, [Xid; 2]),
    threshold: Threshold,
) {
    part.is_wrong(|| {
        format!(
            "page {place} has {rows} rows, a scan accepted {seen}: snapshot of {taken} with xmin {xmin}, xmax {xmax}, threshold \
             {threshold:?}"
        )
    });
}
