//! [`Writer`]: the thread that changes what is scanned, removes what nobody needs, and moves the threshold on.

use std::{collections::VecDeque, sync::atomic::Ordering, thread, time::Duration};

use snapshot_api::{SessionId, SnapshotStrategy, Threshold, ThresholdStrategy, Timestamp, Xid};

use super::{
    course::Course,
    page_scan::{FIRST, Table},
};

/// The thread that changes the table.
pub(super) struct Writer<'a, S> {
    strategy: &'a S,
    threshold: &'a dyn ThresholdStrategy,
    table: &'a Table,
    next: u64,
    open: Vec<(SessionId, Xid)>,
    /// Pages with old versions.
    changed: VecDeque<usize>,
    /// Points in time, and the id below which all had ended then.
    ended: VecDeque<(u64, Xid)>,
    random: fastrand::Rng,
}

impl<'a, S: SnapshotStrategy> Writer<'a, S> {
    pub(super) fn new(
        strategy: &'a S,
        threshold: &'a dyn ThresholdStrategy,
        table: &'a Table,
        seed: u64,
    ) -> Self {
        Writer {
            strategy,
            threshold,
            table,
            next: FIRST.get(),
            open: Vec::new(),
            changed: VecDeque::new(),
            ended: VecDeque::new(),
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// Writes until the time is up. Returns how many transactions have ended.
    pub(super) fn run(mut self, course: &Course) -> u64 {
        let mut done = 0;
        while !course.is_over() {
            done += u64::from(self.change());
            self.move_on();
            self.prune();
            thread::sleep(Duration::from_micros(self.table.load.pause));
        }
        done
    }

    /// Ends one transaction and begins another, which replaces a row. Whether one has ended.
    fn change(&mut self) -> bool {
        let full = self.open.len() == self.table.load.running;
        let slot = if full {
            let (session, xid) = self.open.swap_remove(self.random.usize(..self.open.len()));
            // Relaxed: only this thread writes.
            if self.table.oldest.load(Ordering::Relaxed) == xid.get() {
                // Release: whoever sees the end, which is passed on by the strategy, sees this store too.
                self.table.oldest.store(0, Ordering::Release);
            }
            self.strategy.end(session, &[xid]);
            session
        } else {
            SessionId::new(self.open.len() as u32)
        };
        let xid = Xid::new(self.next);
        if self.strategy.begin(slot, xid).is_err() {
            // A bounded design that is full: what is open has to end first.
            return full;
        }
        self.next += 1;
        let place = self.random.usize(..self.table.pages.len());
        let is_open = |by| self.open.iter().any(|(_, xid)| xid.get() == by);
        let page = &self.table.pages[place];
        if page.update(xid, self.random.usize(..page.places()), is_open) {
            self.changed.push_back(place);
        }
        self.open.push((slot, xid));
        let oldest = self.open.iter().map(|(_, xid)| xid.get()).min().unwrap_or(0);
        // Release: pairs with the scanners' Acquire; its begin has returned.
        self.table.oldest.store(oldest, Ordering::Release);
        full
    }

    /// Writes down what has ended by now, and moves the threshold to what had ended an age ago.
    fn move_on(&mut self) {
        let oldest = self.open.iter().map(|(_, xid)| *xid).min().unwrap_or(Xid::new(self.next));
        let now = self.table.now();
        // One microsecond later: a snapshot of the same microsecond may have been taken a moment before.
        self.ended.push_back((now + 1, oldest));
        let mut to = None;
        while self.ended.front().is_some_and(|(time, _)| time + self.table.load.age <= now) {
            to = self.ended.pop_front();
        }
        if let Some((time, xid)) = to {
            self.threshold.advance(Threshold { timestamp: Timestamp::from_micros(time), xid });
        }
    }

    /// Removes versions that nobody sees, or whose readers will be told that they are too late.
    fn prune(&mut self) {
        const AT_ONCE: usize = 4;
        let bounds = self.table.horizon.iter();
        // Acquire: pairs with the scanners' Release; an older snapshot is not used any more.
        let horizon = bounds.map(|bound| bound.0.load(Ordering::Acquire)).min().unwrap_or(0);
        let bound = Xid::new(horizon).max(self.threshold.load().xid);
        for _ in 0..self.changed.len().min(AT_ONCE) {
            if let Some(page) = self.changed.pop_front() {
                self.table.pages[page].prune(bound);
                self.changed.push_back(page);
            }
        }
        let pages = self.table.pages.len();
        if self.changed.len() > 4 * pages {
            self.changed.drain(..pages);
        }
    }
}
