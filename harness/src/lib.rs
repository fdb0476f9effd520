#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod cli;
mod clock;
pub mod commands;
pub mod compare;
pub mod costs;
pub mod interrupt;
pub mod loads;
pub mod locked_set;
pub mod names;
pub mod nothing;
pub mod oracle;
pub mod peers;
pub mod recordings;
pub mod registry;
pub mod replay;
pub mod reproduce;
pub mod results;
pub mod standby;
mod stats;
pub mod tables;
pub mod trace;
pub mod verify;
pub mod warnings;

/// The code in the workspace's README runs with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
