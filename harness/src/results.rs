//! Files of results: what `compare --out` and `compare --save` write, and `diff`, `rank` and `report` read.
//!
//! ```text
//!  compare ──► writer ──► results.jsonl ──► read ──► filter ──► changes (diff)
//!              header + rows, whole                        ├──► ranking (rank)
//!                                                          └──► tables (report)
//! ```
//!
//! The first line is a [`Header`]: which format and version this is, on which machine and how it was measured. Beside its fields
//! stand, in `about_loads`, what each load does, and in `wrong` the cells that have no row, since they gave a [`Wrong`] answer. Each further line is a [`Row`]. All are
//! JSON objects. A file that is not exactly that is refused with its name, the line, and what was
//! expected: half of a file would be compared as if the other half had never been measured.

pub mod baseline;
pub mod changes;
mod error;
mod fault;
mod first_line;
mod header;
mod loads;
pub mod names;
pub mod ranking;
mod read;
pub mod row;
mod writer;
mod wrong;

pub use error::ResultsError;
pub use header::{FORMAT, Header, VERSION};
pub use loads::{Differing, Labels, Load, loads};
pub(crate) use read::rounds;
pub use read::{Results, parse, read};
pub use row::Row;
pub use writer::Writer;
pub use wrong::Wrong;

/// The name of a file of results in its folder.
pub const FILE: &str = "results.jsonl";

#[cfg(test)]
pub(crate) mod sample;
