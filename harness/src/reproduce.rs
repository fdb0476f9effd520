//! The five reports as experiments: what each said, what real servers gave, what is measured now, and whether the direction
//! holds.
//!
//! ```text
//!  a report's figures ──► loads: groups of cells ──► compare ──► rows ──► claims ──► held, did not hold, cannot be told here
//!                         (points of what is built in)
//! ```
//!
//! Figures of 48 or 104 cores do not come back on two; what must come back is the direction. Each experiment says what must
//! hold so that it can be checked on its rows, and what a small machine cannot show.
//!
//! | Module | What it holds |
//! |---|---|
//! | [`experiment`] | what an experiment is made of |
//! | [`judge`] | judgements on rows |
//! | [`points`] | loads with an experiment's values |
//! | `spans` | what is counted and not timed |
//! | `standby_cells` | the designs of both reports on standbys |
//! | `words` | figures in words |
//! | one for each report | its facts, loads and claims |

pub mod experiment;
pub mod judge;
pub mod points;
mod shared_snapshot;
mod slow_standby;
mod spans;
mod standby_cells;
mod standby_long_transaction;
mod threshold_leader;
mod threshold_replica;
pub(crate) mod words;

pub use experiment::Experiment;

/// All of them, in the order in which they run.
pub const EXPERIMENTS: &[Experiment] = &[
    threshold_leader::EXPERIMENT,
    threshold_replica::EXPERIMENT,
    slow_standby::EXPERIMENT,
    standby_long_transaction::EXPERIMENT,
    shared_snapshot::EXPERIMENT,
];

#[cfg(test)]
mod tests;
