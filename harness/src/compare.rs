//! Every pairing of a snapshot strategy and a threshold strategy under the loads that the reports describe.
//!
//! ```text
//!  plan ──► cells, each checked first ──► rounds: A B C … C B A, an idle gate around each cell
//!                                            │
//!                       samples by cell ◄────┘──► ratios to the reference of the same round ──► rows
//! ```
//!
//! A cell is one pairing under one load. Cells are measured in turn and again in the opposite order, and a cell is compared
//! with the reference of the same round alone: what the machine does meanwhile hits both.

pub mod cell;
pub mod gate;
pub mod long_transaction;
pub mod page_scan;
mod pages;
pub mod rows;
pub mod run;
pub(crate) mod stats;

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// Whether the transaction that was announced as open before a take still is: its end has not begun. Then the snapshot must
/// hold it as running.
fn still_open(announced: &AtomicU64, before: u64) -> bool {
    // Acquire fence: what the take has read comes before the load below. If the take has seen the end, the load sees that the
    // announcement was taken back, which came before the end.
    fence(Ordering::Acquire);
    announced.load(Ordering::Relaxed) == before
}
