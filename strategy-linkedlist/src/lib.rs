#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod config;
pub mod epoch_list;
pub mod linked_list;
pub mod skip_offsets;

pub use config::ListConfig;
pub use epoch_list::EpochList;
pub use linked_list::LinkedList;
pub use skip_offsets::SkipOffsets;
