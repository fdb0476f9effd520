//! The loads that pairings are put under: files with defaults, what the command line changes in them, and the points of a sweep.
//!
//! ```text
//!  workloads/page-scan.toml ─┐                                          ┌─► page-scan, 1 thread, page-work 4
//!                            ├─► Definition ── what the user says ──────┼─► page-scan, 1 thread, page-work 61
//!  a file of the user's ─────┘   every value may be a list              └─► …
//! ```
//!
//! What a load does is its *kind*, of which there are four; what it is called, and its numbers, stand in a file.
//!
//! | kind | loads | what the threads do |
//! |---|---|---|
//! | `page-scan` | `page-scan` | one snapshot, then for each page visibility tests and a look at the threshold; beside a writer |
//! | `standby` | `standby-long-transaction` | take, test, look; beside a replayer, one transaction open for the middle third |
//! | `sessions` | `select-only`, `mixed`, `simple-update` | take, test, look; or the same in a transaction of their own |
//! | `replay` | `replay` | one replays a recording; readers beside it |

mod definition;
mod error;
mod kind;
mod points;
mod value;

pub use definition::{BUILT_IN, Definition, built_in, names, text};
pub use error::LoadError;
pub use kind::{Kind, PageScan, Replay, Sessions, Spec, Standby, What};
pub use points::{Overrides, Point};
pub use value::Threads;

/// Most points of one load.
pub const MOST_POINTS: usize = 200;
/// Most threads that are measured.
pub const MOST_THREADS: usize = 512;
