//! [`Spin`]: one reader builds, the others wait for it.
//!
//! ```text
//!   building:   FREE ──claim w──► w ──────────────► FREE
//!                                 │ builds, offers │
//!   others:                       └ spin ──────────┴─► look again under w
//! ```
//!
//! # What a waiter may take
//!
//! A copy of the word that it read itself after its call began, as ever: it waits only for a builder that has claimed that
//! very word. A waiter that took whatever the builder left would break law 1: the builder may have looked before an end
//! that had returned before the waiter was called.
//!
//! # One copy a change
//!
//! The flag goes from FREE to a word by compare-and-swap, and back only by the one that claimed it. Who gets it looks for
//! the copy again before building: a builder that was faster has put its copy in place before it let go of the flag (Release
//! to Acquire). So while nothing changes and nobody panics, a copy of one word is built once.
//!
//! # Progress
//!
//! Blocking, until the next change: a stalled builder holds up those with its word. A waiter waits no longer once the word
//! has moved, since the builder's copy is then worth nothing to others, and it waits once a call: if there is no copy
//! afterwards it builds its own without a claim. A reader that finds another word claimed does not wait at all. A panic
//! frees the flag through the guard's drop. Enders never look at the flag.
//!
//! After some rounds a waiter offers its core to others, one of which may be the builder.
//!
//! From the thread "GetSnapshotData round two": its author lets the others spin so as not to add the latency of a wake-up.

use std::{
    sync::atomic::{AtomicU64 as Count, Ordering::Relaxed},
    thread,
};

use snapshot_api::{
    Facts, Progress,
    sync::{AtomicU64, Ordering, spin_loop},
};

use super::{Private, Waiting};
use crate::shared::PRIVATE;

/// No quiet word: nobody builds.
const FREE: u64 = PRIVATE;
/// Rounds after which a waiter lets others use its core.
const ROUNDS: u32 = 64;

/// The first reader builds; who comes while it does waits for it.
#[derive(Debug)]
// On a line of its own: waiters read it again and again.
#[repr(align(128))]
pub struct Spin {
    /// The word for which somebody builds a copy, or [`FREE`].
    building: AtomicU64,
    /// A statistic: the standard library's in every build, so that models need not explore it.
    waits: Count,
}

impl Default for Spin {
    fn default() -> Self {
        Spin { building: AtomicU64::new(FREE), waits: Count::new(0) }
    }
}

/// What the builder holds; none for who has waited, or found another word claimed.
#[derive(Debug)]
pub struct Claim<'a>(Option<&'a AtomicU64>);

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if let Some(building) = self.0 {
            // Release: pairs with the Acquire loads in `turn`; the copy has been put in place before.
            building.store(FREE, Ordering::Release);
        }
    }
}

impl Waiting for Spin {
    const SUFFIX: &'static str = "+spin";
    const LOOKS_AGAIN: bool = true;

    type Turn<'a> = Claim<'a>;

    fn turn(&self, word: u64, now: impl Fn() -> u64) -> Claim<'_> {
        // Acquire, whether it succeeds or not: pairs with the Release store of whoever built before, so that its copy is
        // found when this one looks again.
        let claimed =
            self.building.compare_exchange(FREE, word, Ordering::Acquire, Ordering::Acquire);
        if claimed == Err(word) {
            self.wait(word, now);
        }
        Claim(claimed.is_ok().then_some(&self.building))
    }

    fn waits(&self) -> u64 {
        // Relaxed: a statistic.
        self.waits.load(Relaxed)
    }

    fn facts(below: Facts) -> Facts {
        Facts { readers: Progress::Blocking, ..Private::facts(below) }
    }
}

impl Spin {
    /// Waits until nobody builds for `word` any more, or a copy of it is worth nothing any more.
    fn wait(&self, word: u64, now: impl Fn() -> u64) {
        // Relaxed: a statistic.
        self.waits.fetch_add(1, Relaxed);
        let mut rounds = 0;
        // Acquire: pairs with the Release store in `Claim::drop`; the builder's copy is in place.
        while self.building.load(Ordering::Acquire) == word && now() == word {
            rounds += 1;
            if rounds % ROUNDS == 0 {
                thread::yield_now();
            }
            spin_loop();
        }
    }
}
