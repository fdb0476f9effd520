//! Numbers are taken without a lock, rows are stamped side by side, and commits are published in the order of their
//! numbers: each waits for those before it.

use std::collections::{BTreeMap, BTreeSet};

use snapshot_api::{
    dev::tracker::{Refused, SnapshotTracker},
    sync::{AtomicU64, Mutex, Ordering, spin_loop},
};

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bug {
    None,
    /// Publishes the highest number that is done: with it those below, done or not.
    PublishesTheHighest,
    /// Returns when it is done; whoever comes last publishes.
    ReturnsBeforePublished,
    /// Publishes the number, then stamps the rows.
    NumberFirst,
}

pub(crate) struct Tracker {
    bug: Bug,
    taken: AtomicU64,
    published: AtomicU64,
    done: Mutex<BTreeSet<u64>>,
    open: Mutex<BTreeMap<u64, usize>>,
}

pub(crate) struct Snapshot<'a> {
    tracker: &'a Tracker,
    number: u64,
}

/// Publishes its number when it goes: also where its transaction has given up and has no rows.
struct Number<'a> {
    tracker: &'a Tracker,
    number: u64,
}

impl Tracker {
    pub(crate) fn new(bug: Bug) -> Self {
        Tracker {
            bug,
            taken: AtomicU64::new(0),
            published: AtomicU64::new(0),
            done: Mutex::default(),
            open: Mutex::default(),
        }
    }

    fn take_number(&self) -> Number<'_> {
        // Relaxed: a read-modify-write gives each its own.
        Number { tracker: self, number: self.taken.fetch_add(1, Ordering::Relaxed) + 1 }
    }

    fn publish(&self, number: u64) {
        // Acquire: those before have stamped their rows, and who sees this number sees them.
        while self.published.load(Ordering::Acquire) < number - 1 {
            spin_loop();
            std::thread::yield_now();
        }
        // Release: pairs with the load above and with a choice.
        self.published.store(number, Ordering::Release);
    }

    fn publish_what_is_done(&self, number: u64) {
        let mut done = self.done.lock();
        done.insert(number);
        let mut next = self.published.load(Ordering::Relaxed) + 1;
        while done.remove(&next) {
            self.published.store(next, Ordering::Release);
            next += 1;
        }
    }
}

impl Drop for Number<'_> {
    fn drop(&mut self) {
        match self.tracker.bug {
            Bug::None => self.tracker.publish(self.number),
            Bug::PublishesTheHighest => {
                self.tracker.published.fetch_max(self.number, Ordering::AcqRel);
            }
            Bug::ReturnsBeforePublished => self.tracker.publish_what_is_done(self.number),
            Bug::NumberFirst => {}
        }
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        let mut open = self.tracker.open.lock();
        let Some(count) = open.get_mut(&self.number) else { return };
        *count -= 1;
        if *count == 0 {
            open.remove(&self.number);
        }
    }
}

impl SnapshotTracker for Tracker {
    type Snapshot<'a> = Snapshot<'a>;

    fn commit(&self, stamp: impl FnOnce(u64)) -> u64 {
        let own = self.take_number();
        if self.bug == Bug::NumberFirst {
            self.publish(own.number);
        }
        stamp(own.number);
        own.number
    }

    fn open(&self) -> Result<Snapshot<'_>, Refused> {
        let mut open = self.open.lock();
        // Acquire: pairs with the store of whoever published.
        let number = self.published.load(Ordering::Acquire);
        *open.entry(number).or_default() += 1;
        Ok(Snapshot { tracker: self, number })
    }

    fn sees(&self, snapshot: &Snapshot<'_>, number: u64) -> bool {
        number <= snapshot.number
    }

    fn horizon(&self) -> u64 {
        let open = self.open.lock();
        // Acquire: as above. Under the lock: nobody has chosen an older number without having registered it.
        let published = self.published.load(Ordering::Acquire);
        open.keys().next().map_or(published, |&oldest| oldest) + 1
    }

    fn rollback(&self) {
        let own = self.take_number();
        if self.bug == Bug::NumberFirst {
            self.publish(own.number);
        }
    }
}
