#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod cache;
mod cell;
mod changes;
mod shared;

pub use cache::SharedCache;
pub use shared::Shared;
