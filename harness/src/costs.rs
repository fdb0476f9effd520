//! What each operation of each strategy costs, as a multiple of the cheapest thing that could do part of its work.
//!
//! ```text
//!  strategy ──► set-up: an instance for each window, played full ──► cells, one after another
//!                                                                       │
//!          round:  yardstick, operation │ operation, yardstick │ …  ◄───┘
//!                  └────── ratio ─────┘   └────── ratio ─────┘       the round in the middle is the row
//! ```
//!
//! A cell is one operation on one instance. Its yardstick is measured right beside it in every round, first in one and second in
//! the next: what the machine does meanwhile hits both. A row shows the round whose ratio is the median of all rounds.
//!
//! # What is subtracted
//!
//! - A clock read, from every batch between two of them.
//! - From a fresh take the begin and the end that make it fresh: both are timed with and without the take, batch by batch.
//! - From a single take beside another core a pair of clock reads, the median of many in the same round.
//!
//! # What is checked
//!
//! Before and after each cell the snapshot must hold exactly what runs, and a visibility test must have found as many running
//! ids as the list has. A strategy that fails is reported and has no rows.

mod beside;
pub mod operation;
pub mod rounds;
pub mod rows;
pub mod run;
mod set_up;
mod snapshots;
mod thresholds;

pub use run::{Outcome, Plan, Progress, costs};
