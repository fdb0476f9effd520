//! Every pairing of a snapshot strategy and a threshold strategy under the loads that the reports describe.
//!
//! ```text
//!  plan ──► cells, each checked first ──► rounds: R A B C R D E F R …, a gate around each cell
//!                                            │
//!                       samples by cell ◄────┘──► ratios to the reference R beside them ──► rows
//! ```
//!
//! A cell is one pairing under one point of a load. Cells are measured in turn, each round in another order, and a cell is
//! compared with measurements of the reference shortly before and after it: what the machine does meanwhile hits both.
//!
//! | Module | What it holds |
//! |---|---|
//! | [`plan`] | how often, how long, and when it is enough |
//! | [`run`] | checks, rounds, the reference beside each few cells |
//! | [`cell`] | a pairing under a point of a load |
//! | [`page_scan`], [`long_transaction`], [`sessions`], [`replay`] | the loads |
//! | [`course`] | threads that start and end together |
//! | [`part`], [`sample`] | what one thread writes down, and what they say together |
//! | [`cores`] | which thread runs on which core |
//! | [`gate`] | whether the machine had its cores for us, and how fast they were |
//! | [`books`] | the system's own books of a thread: asleep, or without a core |

pub mod books;
pub mod cell;
pub mod cores;
pub mod course;
pub mod gate;
pub mod long_transaction;
mod loops;
mod measured;
mod pacer;
pub mod page_scan;
mod pages;
pub mod part;
pub mod plan;
pub mod recorded;
pub mod replay;
pub mod run;
pub mod sample;
mod session;
pub mod sessions;

mod writer;
