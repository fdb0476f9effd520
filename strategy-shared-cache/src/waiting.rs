//! [`Waiting`]: who builds the copy that is missing after a change, and what the others do meanwhile.
//!
//! ```text
//!            change            built
//!   private  ──┤ take: builds ├──┤ take: shares      others between: build too
//!   spin     ──┤ take: builds ├──┤ take: shares      others between: wait for it
//!   publish  ──┤ end:  builds ├──┤ take: shares      others between: build too
//! ```
//!
//! A policy is a type, not a value of the configuration: a take that finds nothing changed does not know of it, and
//! whoever names no policy gets [`Private`] with the configuration of the strategy below as it is.

mod private;
mod publish;
mod spin;

use std::fmt;

use snapshot_api::{Costs, Facts, Progress};

pub use private::Private;
pub use publish::Publish;
pub use spin::Spin;

/// A waiting policy of a [`SharedCache`](crate::SharedCache).
///
/// A wrong one costs time, never a wrong snapshot: which copy may be used it does not decide.
pub trait Waiting: Default + fmt::Debug + Send + Sync + 'static {
    /// What it adds to the name of the strategy below, for instance `+spin`.
    const SUFFIX: &'static str;
    /// Whether a reader looks for the copy once more when it has got its turn.
    const LOOKS_AGAIN: bool = false;
    /// Whether whoever ends a transaction builds the copy afterwards.
    const CHANGER_BUILDS: bool = false;

    /// What a reader holds while it builds. Others that wait for it go on when it is dropped.
    type Turn<'a>: fmt::Debug;

    /// Called by a reader that found no copy of the quiet `word`, before it builds one. May wait; `now` reads the word of
    /// this moment, and once it differs no copy of `word` is worth waiting for.
    fn turn(&self, word: u64, now: impl Fn() -> u64) -> Self::Turn<'_>;

    /// How often a reader had to wait in [`turn`](Self::turn).
    fn waits(&self) -> u64 {
        0
    }

    /// What the cache says about itself: the facts of the strategy below, adapted.
    fn facts(below: Facts) -> Facts {
        Facts {
            costs: Costs { take: "O(1) if nothing has changed, else as below", ..below.costs },
            // The cell's readers are lock-free; whoever finds no copy does what the strategy below does.
            readers: below.readers.min(Progress::LockFree),
            ..below
        }
    }
}
