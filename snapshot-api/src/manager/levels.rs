//! [`Levels`]: the ids of one transaction and of its subtransactions, as a stack.
//!
//! ```text
//!   ids       3   │ 5   6   │ 9        rising
//!             top │ level 1 │ level 2  (6 is of a level that was released into level 1)
//! ```
//!
//! A savepoint opens a level. To release it adds its ids to the level below; to roll back to it takes away its ids and those of
//! all levels above. Both move an end of the stack, whatever the number of ids.

use crate::{AssignError, InstanceId, SavepointError, Xid};

/// A savepoint of one transaction, made by [`Transaction::savepoint`](crate::Transaction::savepoint).
///
/// It cannot be copied, and to release it consumes it: nothing is released twice.
///
/// ```compile_fail,E0382
/// # use snapshot_api::{Off, Session, dev::models::LockedSet};
/// fn release_twice(session: &mut Session<LockedSet, Off>) -> Result<(), snapshot_api::SavepointError> {
///     let mut transaction = session.begin();
///     let savepoint = transaction.savepoint();
///     transaction.release(savepoint)?;
///     transaction.release(savepoint)
/// }
/// ```
#[derive(PartialEq, Eq, Debug)]
#[must_use = "without it the savepoint can be neither released nor rolled back to"]
pub struct Savepoint {
    level: usize,
    name: InstanceId,
}

#[derive(Debug)]
struct Level {
    name: InstanceId,
    /// Its id and where that stands in the stack. Without one the level has no ids at all, nor have those above it.
    assigned: Option<(Xid, usize)>,
}

/// Where a level's id comes from.
pub(super) type Assign<'a> = &'a mut dyn FnMut() -> Result<Xid, AssignError>;

#[derive(Debug, Default)]
pub(super) struct Levels {
    /// All that run, in rising order, the top's first.
    ids: Vec<Xid>,
    top: Option<Xid>,
    levels: Vec<Level>,
}

impl Levels {
    pub(super) fn ids(&self) -> &[Xid] {
        &self.ids
    }

    pub(super) fn top(&self) -> Option<Xid> {
        self.top
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.levels.is_empty()
    }

    #[inline]
    pub(super) fn contains(&self, xid: Xid) -> bool {
        // Ids of one session rise.
        !self.ids.is_empty() && self.ids.binary_search(&xid).is_ok()
    }

    /// The id of the innermost level. Levels below get theirs first, so that a child's id lies above its parent's.
    pub(super) fn current(&mut self, assign: Assign<'_>) -> Result<Xid, AssignError> {
        if let Some(xid) = self.innermost() {
            return Ok(xid);
        }
        let mut current = self.top_or(assign)?;
        for level in &mut self.levels {
            current = match level.assigned {
                Some((xid, _)) => xid,
                None => {
                    let xid = assign()?;
                    level.assigned = Some((xid, self.ids.len()));
                    self.ids.push(xid);
                    xid
                }
            };
        }
        Ok(current)
    }

    /// The transaction's own id.
    pub(super) fn top_or(&mut self, assign: Assign<'_>) -> Result<Xid, AssignError> {
        match self.top {
            Some(top) => Ok(top),
            None => {
                let xid = assign()?;
                self.ids.push(xid);
                Ok(*self.top.insert(xid))
            }
        }
    }

    pub(super) fn open(&mut self) -> Savepoint {
        let name = InstanceId::unique();
        self.levels.push(Level { name, assigned: None });
        Savepoint { level: self.levels.len() - 1, name }
    }

    /// Ends the level and those above it; their ids belong to the one below from now on.
    pub(super) fn release(&mut self, savepoint: &Savepoint) -> Result<(), SavepointError> {
        self.find(savepoint)?;
        self.levels.truncate(savepoint.level);
        Ok(())
    }

    /// The ids of the level and of those above it.
    pub(super) fn ids_since(&self, savepoint: &Savepoint) -> Result<&[Xid], SavepointError> {
        self.find(savepoint)?;
        let assigned = self.levels[savepoint.level].assigned;
        Ok(assigned.map_or(&[], |(_, first)| &self.ids[first..]))
    }

    /// Empties the level, whose ids have ended, and ends those above it.
    pub(super) fn roll_back(&mut self, savepoint: &Savepoint) -> Result<(), SavepointError> {
        self.find(savepoint)?;
        self.levels.truncate(savepoint.level + 1);
        if let Some((_, first)) = self.levels[savepoint.level].assigned.take() {
            self.ids.truncate(first);
        }
        Ok(())
    }

    fn innermost(&self) -> Option<Xid> {
        self.levels.last().map_or(self.top, |level| level.assigned.map(|(xid, _)| xid))
    }

    /// Forgets everything; the ids come in rising order. Room is kept.
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.levels.clear();
        self.top = None;
    }

    fn find(&self, savepoint: &Savepoint) -> Result<(), SavepointError> {
        match self.levels.get(savepoint.level) {
            Some(level) if level.name == savepoint.name => Ok(()),
            _ => Err(SavepointError),
        }
    }
}
