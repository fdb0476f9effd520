//! Benchmarks that one line runs on any implementation, with their yardsticks in the same run.
//!
//! ```no_run
//! // benches/my-strategy.rs, with `harness = false` in the manifest
//! use snapshot_api::dev::models::LockedSet;
//!
//! snapshot_api::snapshot_benches!(LockedSet = (), LockedSet = ());
//! ```
//!
//! Every row is measured by criterion (0.1 s of warm-up, 0.3 s, 20 samples, filters as usual), and at the end a table
//! shows the medians beside their yardsticks, which are measured right behind each sample. Ratios within one run are what counts: machines differ, and one machine
//! differs from minute to minute.
//!
//! | operation | what is timed | yardstick |
//! |---|---|---|
//! | `take unchanged` | a take into a value that was taken a moment ago, nothing has ended since | an atomic load |
//! | `take fresh` | a begin, an end and a take, less the same begin and end without the take | a copy of the running list |
//! | `take fresh into 64` | one end, then a take into each of 64 values, a 64th of it | a copy of the running list |
//! | `begin + end` | one transaction beside the others | a `fetch_add` on a hot line |
//! | `visibility hit` | `is_running` of ids that run | a binary search in 200 sorted ids |
//! | `visibility miss` | `is_running` of ids anywhere in the window that have ended | the same |
//! | `visibility hot` | `is_running` of a few ids again and again | the same |
//!
//! Ids run in two distributions, [`Clustered`](Distribution::Clustered) and [`Uniform`](Distribution::Uniform), over windows
//! from 256 to 10 million ids. [`Churn`] makes them and keeps them so while transactions come and go.

mod macros;
mod rows;
mod snapshot;
mod table;
mod threshold;

pub use criterion::Criterion;
pub use rows::Bench;
pub use snapshot::snapshot;
pub use table::Row;
pub use threshold::{Against, threshold};

pub use crate::measure::{Churn, Distribution, Turn};
