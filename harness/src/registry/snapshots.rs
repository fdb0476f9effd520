//! All snapshot strategies, those that cannot play a standby included.

use snapshot_api::{Restore, Standby};
use strategy_baseline::{Layout, ProcArray, ProcArrayConfig};
use strategy_csn::{CsnConfig, CsnLog};

use super::{EMPTY, PEERS, STANDBYS, StandbyVisitor, Unknown, base, visit_standby, with_peers};

/// Does something with a snapshot strategy whose type is known where it is called.
pub trait SnapshotVisitor {
    /// What comes out.
    type Output;

    /// Called with the strategy's type and the set-up that belongs to its name. `standby` says whether it can play one.
    fn visit<S: Restore + 'static>(self, config: S::Config, standby: bool) -> Self::Output;
}

macro_rules! primaries {
    ($($name:literal => $strategy:ty = $config:expr;)*) => {
        /// The names of the strategies that cannot play a standby.
        const PRIMARIES: &[&str] = &[$($name),*];

        fn visit_primary<V: SnapshotVisitor>(name: &str, visitor: V) -> Result<V::Output, Unknown> {
            match name {
                $($name => Ok(visitor.visit::<$strategy>($config, false)),)*
                _ => Err(Unknown::new("snapshot strategy", name, with_peers(snapshots()))),
            }
        }
    };
}

// An id that a standby never hears of has ended, so that the number log has to know in which order ids begin there.
primaries! {
    "csn" => CsnLog = CsnConfig::default();
    "proc-array(scattered)" => ProcArray = ProcArrayConfig::default();
    "proc-array(scattered+reuse)" => ProcArray =
        ProcArrayConfig { reuse: true, ..Default::default() };
    "proc-array(dense)" => ProcArray =
        ProcArrayConfig { layout: Layout::Dense, ..Default::default() };
    "proc-array(dense+reuse+group)" => ProcArray = ProcArrayConfig {
        layout: Layout::Dense,
        reuse: true,
        group_clear: true,
        ..Default::default()
    };
    "proc-array(dense+reuse)" => ProcArray =
        ProcArrayConfig { layout: Layout::Dense, reuse: true, ..Default::default() };
}

/// The names of all snapshot strategies. The peers are in [`PEERS`].
pub fn snapshots() -> Vec<&'static str> {
    STANDBYS.iter().chain(PRIMARIES).copied().collect()
}

/// One variant of each strategy, its first, and the shared cache over each that it shares.
///
/// ```
/// let usual = harness::registry::usual();
/// assert!(usual.contains(&"boolean-array(original)") && !usual.contains(&"boolean-array(15.2)"));
/// assert!(usual.contains(&"shared-cache(csn(rising))"));
/// ```
pub fn usual() -> Vec<&'static str> {
    let mut usual: Vec<&str> = Vec::new();
    for name in snapshots() {
        let seen = usual.iter().any(|&other| base(other) == base(name));
        // The shared cache under its first waiting policy: the others are named behind the strategy that it shares.
        if !seen || base(name) == "shared-cache" && !name.contains(")+") {
            usual.push(name);
        }
    }
    usual
}

/// Calls `visitor` with the snapshot strategy of this name.
///
/// # Errors
///
/// Nothing has this name.
pub fn visit_snapshot<V: SnapshotVisitor>(name: &str, visitor: V) -> Result<V::Output, Unknown> {
    if [STANDBYS, PEERS, &[EMPTY]].iter().any(|standbys| standbys.contains(&name)) {
        visit_standby(name, AnyStandby(visitor))
    } else {
        visit_primary(name, visitor)
    }
}

/// Passes a standby on as what it is besides.
struct AnyStandby<V>(V);

impl<V: SnapshotVisitor> StandbyVisitor for AnyStandby<V> {
    type Output = V::Output;

    fn visit<S: Standby + 'static>(self, config: S::Config) -> V::Output {
        self.0.visit::<S>(config, true)
    }
}

/// Whether the snapshot strategy of this name can play a standby.
///
/// # Errors
///
/// Nothing has this name.
pub fn plays_standby(name: &str) -> Result<bool, Unknown> {
    visit_snapshot(name, PlaysStandby)
}

struct PlaysStandby;

impl SnapshotVisitor for PlaysStandby {
    type Output = bool;

    fn visit<S: Restore + 'static>(self, _config: S::Config, standby: bool) -> bool {
        standby
    }
}
