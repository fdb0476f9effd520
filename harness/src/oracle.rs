//! The oracle: snapshots that a real standby computed, and how ours are held against them.

mod compare;
mod rows;

pub use compare::{Mismatch, compare};
pub(crate) use compare::{difference, printed};
pub use rows::{Row, RowReader};
