#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod chain;
mod collect;
mod connection;
mod error;
mod rows;
mod rules;
mod shards;
mod store;
mod transaction;
mod writes;

pub use collect::Collected;
pub use connection::{Connection, Ran};
pub use error::Error;
pub use rows::{Census, Key, Value};
pub use rules::{Rules, SnapshotIsolation};
pub use store::Store;
pub use transaction::Tx;
