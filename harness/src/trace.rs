//! Traces: what the log of a PostgreSQL primary tells a standby about transactions.
//!
//! [`TraceReader`] reads both forms, plain or gzip'd, from a file or a pipe: [`events.txt`](Format::Events), which the
//! recordings are in, and the text of [`pg_waldump`](Format::WalDump). Whatever is wrong with the input ends as one
//! [`TraceError`].

mod alike;
mod error;
mod event;
pub(crate) mod fields;
pub(crate) mod lines;
mod lsn;
mod native;
mod reader;
mod waldump;

pub use error::{Problem, TraceError};
pub use event::{Event, Kind, RunningXacts, Tree};
pub use lines::LIMIT as LINE_LIMIT;
pub use lsn::Lsn;
pub use reader::{Format, TraceReader};
