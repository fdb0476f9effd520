//! Which strategies there are. Adding one is one line here (or in `snapshots` or `thresholds` below), and one in the manifest.

use snapshot_api::Standby;
use strategy_baseline::{BooleanArray, BooleanArrayConfig, CompactionRule};
use strategy_bitmap::{Bitmap, BitmapConfig, HierarchicalBitmap};
use strategy_csn::{BeginOrder, CsnConfig, CsnLog};
use strategy_linkedlist::{EpochList, LinkedList, ListConfig, SkipOffsets};
use strategy_shared_cache::{Publish, SharedCache, Spin};

pub use catalogue::catalogue;
pub use peers::{EMPTY, PEERS, breaks, choice, with_peers};
pub use snapshots::{SnapshotVisitor, plays_standby, snapshots, usual, visit_snapshot};
pub use thresholds::{THRESHOLDS, ThresholdVisitor, visit_threshold};

pub use crate::names::Unknown;
use crate::{locked_set::LockedSet, names::base};

mod catalogue;
mod peers;
mod snapshots;
mod thresholds;

/// Does something with a strategy whose type is known where it is called: no dynamic dispatch on any path.
pub trait StandbyVisitor {
    /// What comes out.
    type Output;

    /// Called with the strategy's type and the set-up that belongs to its name.
    fn visit<S: Standby + 'static>(self, config: S::Config) -> Self::Output;
}

macro_rules! standbys {
    ($($name:literal => $strategy:ty = $config:expr;)*) => {
        /// The names of all strategies that can play a standby. The peers, which can too, are in [`PEERS`].
        pub const STANDBYS: &[&str] = &[$($name),*];

        /// Calls `visitor` with the strategy of this name.
        ///
        /// # Errors
        ///
        /// Nothing has this name.
        pub fn visit_standby<V: StandbyVisitor>(name: &str, visitor: V) -> Result<V::Output, Unknown> {
            match name {
                $($name => Ok(visitor.visit::<$strategy>($config)),)*
                _ => peers::visit_peer(name, visitor),
            }
        }
    };
}

// The name on the command line, which is the one in the strategy's facts => its type = its set-up.
standbys! {
    "locked-set" => LockedSet = ();
    "boolean-array(original)" => BooleanArray =
        BooleanArrayConfig { rule: CompactionRule::Original, ..Default::default() };
    "boolean-array(15.2)" => BooleanArray = BooleanArrayConfig::default();
    "boolean-array(15.2+reuse)" => BooleanArray =
        BooleanArrayConfig { reuse: true, ..Default::default() };
    "bitmap" => Bitmap = BitmapConfig::default();
    "hierarchical-bitmap" => HierarchicalBitmap = ();
    "linked-list" => LinkedList = ListConfig::default();
    "linked-list(15.2)" => LinkedList =
        ListConfig { rule: CompactionRule::Since15_2, ..Default::default() };
    "skip-offsets" => SkipOffsets = ListConfig::default();
    "skip-offsets(15.2)" => SkipOffsets =
        ListConfig { rule: CompactionRule::Since15_2, ..Default::default() };
    "epoch-list" => EpochList = ();
    "csn(rising)" => CsnLog = CsnConfig { begin: BeginOrder::Rising };
    "shared-cache(boolean-array(15.2))" => SharedCache<BooleanArray> = BooleanArrayConfig::default();
    "shared-cache(boolean-array(15.2)+spin)" => SharedCache<BooleanArray, Spin> =
        BooleanArrayConfig::default();
    "shared-cache(boolean-array(15.2)+publish)" => SharedCache<BooleanArray, Publish> =
        BooleanArrayConfig::default();
    "shared-cache(csn(rising))" => SharedCache<CsnLog> =
        CsnConfig { begin: BeginOrder::Rising };
}
