//! Plain implementations to hold others against: obviously right first, fast last.

mod locked_set;
mod locked_threshold;
mod number_log;
mod published;

pub use locked_set::LockedSet;
pub use locked_threshold::LockedThreshold;
pub use number_log::{NumberLog, NumberSnapshot};
pub use published::{LastEnded, Published};
