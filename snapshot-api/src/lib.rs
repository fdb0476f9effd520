//! The contract between MVCC databases and the designs that take their snapshots.
//!
//! A multi-version database answers one question millions of times a second: *which transactions were still running when
//! this reader started?* This crate says what an answer is and what it must keep to; sibling crates `strategy-*` give it
//! in different ways, and an engine swaps one for another by changing a type.
//!
//! | You want to | Read |
//! |---|---|
//! | take snapshots | [`SnapshotStrategy`] and [`Snapshot`]; the page of [`strategy`] explains every word |
//! | run transactions: begin, savepoints, snapshots, commit, and know what may be removed | [`TransactionManager`]; the page of [`manager`] is a guide |
//! | hand out transaction ids | [`Assigner`] |
//! | let old snapshots fail instead of keeping dead rows for ever | [`ThresholdStrategy`]; the page of [`threshold`] |
//! | read ids of PostgreSQL | [`FullXid`] |
//! | restart, or follow another server's log | [`Restore`], [`Standby`] |
//! | choose a strategy by its name, when the program runs | [`Catalogue`], [`BoxedStrategy`]; the page of [`erased`] |
//! | keep your own snapshot tracker, and test it | `dev::tracker`, feature `dev` |
//! | write a strategy of your own | the [`guide`]; the laws on the page of [`strategy`], [`sync`], and the feature `dev` |
//!
//! The crate depends on nothing. Its feature `dev`, for tests and benches, brings the law book
//! ([`snapshot_laws!`], [`threshold_laws!`]) and the benchmarks ([`snapshot_benches!`], [`threshold_benches!`]); its feature
//! `measure` the load and the yardsticks of the benchmarks alone.
#![cfg_attr(not(feature = "dev"), forbid(unsafe_code))]
#![deny(unsafe_code)]

mod assigner;
#[cfg(feature = "dev")]
pub mod dev;
pub mod erased;
mod error;
mod facts;
#[allow(clippy::test_attr_in_doctest, reason = "the guide shows whole test files")]
#[doc = include_str!("../GUIDE.md")]
pub mod guide {}
mod instance;
mod list;
pub mod manager;
#[cfg(all(feature = "measure", not(snapshot_loom)))]
pub mod measure;
mod session;
pub mod strategy;
pub mod sync;
pub mod threshold;
mod xid;

pub use assigner::{AssignError, Assigner};
pub use erased::{
    BoxedSnapshot, BoxedStrategy, BoxedThreshold, Catalogue, Unavailable, UnknownName,
};
pub use error::{BeginError, CapacityExceeded, RestoreError};
pub use facts::{Costs, Facts, Memory, Pairing, Progress, ThresholdFacts};
pub use instance::InstanceId;
pub use list::ListSnapshot;
pub use manager::{
    Clock, Ending, ForeignSnapshot, Held, HorizonHolder, ManagerOptions, ManualClock,
    MonotonicClock, NotPrepared, NumberedManager, NumberedSession, NumberedTransaction,
    OldSnapshotPolicy, Outcome, PinnedSnapshot, PrepareError, PreparedTransaction, Savepoint,
    SavepointError, Session, SharedSnapshot, SnapshotTooOld, Transaction, TransactionManager, View,
};
pub use session::SessionId;
pub use strategy::{
    Restore, Snapshot, SnapshotStrategy, Standby, check_order, highest_normal, restore_list,
};
pub use threshold::{Off, Threshold, ThresholdStrategy, Timestamp};
pub use xid::{FullXid, Xid};
