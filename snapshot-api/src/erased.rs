//! Choosing a strategy when the program runs: from a configuration file, or by a name on a command line.
//!
//! [`SnapshotStrategy`](crate::SnapshotStrategy) has a snapshot type of its own and cannot be made into an object.
//! [`BoxedStrategy`] hides that type behind one dynamic call, is itself a strategy, and keeps the laws of the one inside:
//!
//! ```text
//!   "csn" ──► Catalogue ──► BoxedStrategy ── take ──► the value is of this strategy's type: fill it
//!                              │                      of another's: replace it by a new one, fill that (law 8)
//!                              └─ snapshot ──► BoxedSnapshot ── is_running ──► one dynamic call
//! ```
//!
//! ```
//! use snapshot_api::{
//!     BoxedStrategy, BoxedThreshold, Catalogue, ManagerOptions, TransactionManager, Xid,
//!     dev::models::{LockedSet, LockedThreshold, NumberLog},
//! };
//!
//! let mut catalogue = Catalogue::new();
//! catalogue
//!     .offer::<LockedSet>("locked-set", ())
//!     .offer::<NumberLog>("number-log", ())
//!     .offer_threshold("locked", LockedThreshold::default);
//!
//! // Two names from a configuration file, one type whatever they say.
//! let strategy = catalogue.strategy("number-log", Xid::FROZEN, &[])?;
//! let threshold = catalogue.threshold("locked")?;
//! let manager: TransactionManager<BoxedStrategy, BoxedThreshold> =
//!     TransactionManager::new(strategy, threshold, ManagerOptions::new());
//! assert_eq!(manager.next_id(), Xid::FIRST_NORMAL);
//!
//! let unknown = catalogue.strategy("number-lag", Xid::FROZEN, &[]).unwrap_err();
//! assert_eq!(
//!     unknown.to_string(),
//!     r#"no snapshot strategy is called "number-lag"; known: locked-set, number-log"#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is given up
//!
//! - Each operation is a dynamic call, which nothing inlines; a take also compares two types.
//! - [`running`](crate::Snapshot::running) allocates once, and makes a dynamic call for every 32 ids.
//! - What a type has beyond [`SnapshotStrategy`](crate::SnapshotStrategy) is out of reach:
//!   [`Standby`](crate::Standby) follows another server's log with a strategy known when it is compiled.
//!
//! A take allocates nothing once grown, as law 8 asks. A program that knows its strategy names the type and pays nothing.

mod catalogue;
mod running;
mod snapshot;
mod strategy;
mod threshold;

pub use catalogue::{Catalogue, Unavailable, UnknownName};
pub use snapshot::BoxedSnapshot;
pub use strategy::BoxedStrategy;
pub use threshold::BoxedThreshold;
