//! Thresholds with one seeded bug each.

use snapshot_api::{
    Pairing, Progress, Threshold, ThresholdFacts, ThresholdStrategy, Timestamp, Xid,
    sync::{AtomicBool, AtomicU64, Ordering, spin_loop},
};

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bug {
    /// Not zero at the start.
    StartsAtOne,
    /// Only the timestamp decides whether an advance counts.
    XidFollowsTimestamp,
    /// Stores what it is given, also when it is older.
    Stores,
    /// Looks whether it is newer, and stores it then.
    ChecksThenStores,
    /// The xid is raised first.
    XidFirst,
    /// A pruner reads the timestamp first.
    LoadsTimestampFirst,
    /// Two halves that claim to be one.
    ClaimsWhole,
    /// Starts over for as long as others come in between, and claims to be wait-free.
    ClaimsWaitFree,
    /// A spin lock that claims to be lock-free.
    ClaimsLockFree,
    /// A spin lock that does not count who waits.
    WaitsUncounted,
}

#[derive(Debug)]
pub(crate) struct Toy {
    bug: Bug,
    taken: AtomicBool,
    timestamp: AtomicU64,
    xid: AtomicU64,
    version: AtomicU64,
}

impl Toy {
    pub(crate) fn new(bug: Bug) -> Self {
        Toy {
            bug,
            taken: AtomicBool::new(false),
            timestamp: AtomicU64::new(u64::from(bug == Bug::StartsAtOne)),
            xid: AtomicU64::new(0),
            version: AtomicU64::new(0),
        }
    }

    fn locked<R>(&self, operation: impl FnOnce() -> R) -> R {
        let locks = [Bug::ClaimsLockFree, Bug::WaitsUncounted].contains(&self.bug);
        while locks && self.taken.swap(true, Ordering::Acquire) {
            spin_loop();
        }
        let result = operation();
        if locks {
            self.taken.store(false, Ordering::Release);
        }
        result
    }

    fn raise(&self, cell: &AtomicU64, to: u64) {
        match self.bug {
            Bug::Stores => cell.store(to, Ordering::SeqCst),
            Bug::ChecksThenStores => {
                if cell.load(Ordering::SeqCst) < to {
                    cell.store(to, Ordering::SeqCst);
                }
            }
            _ => drop(cell.fetch_max(to, Ordering::SeqCst)),
        }
    }
}

impl ThresholdStrategy for Toy {
    fn facts(&self) -> ThresholdFacts {
        let progress = match self.bug {
            Bug::WaitsUncounted => Progress::Blocking,
            Bug::ClaimsLockFree => Progress::LockFree,
            _ => Progress::WaitFree,
        };
        let whole = self.bug == Bug::ClaimsWhole;
        ThresholdFacts {
            name: "toy".into(),
            source: "made to fail",
            readers: progress,
            writers: progress,
            pairing: if whole { Pairing::Whole } else { Pairing::Split },
        }
    }

    fn timestamp(&self) -> Timestamp {
        self.locked(|| Timestamp::from_micros(self.timestamp.load(Ordering::SeqCst)))
    }

    fn load(&self) -> Threshold {
        if self.bug == Bug::ClaimsWaitFree {
            loop {
                let version = self.version.load(Ordering::SeqCst);
                let xid = Xid::new(self.xid.load(Ordering::SeqCst));
                let timestamp = self.timestamp();
                if self.version.load(Ordering::SeqCst) == version {
                    return Threshold { timestamp, xid };
                }
            }
        }
        if self.bug == Bug::LoadsTimestampFirst {
            let timestamp = self.timestamp();
            return Threshold { timestamp, xid: Xid::new(self.xid.load(Ordering::SeqCst)) };
        }
        self.locked(|| {
            let xid = Xid::new(self.xid.load(Ordering::SeqCst));
            let timestamp = Timestamp::from_micros(self.timestamp.load(Ordering::SeqCst));
            Threshold { timestamp, xid }
        })
    }

    fn advance(&self, to: Threshold) {
        self.locked(|| {
            if self.bug == Bug::XidFollowsTimestamp
                && self.timestamp.load(Ordering::SeqCst) >= to.timestamp.as_micros()
            {
                return;
            }
            if self.bug == Bug::XidFirst {
                self.raise(&self.xid, to.xid.get());
            }
            self.raise(&self.timestamp, to.timestamp.as_micros());
            self.raise(&self.xid, to.xid.get());
            self.version.fetch_add(1, Ordering::SeqCst);
        });
    }
}
