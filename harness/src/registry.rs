//! Which strategies there are. Adding one is one line here (or in `snapshots` or `thresholds` below), and one in the manifest.

use std::fmt;

use snapshot_api::Standby;
use strategy_baseline::{BooleanArray, BooleanArrayConfig, CompactionRule};
use strategy_bitmap::{Bitmap, BitmapConfig, HierarchicalBitmap};
use strategy_csn::{BeginOrder, CsnConfig, CsnLog};
use strategy_linkedlist::{EpochList, LinkedList, ListConfig, SkipOffsets};
use strategy_shared_cache::{Publish, SharedCache, Spin};

pub use catalogue::catalogue;
pub use snapshots::{SnapshotVisitor, snapshots, usual, visit_snapshot};
pub use thresholds::{THRESHOLDS, ThresholdVisitor, visit_threshold};

use crate::locked_set::LockedSet;

mod catalogue;
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
        /// The names of all strategies that can play a standby.
        pub const STANDBYS: &[&str] = &[$($name),*];

        /// Calls `visitor` with the strategy of this name.
        ///
        /// # Errors
        ///
        /// Nothing has this name.
        pub fn visit_standby<V: StandbyVisitor>(name: &str, visitor: V) -> Result<V::Output, Unknown> {
            match name {
                $($name => Ok(visitor.visit::<$strategy>($config)),)*
                _ => Err(Unknown::new("strategy that can play a standby", name, STANDBYS.to_vec())),
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

/// Nothing of this kind has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    kind: &'static str,
    name: String,
    known: Vec<&'static str>,
}

impl Unknown {
    pub(crate) fn new(kind: &'static str, name: &str, known: Vec<&'static str>) -> Self {
        Unknown { kind, name: name.into(), known }
    }

    /// The known name that is most like it.
    pub fn nearest(&self) -> Option<&'static str> {
        // The first of the most alike.
        let likeness = |known: &&&str| {
            let like = |known| strsim::normalized_damerau_levenshtein(&self.name, known);
            like(known).max(like(base(known)))
        };
        self.known.iter().rev().max_by(|a, b| likeness(a).total_cmp(&likeness(b))).copied()
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} is called {:?}", self.kind, self.name)?;
        if let Some(nearest) = self.nearest() {
            write!(f, "; nearest: {nearest}")?;
        }
        write!(f, "; known: {}", self.known.join(", "))
    }
}

impl std::error::Error for Unknown {}

/// The strategies that a name on the command line means: the one of this name, or all variants of it where the part in
/// parentheses is left out.
///
/// # Errors
///
/// Nothing has this name.
///
/// ```
/// assert_eq!(harness::registry::named("locked-set")?, ["locked-set"]);
/// assert!(harness::registry::named("boolean-array")?.contains(&"boolean-array(15.2)"));
/// assert!(harness::registry::named("bolean-array").is_err());
/// # Ok::<(), harness::registry::Unknown>(())
/// ```
pub fn named(name: &str) -> Result<Vec<&'static str>, Unknown> {
    matching("strategy that can play a standby", name, STANDBYS)
}

/// The same among other names.
///
/// # Errors
///
/// None of them is meant.
pub fn matching(
    kind: &'static str,
    name: &str,
    known: &[&'static str],
) -> Result<Vec<&'static str>, Unknown> {
    let means = |known: &&&'static str| **known == name || base(known) == name;
    let found: Vec<&str> = known.iter().filter(means).copied().collect();
    if found.is_empty() { Err(Unknown::new(kind, name, known.to_vec())) } else { Ok(found) }
}

/// A name without its variant.
fn base(name: &str) -> &str {
    name.split_once('(').map_or(name, |(base, _)| base)
}
