#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod config;
pub mod linked_list;
pub mod skip_offsets;

pub use config::ListConfig;
pub use linked_list::LinkedList;
pub use skip_offsets::SkipOffsets;
