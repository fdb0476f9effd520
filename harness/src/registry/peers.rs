//! The peers, and the strategy that does nothing: found by name, and in no list of strategies.

use super::{STANDBYS, StandbyVisitor, Unknown};
use crate::{
    nothing::Nothing,
    peers::{ArcSwapVec, ImblSet, RwLockBTreeSet, ShardedMap, SkipList},
};

pub use crate::results::row::EMPTY;

macro_rules! peers {
    ($($name:literal => $strategy:ty, breaks [$($law:literal)*];)*) => {
        /// The names of the [peers](crate::peers). Each can play a standby.
        pub const PEERS: &[&str] = &[$($name),*];

        /// The laws that a strategy is known to break, by their names in the law book. None but for some of the peers.
        ///
        /// ```
        /// use harness::registry::{PEERS, breaks};
        ///
        /// assert!(PEERS.contains(&"skip-list") && breaks("skip-list").contains(&"law 1 (one instant)"));
        /// assert!(breaks("arc-swap-vec").is_empty());
        /// ```
        pub fn breaks(name: &str) -> &'static [&'static str] {
            match name {
                $($name => &[$($law),*],)*
                _ => &[],
            }
        }

        pub(super) fn visit_peer<V: StandbyVisitor>(name: &str, visitor: V) -> Result<V::Output, Unknown> {
            match name {
                $($name => Ok(visitor.visit::<$strategy>(())),)*
                EMPTY => Ok(visitor.visit::<Nothing>(())),
                _ => {
                    let known = with_peers(STANDBYS.to_vec());
                    Err(Unknown::new("strategy that can play a standby", name, known))
                }
            }
        }
    };
}

// The name on the command line, which is the one in the strategy's facts => its type, the laws that it breaks.
peers! {
    "rwlock-btreeset" => RwLockBTreeSet, breaks [];
    "arc-swap-vec" => ArcSwapVec, breaks [];
    "imbl-set" => ImblSet, breaks [];
    "skip-list" => SkipList, breaks [
        "law 1 (one instant)"
        "law 2 (whole trees)"
        "law 3 (xmax)"
        "law 8 (a take allocates nothing once grown)"
        "law forget (leave without completing)"
        "law prune (nothing below runs)"
    ];
    "dashmap" => ShardedMap, breaks [
        "law 1 (one instant)"
        "law 2 (whole trees)"
        "law 3 (xmax)"
        "law 8 (a take allocates nothing once grown)"
        "law forget (leave without completing)"
        "law prune (nothing below runs)"
    ];
}

/// These names and those of the peers: what a name on the command line may mean.
pub fn with_peers(mut known: Vec<&'static str>) -> Vec<&'static str> {
    known.extend(PEERS);
    known
}

/// What is chosen from: `known`, and the peers as soon as something is named.
pub fn choice(known: Vec<&'static str>, words: &[String]) -> Vec<&'static str> {
    if words.is_empty() { known } else { with_peers(known) }
}
