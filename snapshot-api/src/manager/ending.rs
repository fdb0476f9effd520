//! [`Ending`]: what an engine is told before ids end.

use crate::{SessionId, Xid};

/// How ids end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// What they wrote is to be seen.
    Committed,
    /// What they wrote is to be seen by nobody.
    Aborted,
}

/// Ids that are about to end in one step: a transaction with its subtransactions, or a branch that is rolled back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending<'a> {
    /// How.
    pub outcome: Outcome,
    /// The number of the session that began them.
    pub session: SessionId,
    /// The transaction's own id.
    pub top: Xid,
    /// The ids, in rising order.
    pub ids: &'a [Xid],
}

impl Ending<'_> {
    /// Whether the transaction goes on: what ends is what was written since a savepoint.
    pub fn is_rollback(&self) -> bool {
        self.ids.first() != Some(&self.top)
    }
}

/// What an engine does then.
pub(super) type Hook = dyn Fn(&Ending<'_>) + Send + Sync;
