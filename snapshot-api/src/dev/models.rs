//! Plain strategies to hold others against: obviously right first, fast last.

mod locked_set;

pub use locked_set::LockedSet;
