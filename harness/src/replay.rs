//! Replay: what a transaction history costs under each design.
//!
//! ```text
//!  file, pipe ──► Input ──────────► History ──────────► look    every snapshot equal to locked-set's? window, running, bytes
//!                 text, unzipped    16 bytes an event   time    the same events and snapshots again, with a clock
//!                 timed once        checked once
//! ```
//!
//! Reading, checking, looking and timing are passes of their own, so that none is in the time of another. Nothing is
//! counted, compared or timed before the standby accepts queries: text of `pg_waldump` may begin anywhere.

pub mod memory;

mod history;
mod input;
mod look;
mod parsing;
mod steps;
mod time;

pub use history::{History, Unusable};
pub use input::Input;
pub use look::{Bytes, Gauge, Looked, held, look};
pub use parsing::Parsing;
pub use time::{Takes, Timing, time};
