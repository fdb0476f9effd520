#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod boolean_array;
mod padded;
pub mod proc_array;

pub use boolean_array::{BooleanArray, BooleanArrayConfig, CompactionRule, Occupancy};
pub use proc_array::{Layout, ProcArray, ProcArrayConfig};
