//! [`Publish`]: the ender builds, and readers find the copy there.
//!
//! ```text
//!   end:   +begun   work below   −begun +over   word   take below   word again   copy in place
//!                                     │           └── same, quiet ──────┘
//!   take:                             └─ quiet, but no copy yet: builds ─┤ shares
//! ```
//!
//! # Which copy
//!
//! The ender builds as a reader does, between two equal quiet words that it reads *after* its second addition. A copy built
//! before that addition and published under the word that the addition made would be wrong: another change may have begun
//! and ended in between, which that word counts and that copy lacks.
//!
//! # Who builds
//!
//! Of several changes at once the last: whoever finds the word not quiet after its own leaves it to the one that is still
//! at it. That one's second addition comes later, and it looks at the word after it. A change that begins while the copy is
//! built spoils it and builds its own. A slow builder does not put an older copy over a later one (the cell's words only
//! rise). So when a row of ends has returned and no change has begun since, the copy is there and no reader builds.
//!
//! # Progress
//!
//! Readers wait for nobody, as under [`Private`](super::Private). An end takes a snapshot below and promises no more than a
//! take there does. A panic while it builds leaves the change done, the word quiet, and the copy to the readers.

use snapshot_api::{Costs, Facts, Progress};

use super::{Private, Waiting};

/// Whoever ends a transaction builds the copy and publishes it; a reader that comes before it is there builds its own.
#[derive(Clone, Copy, Default, Debug)]
pub struct Publish;

impl Waiting for Publish {
    const SUFFIX: &'static str = "+publish";
    const CHANGER_BUILDS: bool = true;

    type Turn<'a> = ();

    #[inline]
    fn turn(&self, _word: u64, _now: impl Fn() -> u64) {}

    fn facts(below: Facts) -> Facts {
        let facts = Private::facts(below);
        Facts {
            costs: Costs {
                take: "O(1) if the last end has published its copy, else as below",
                end: "as below, and a take below",
                ..facts.costs
            },
            writers: facts.writers.min(facts.readers).min(Progress::LockFree),
            ..facts
        }
    }
}
