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
//! # What it costs
//!
//! `cargo bench -p harness --bench erased`: time boxed as a multiple of the time by type, 200 ids running in a window of
//! 65,536. The median of three runs, two cores of a virtual machine with nothing else of ours beside:
//!
//! | operation | `csn` | `hierarchical-bitmap` | what is added |
//! |---|---|---|---|
//! | `take`, nothing has ended | 5.4 | 4.3 | 3 to 5 ns to a load and a comparison: two dynamic calls |
//! | `take` after an end | 2.5 | 1.07 | the same |
//! | `is_running`, a few ids again and again | 1.31 | 1.11 | half a nanosecond: one dynamic call |
//! | a page of 61 visibility tests | 1.09 | 1.07 | half a nanosecond a test |
//! | `begin` + `end` | 1.02 | 1.01 | a dynamic call each |
//! | all of `running()` | 1.08 | 1.6 | one allocation, a dynamic call for every 32 ids |
//!
//! A take allocates nothing once grown, as law 8 asks. What a type has beyond [`SnapshotStrategy`](crate::SnapshotStrategy) is
//! out of reach: a [`Standby`](crate::Standby) follows another server's log with a strategy that is known when it is
//! compiled. A program that knows its strategy names the type and pays nothing.

mod catalogue;
mod running;
mod snapshot;
mod strategy;
mod threshold;

pub use catalogue::{Catalogue, Unavailable, UnknownName};
pub use snapshot::BoxedSnapshot;
pub use strategy::BoxedStrategy;
pub use threshold::BoxedThreshold;
