//! [`Writer`]: the part of the state that readers never see, under the writers' lock.

use std::{collections::VecDeque, sync::Arc};

use snapshot_api::{BeginError, Xid, check_order};

use super::{
    changes::{Change, Changes},
    edition::Edition,
};

/// Editions kept for the next changes. Two take turns where no reader keeps one; a reader that stands still keeps one for
/// ever, and the others go on.
const SPARES: usize = if cfg!(snapshot_loom) { 1 } else { 4 };

/// A tree so small that it is searched for each id that enters.
const SMALL_TREE: usize = 8;

/// Places so few are not given back.
const FEW_PLACES: usize = 256;

/// What runs above xmax, what happened lately, and editions that are out of date.
#[derive(Debug)]
pub(super) struct Writer {
    /// The running ids at or above xmax, in rising order. No snapshot lists them, so no edition holds them.
    above: VecDeque<Xid>,
    xmax: Xid,
    /// The highest id begun or completed.
    last: Xid,
    changes: Changes,
    /// From the oldest to the newest.
    spares: Vec<Arc<Edition>>,
    /// The number of the newest edition.
    number: u64,
}

impl Writer {
    /// With these ids running, and the first edition.
    pub(super) fn new(latest_completed: Xid, running: Vec<Xid>) -> (Self, Arc<Edition>) {
        let last = running.last().map_or(latest_completed, |&xid| xid.max(latest_completed));
        let mut writer = Writer {
            above: running.into(),
            xmax: Xid::FIRST_NORMAL,
            last,
            changes: Changes::default(),
            spares: vec![Arc::new(Edition::empty())],
            number: 0,
        };
        writer.complete(latest_completed, &[]);
        let first = writer.next(|| Arc::new(Edition::empty()));
        (writer, first)
    }

    /// Enters an id.
    pub(super) fn begin(&mut self, xid: Xid) -> Result<(), BeginError> {
        check_order(xid, self.last)?;
        self.above.push_back(xid);
        self.last = xid;
        Ok(())
    }

    /// Raises xmax above `latest` and ends a tree that lies below it.
    pub(super) fn complete(&mut self, latest: Xid, tree: &[Xid]) {
        let listed = self.xmax;
        self.xmax = self.xmax.max(latest.next());
        self.last = self.last.max(latest);
        // What ends before a snapshot could list it need not enter.
        let skip: &[Xid] = if tree.len() <= SMALL_TREE { tree } else { &[] };
        while let Some(&xid) = self.above.front()
            && xid < self.xmax
        {
            self.above.pop_front();
            if !skip.contains(&xid) {
                self.changes.push(Change::Enter(xid));
            }
        }
        shrink(&mut self.above);
        for &xid in tree.iter().filter(|&&xid| xid < listed || skip.is_empty()) {
            self.changes.push(Change::Leave(xid));
        }
    }

    /// Takes ids out without completing anything.
    pub(super) fn forget(&mut self, xids: &[Xid]) {
        for &xid in xids {
            if xid < self.xmax {
                self.changes.push(Change::Leave(xid));
            } else if let Ok(place) = self.above.binary_search(&xid) {
                self.above.remove(place);
            }
        }
    }

    /// Takes all ids below `below` out.
    pub(super) fn prune(&mut self, below: Xid) {
        let gone = self.above.partition_point(|&xid| xid < below);
        self.above.drain(..gone);
        shrink(&mut self.above);
        self.changes.push(Change::LeaveBelow(below));
    }

    /// The edition after all changes so far. It is the caller's alone until it is published. `newest` is the published one.
    pub(super) fn next(&mut self, newest: impl FnOnce() -> Arc<Edition>) -> Arc<Edition> {
        self.number += 1;
        let mut next = self.unshared().unwrap_or_else(|| Arc::new(newest().copy()));
        // Nobody else has it: it was found to be so, or made, just now.
        if let Some(edition) = Arc::get_mut(&mut next) {
            self.changes.replay(edition);
            edition.close(self.number, self.xmax);
        }
        next
    }

    /// A spare edition that no reader has, the newest one there is.
    fn unshared(&mut self) -> Option<Arc<Edition>> {
        let free = self.spares.iter_mut().rposition(|spare| Arc::get_mut(spare).is_some())?;
        Some(self.spares.remove(free))
    }

    /// The number of the edition made last.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Keeps an edition that is out of date for later, though readers may have it still.
    pub(super) fn retire(&mut self, old: Arc<Edition>) {
        let words = old.levels.words();
        self.spares.push(old);
        if self.spares.len() > SPARES {
            self.spares.remove(0);
        }
        let oldest = self.spares.iter().map(|spare| spare.seen).min().unwrap_or(0);
        self.changes.trim(oldest, words);
        self.spares.retain(|spare| self.changes.reach(spare));
    }
}

/// Gives memory back that is many times what is used.
fn shrink(ids: &mut VecDeque<Xid>) {
    let enough = 2 * ids.len().max(FEW_PLACES);
    if ids.capacity() > 4 * enough {
        ids.shrink_to(enough);
    }
}
