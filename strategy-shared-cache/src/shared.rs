//! [`Shared`]: a snapshot value that points to a copy which others may share.

use std::sync::Arc;

use snapshot_api::{InstanceId, Snapshot, Xid};

use crate::changes::is_later;

/// A snapshot of the strategy below, and the word of changes that it is exact for.
#[derive(Debug)]
pub(crate) struct Built<V> {
    /// [`PRIVATE`] where no word is.
    pub(crate) word: u64,
    pub(crate) snapshot: V,
}

impl<V> Built<V> {
    /// Whether its word is a later one. Any is later than none.
    pub(crate) fn is_newer(&self, other: &Self) -> bool {
        self.word != PRIVATE && (other.word == PRIVATE || is_later(self.word, other.word))
    }
}

/// The word of a copy that may be used by the caller that built it and by nobody else: not a quiet word.
pub(crate) const PRIVATE: u64 = u64::MAX;

/// A pointer to a snapshot of the strategy below. Shared by all that took it before the next change.
#[derive(Debug)]
pub struct Shared<V> {
    /// Whose copy it is, so that another instance does not keep it as a spare one.
    pub(crate) instance: InstanceId,
    /// The copy's word, here as well, so that seeing that nothing has changed needs no look at the copy. [`PRIVATE`] or
    /// quiet; a quiet one is of one instance only.
    pub(crate) word: u64,
    pub(crate) built: Arc<Built<V>>,
}

impl<V: Snapshot + Sync> Snapshot for Shared<V> {
    #[inline]
    fn xmin(&self) -> Xid {
        self.built.snapshot.xmin()
    }

    #[inline]
    fn xmax(&self) -> Xid {
        self.built.snapshot.xmax()
    }

    #[inline]
    fn is_running(&self, xid: Xid) -> bool {
        self.built.snapshot.is_running(xid)
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        self.built.snapshot.running()
    }
}
