//! [`Private`]: nobody waits.
//!
//! Whoever finds no copy builds one of its own and offers it. Several may do so at once; the last offer stays.
//!
//! # Progress
//!
//! As in the strategy below: a builder that is stopped or panics has claimed nothing and holds nothing that another needs.

use super::Waiting;

/// Whoever finds no copy builds one of its own, and nobody waits.
#[derive(Clone, Copy, Default, Debug)]
pub struct Private;

impl Waiting for Private {
    const SUFFIX: &'static str = "";

    type Turn<'a> = ();

    #[inline]
    fn turn(&self, _word: u64, _now: impl Fn() -> u64) {}
}
