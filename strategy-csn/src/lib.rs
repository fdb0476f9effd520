#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod arena;
mod config;
mod core;
mod fold;
mod log;
mod needs;
mod page;
mod restore;
mod ring;
mod slots;
mod snapshot;
mod walk;
mod word;
mod writer;

pub use config::{BeginOrder, CsnConfig};
pub use log::CsnLog;
pub use snapshot::CsnSnapshot;
