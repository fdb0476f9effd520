#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod boolean_array;
pub mod known_array;
pub mod proc_array;
mod version;

pub use boolean_array::{BooleanArray, BooleanArrayConfig};
pub use known_array::{CompactionRule, KnownArray, KnownArrayConfig, Occupancy};
pub use proc_array::{Layout, ProcArray, ProcArrayConfig};
