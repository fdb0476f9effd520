//! [`Numbers`]: the number of the last change, and the xmax that belongs to it.
//!
//! ```text
//!   number      │ 70 │
//!   xmaxes      │ of 64 │ of 65 │ … │ of 70 │ of 7 │ … │ of 63 │      a ring; change n has place n mod 64
//! ```
//!
//! A snapshot is a state after some change n, so it needs the xmax *of n*:
//!
//! - xmax read before the number is too low: it holds a tree's lower ids as ended and the one at xmax as running.
//! - The latest xmax read after the number is too high: an id that never began, between the two, is in no list and counts
//!   as ended, in a snapshot in which it has not.
//!
//! So each number has a place of its own for its xmax, written before the number is published. A reader loads number n,
//! then the place of n, then the number again. The place is written next for change n + 64, after the number n + 63 was
//! published: whoever has read that value finds at least n + 63 and starts over. To be made to do so again and again takes
//! 63 changes each time, and no change can be stopped half way so that it holds anybody up: lock-free.

use snapshot_api::{
    Xid,
    sync::{
        AtomicU64,
        Ordering::{Acquire, Release},
    },
};

/// How many changes lie between two uses of a place; two only in models, so that they see a lap.
const LAP: u64 = if cfg!(snapshot_loom) { 2 } else { 64 };

/// The number that readers start from, and the last xmaxes.
#[derive(Debug)]
pub(super) struct Numbers {
    number: Line,
    xmaxes: [AtomicU64; LAP as usize],
}

/// On a line of its own: whoever finds his snapshot current reads nothing else.
#[derive(Debug)]
#[repr(align(128))]
struct Line(AtomicU64);

impl Numbers {
    /// Number 0 with its xmax.
    pub(super) fn new(xmax: Xid) -> Self {
        Numbers {
            number: Line(AtomicU64::new(0)),
            xmaxes: std::array::from_fn(|_| AtomicU64::new(xmax.get())),
        }
    }

    /// The number of the last change that is published.
    #[inline]
    pub(super) fn number(&self) -> u64 {
        // Acquire: pairs with the Release store in `publish`; the ends of this number, its xmax and every id that had begun
        // before happen before whatever the caller looks at next.
        self.number.0.load(Acquire)
    }

    /// The number of the last change, and the xmax after it.
    pub(super) fn read(&self) -> (u64, Xid) {
        let mut number = self.number();
        loop {
            // Acquire: pairs with the Release store in `publish`. If this is what a later lap has written, the number before
            // that one was stored before, and the next load finds it or a later one.
            let xmax = self.place(number).load(Acquire);
            let now = self.number();
            if now - number < LAP - 1 {
                return (number, Xid::new(xmax));
            }
            number = now;
        }
    }

    /// Publishes the next number. Callers come one after the other, each with the number after the last.
    pub(super) fn publish(&self, number: u64, xmax: Xid) {
        // Release: pairs with the Acquire load in `read`; the number before this one is stored before.
        self.place(number).store(xmax.get(), Release);
        // Release: pairs with the Acquire load in `number`; what ended with this number is marked, and its xmax is in place.
        self.number.0.store(number, Release);
    }

    fn place(&self, number: u64) -> &AtomicU64 {
        &self.xmaxes[(number % LAP) as usize]
    }
}
