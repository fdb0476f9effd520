//! The subcommands, one file each.

pub mod compare;
pub mod costs;
pub mod diff;
pub mod list;
mod progress;
pub mod rank;
pub mod replay;
pub mod report;
pub mod reproduce;
mod results;
pub mod verify;
