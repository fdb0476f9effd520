//! Peers: what a Rust user would take off the shelf instead of one of the strategies, each in the ordinary code that such a
//! user writes.
//!
//! | name | what runs is kept in | a take | laws |
//! |---|---|---|---|
//! | `rwlock-btreeset` | [`BTreeSet`](std::collections::BTreeSet) under a lock for many readers | copies the list under the shared lock | all |
//! | `arc-swap-vec` | a sorted vector that is never changed, behind [`ArcSwap`](arc_swap::ArcSwap) | loads the pointer, keeps the list | all |
//! | `imbl-set` | [`OrdSet`](imbl::OrdSet), a persistent B+ tree, under the same lock | clones it under the shared lock, O(1) | all |
//! | `skip-list` | [`SkipSet`](crossbeam_skiplist::SkipSet), without a lock | walks over it | breaks some |
//! | `dashmap` | [`DashMap`](dashmap::DashMap), a lock for each part | walks over it and sorts | breaks some |
//!
//! The last two are what a first attempt looks like: a concurrent set answers each question rightly, but a walk over it is not
//! of one instant. Ids end behind the walker and before it, and it has still seen the first and misses the second.
//!
//! ```text
//!   walker   3 ✓  5 ✓  │              8 ✗  9 ✓            its list: 3 5 9
//!   ends               └─ 5, then 8                       which was never so: 5 ended before 8 did
//! ```
//!
//! [`breaks`](crate::registry::breaks) names the laws, and the test `peers` shows that just these fail. They are measured all
//! the same, when they are named: nobody should believe that speed was missed for the laws' sake.
//!
//! No list of strategies has the peers: `verify`, `costs`, `compare` and `replay` run them where they are named.

mod arc_swap_vec;
mod bounds;
mod dash_map;
mod imbl_set;
mod rwlock_btreeset;
mod skip_list;

pub use arc_swap_vec::{ArcSwapVec, SharedList};
pub use dash_map::ShardedMap;
pub use imbl_set::{ImblSet, SharedSet};
pub use rwlock_btreeset::RwLockBTreeSet;
pub use skip_list::SkipList;
