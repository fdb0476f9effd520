//! Every pairing of a snapshot strategy and a threshold strategy under the loads that the reports describe.
//!
//! ```text
//!  plan ──► cells, each checked first ──► rounds: A B C … C B A, an idle gate around each cell
//!                                            │
//!                       samples by cell ◄────┘──► ratios to the reference of the same round ──► rows
//! ```
//!
//! A cell is one pairing under one point of a load. Cells are measured in turn and again in the opposite order, and a cell is
//! compared with measurements of the reference shortly before and after it: what the machine does meanwhile hits both.
//!
//! | Module | What it holds |
//! |---|---|
//! | [`run`] | checks, rounds, the reference beside each few cells |
//! | [`cell`] | a pairing under a point of a load |
//! | [`page_scan`], [`long_transaction`], [`sessions`], [`replay`] | the loads |
//! | [`course`] | threads that start and end together |
//! | [`part`], [`sample`] | what one thread writes down, and what they say together |
//! | [`gate`] | whether the machine had its cores for us |
//! | [`books`] | the system's own books of a thread: asleep, or without a core |

pub mod books;
pub mod cell;
pub mod course;
pub mod gate;
pub mod long_transaction;
mod loops;
mod measured;
mod pacer;
pub mod page_scan;
mod pages;
pub mod part;
pub mod recorded;
pub mod replay;
pub mod run;
pub mod sample;
mod session;
pub mod sessions;
pub(crate) mod stats;
mod writer;
