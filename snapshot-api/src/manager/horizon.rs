//! [`Horizon`]: below which id everything may be removed. The race between a reader that chooses its snapshot and the
//! collector that looks for readers is decided here.
//!
//! # The race
//!
//! Four engines shipped it in one year (surrealmx 76, turso 8992, slatedb 1298, cubrid 98): a reader chooses its snapshot, the
//! collector looks and finds no reader, removes what the reader needs, and then the reader registers. Choosing and registering
//! have to be one step for the collector. So a reader registers first, with a bound that cannot be too high:
//!
//! ```text
//!   reader                                   collector (one at a time)
//!   pin := floor, a horizon of before        takes a snapshot; low := its xmin
//!   fence                                    fence
//!   takes its snapshot                       low := the lowest of low and all pins
//!   pin := its xmin (Release)                floor := the higher of floor and low; that is the horizon
//! ```
//!
//! One of the two fences comes first. If the reader's does, the collector finds the pin, with the old bound or the raised one,
//! and neither lies above the reader's xmin. If the collector's does, the reader takes its snapshot after the collector has
//! taken its own, and by law 1 sees everything ended that the collector saw ended: its xmin is no lower than `low`.
//!
//! # Why floor is a bound, and never goes back
//!
//! Whoever reads floor, and has a fence behind that, comes after the take of the collector that stored it (Release), so its own
//! xmin is no lower. A horizon, once right, stays right: snapshots that were held then are pinned at or above it, and later ones begin there. So
//! the higher of two horizons is right as well, even if a slow reader publishes an old floor in between and pulls `low` down:
//! floor never goes back, and neither does what is returned.
//!
//! # What may go
//!
//! What an id *below* the horizon has replaced or deleted: each snapshot, held or to come, sees that id as ended. A snapshot
//! with xmin x holds back what ended at x or above, and so not what the last id that it saw, x - 1, has replaced.
//!
//! # Costs
//!
//! A reader: two stores and a fence, on a line that nobody writes but itself; a store to leave. The collector: one take, and a
//! load for each snapshot that was ever registered at once. Neither waits for the other.

use crate::{
    Xid,
    manager::pins::{Pin, Pins},
    sync::{AtomicU64, Ordering, Padded, fence},
};

#[derive(Debug)]
pub(super) struct Horizon {
    pub(super) pins: Pins,
    /// The highest horizon so far. Read by every registration, written by collectors.
    floor: Padded<AtomicU64>,
}

impl Horizon {
    pub(super) fn new() -> Self {
        Horizon { pins: Pins::default(), floor: Padded(AtomicU64::new(Xid::FIRST_NORMAL.get())) }
    }

    /// Holds back whatever a snapshot can need that is taken after this call.
    #[inline]
    pub(super) fn announce(&self, pin: &Pin) {
        // Relaxed: the fence makes an Acquire of it, which pairs with the Release in `horizon`: the take that this bound comes
        // from happens before the caller's.
        pin.publish(Xid::new(self.floor.load(Ordering::Relaxed)));
        // Pairs with the fence in `horizon`.
        fence(Ordering::SeqCst);
    }

    /// The horizon. `take` is a snapshot's xmin, taken when it is called; one caller at a time.
    pub(super) fn horizon(&self, take: impl FnOnce() -> Xid) -> Xid {
        let xmin = take();
        // Pairs with the fence in `announce`.
        fence(Ordering::SeqCst);
        let low = self.pins.lowest(xmin).get();
        // Release: pairs with the load in `announce` and its fence. Acquire: whoever stored a higher one is looked at no more.
        Xid::new(self.floor.fetch_max(low, Ordering::AcqRel).max(low))
    }

    /// The horizon that was found last.
    #[inline]
    pub(super) fn floor(&self) -> Xid {
        // Acquire: what a removal by this horizon relies on happens before it.
        Xid::new(self.floor.load(Ordering::Acquire))
    }
}
