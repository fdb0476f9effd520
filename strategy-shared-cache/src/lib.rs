#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod cache;
mod cell;
mod changes;
mod shared;
mod waiting;

pub use cache::SharedCache;
pub use shared::Shared;
pub use waiting::{Private, Publish, Spin, Waiting};
