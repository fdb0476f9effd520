//! The subcommands, one file each.

pub mod compare;
pub mod costs;
pub mod list;
mod progress;
pub mod replay;
pub mod verify;
