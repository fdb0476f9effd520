//! Ids: widened against the next one, observed in rising order, the gaps between them filled.

use snapshot_api::{FullXid, Standby, Xid};

use super::{Machine, Phase, Refused, STARTUP, contradiction};
use crate::{
    standby::{Rule, Watch},
    trace::Tree,
};

impl<S: Standby, W: Watch<S>> Machine<S, W> {
    /// Widens against the next id, to the nearest one.
    #[inline]
    pub(super) fn widen(&self, xid: u32) -> Xid {
        FullXid::widen(xid, self.next).dense()
    }

    /// Widens a tree into `self.tree`, its own id first.
    #[inline]
    pub(super) fn widen_tree(&mut self, tree: &Tree<'_>) -> Result<(), Refused> {
        self.tree.clear();
        let xid = self.widen(tree.xid);
        self.tree.push(xid);
        let mut rising = true;
        let mut last = xid;
        for &sub in tree.subxids {
            let sub = self.widen(sub);
            rising &= sub > last;
            last = sub;
            self.tree.push(sub);
        }
        if rising { Ok(()) } else { self.check_tree(tree) }
    }

    /// A list that does not rise: is there a child below its parent, or one named twice?
    #[cold]
    pub(super) fn check_tree(&self, tree: &Tree<'_>) -> Result<(), Refused> {
        if let Some(at) = self.tree[1..].iter().position(|&sub| sub < self.tree[0]) {
            return contradiction(Rule::ParentFirst, || {
                format!("subtransactions above their parent {}, not {}", tree.xid, tree.subxids[at])
            });
        }
        let mut sorted = self.tree.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let twice = FullXid::from_dense(pair[0]).unwrap_or_default().low();
                contradiction(Rule::NamedOnce, || format!("each id once, not {twice} twice"))
            }
            None => Ok(()),
        }
    }

    /// An id that a record carries or names (`RecordKnownAssignedTransactionIds`): all ids up to it run, unless they did
    /// something else before. Returns it widened.
    #[inline]
    pub(super) fn observe(&mut self, xid: u32) -> Result<Xid, Refused> {
        let full = FullXid::widen(xid, self.next);
        let dense = full.dense();
        if dense > self.observed {
            self.enter(dense)?;
        }
        if full >= self.next {
            self.next = full.next();
        }
        Ok(dense)
    }

    pub(super) fn enter(&mut self, xid: Xid) -> Result<(), Refused> {
        self.check_leap(xid, self.observed)?;
        if xid < self.oldest {
            return contradiction(Rule::OldestIsOldest, || {
                let xid = FullXid::from_dense(xid).unwrap_or_default().low();
                format!("no record of {xid}, which an earlier record says to be over")
            });
        }
        if self.phase != Phase::Initialized {
            let mut first = self.observed.next();
            if first < self.oldest {
                let late: Vec<Xid> = (first.get()..self.oldest.get()).map(Xid::new).collect();
                self.revive(&late)?;
                first = self.oldest;
            }
            for id in first.get()..=xid.get() {
                self.watch.before_step();
                self.instance.begin(STARTUP, Xid::new(id))?;
                self.watch.after_step();
            }
        }
        self.observed = xid;
        Ok(())
    }

    #[inline]
    pub(super) fn check_leap(&self, to: Xid, from: Xid) -> Result<(), Refused> {
        if to.get().saturating_sub(from.get()) <= self.options.leap {
            return Ok(());
        }
        contradiction(Rule::NoLeap, || {
            format!(
                "ids to rise by no more than {} at once, not from {from} to {to}",
                self.options.leap
            )
        })
    }
}
