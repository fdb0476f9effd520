//! [`BoxedStrategy`]: a strategy whose type is hidden.

use std::fmt;

use super::snapshot::BoxedSnapshot;
use crate::{BeginError, Facts, SessionId, SnapshotStrategy, Xid};

/// Any strategy, behind one dynamic call. The [module's page](super) says what that costs.
///
/// ```
/// use snapshot_api::{
///     BoxedStrategy, Restore, SessionId, Snapshot, SnapshotStrategy, Xid,
///     dev::models::{LockedSet, NumberLog},
/// };
///
/// let strategies = [
///     BoxedStrategy::new(LockedSet::restore(&(), Xid::new(9), &[Xid::new(7)])?),
///     BoxedStrategy::new(NumberLog::restore(&(), Xid::new(20), &[])?),
/// ];
/// // One value for both: what the other strategy left in it is replaced.
/// let mut snapshot = strategies[0].snapshot();
/// let xmax = strategies.each_ref().map(|strategy| {
///     strategy.take(&mut snapshot);
///     snapshot.xmax()
/// });
/// assert_eq!(xmax, [Xid::new(10), Xid::new(21)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BoxedStrategy(Box<dyn ErasedStrategy>);

/// [`SnapshotStrategy`] as an object. Implemented for every strategy that borrows nothing.
trait ErasedStrategy: Send + Sync {
    fn facts(&self) -> Facts;
    fn snapshot(&self) -> BoxedSnapshot;
    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError>;
    fn end(&self, session: SessionId, tree: &[Xid]);
    fn take(&self, snapshot: &mut BoxedSnapshot);
    fn lock_waits(&self) -> u64;
}

impl<S: SnapshotStrategy + 'static> ErasedStrategy for S {
    fn facts(&self) -> Facts {
        SnapshotStrategy::facts(self)
    }

    fn snapshot(&self) -> BoxedSnapshot {
        BoxedSnapshot::new(self)
    }

    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        SnapshotStrategy::begin(self, session, xid)
    }

    fn end(&self, session: SessionId, tree: &[Xid]) {
        SnapshotStrategy::end(self, session, tree);
    }

    fn take(&self, snapshot: &mut BoxedSnapshot) {
        snapshot.fill(self);
    }

    fn lock_waits(&self) -> u64 {
        SnapshotStrategy::lock_waits(self)
    }
}

impl BoxedStrategy {
    /// Hides the type of `strategy`.
    pub fn new<S: SnapshotStrategy + 'static>(strategy: S) -> Self {
        BoxedStrategy(Box::new(strategy))
    }
}

impl SnapshotStrategy for BoxedStrategy {
    type Snapshot = BoxedSnapshot;

    fn facts(&self) -> Facts {
        self.0.facts()
    }

    fn snapshot(&self) -> BoxedSnapshot {
        self.0.snapshot()
    }

    #[inline]
    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.0.begin(session, xid)
    }

    #[inline]
    fn end(&self, session: SessionId, tree: &[Xid]) {
        self.0.end(session, tree);
    }

    #[inline]
    fn take(&self, snapshot: &mut BoxedSnapshot) {
        self.0.take(snapshot);
    }

    fn lock_waits(&self) -> u64 {
        self.0.lock_waits()
    }
}

impl fmt::Debug for BoxedStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BoxedStrategy").field(&self.0.facts().name).finish()
    }
}
