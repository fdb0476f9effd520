//! Transactions with their subtransactions: how they end, are prepared, and are moved out of the list.

use snapshot_api::{FullXid, Standby, Xid};

use super::{Machine, Phase, Refused, STARTUP, Start, contradiction};
use crate::{
    standby::{Rule, Watch},
    trace::Tree,
};

impl<S: Standby, W: Watch<S>> Machine<S, W> {
    pub(super) fn init_prepared(&mut self, tree: &Tree<'_>) -> Result<(), Refused> {
        if !self.starting {
            return contradiction(Rule::InitPreparedFirst, || {
                "init_prepared right after init or init_shutdown".into()
            });
        }
        self.widen_tree(tree)?;
        let highest = self.tree.iter().copied().max().unwrap_or_default();
        if highest > self.observed {
            return contradiction(Rule::NextIsNext, || {
                format!("ids below {}, the next one", self.next.low())
            });
        }
        let xid = self.remember_prepared(tree)?;
        if self.phase == Phase::Ready {
            self.oldest = self.oldest.min(xid);
            for &sub in &self.tree[1..] {
                self.parents.insert(sub, xid);
            }
            self.revive(&[xid])?;
        }
        Ok(())
    }

    /// Ends a tree. That it runs was `known`, unless it is a prepared one that nothing told of.
    pub(super) fn end(&mut self, tree: &Tree<'_>, known: bool) -> Result<(), Refused> {
        self.widen_tree(tree)?;
        self.observe(highest(tree, &self.tree))?;
        for at in 0..self.tree.len() {
            let xid = self.tree[at];
            if known && xid < self.oldest {
                return contradiction(Rule::OldestIsOldest, || {
                    let xid = FullXid::from_dense(xid).unwrap_or_default().low();
                    format!("no end of {xid}, which an earlier record says to be over")
                });
            }
            if !self.ended.insert(xid) {
                return contradiction(Rule::EndsOnce, || {
                    let xid = FullXid::from_dense(xid).unwrap_or_default().low();
                    format!("one end of {xid}, not a second one")
                });
            }
        }
        self.watch.before_step();
        self.instance.end(STARTUP, &self.tree);
        self.watch.after_step();
        Ok(())
    }

    pub(super) fn prepare(&mut self, tree: &Tree<'_>) -> Result<(), Refused> {
        self.widen_tree(tree)?;
        if self.tree[0] > self.observed {
            return contradiction(Rule::AssignedFirst, || {
                format!("assign of {} before its prepare", tree.xid)
            });
        }
        if let Some(over) =
            self.tree.iter().find(|&&xid| xid < self.oldest || self.ended.contains(xid))
        {
            return contradiction(Rule::EndsOnce, || {
                let xid = FullXid::from_dense(*over).unwrap_or_default().low();
                format!("no prepare of {xid}, which has ended")
            });
        }
        self.remember_prepared(tree).map(drop)
    }

    /// Adds what is in `self.tree` to what is prepared.
    pub(super) fn remember_prepared(&mut self, tree: &Tree<'_>) -> Result<Xid, Refused> {
        let xid = self.tree[0];
        if self.prepared.insert(xid, self.tree[1..].to_vec()).is_some() {
            return contradiction(Rule::PreparedOnce, || {
                format!("one prepare of {}, not a second one", tree.xid)
            });
        }
        Ok(xid)
    }

    pub(super) fn end_prepared(&mut self, tree: &Tree<'_>) -> Result<(), Refused> {
        let xid = self.widen(tree.xid);
        let known = self.prepared.remove(&xid).is_some();
        if !known && self.options.start == Start::AtInit {
            return contradiction(Rule::PreparedEnd, || {
                format!("{} to be prepared before it ends as prepared", tree.xid)
            });
        }
        // Text of pg_waldump does not tell what was prepared before it begins: a shutdown checkpoint may have ended it.
        self.end(tree, known)
    }

    /// Subtransactions leave the list; from now on their parent is asked (`ProcArrayApplyXidAssignment`).
    pub(super) fn assignment(&mut self, tree: &Tree<'_>) -> Result<(), Refused> {
        self.widen_tree(tree)?;
        let highest = self.observe(highest(tree, &self.tree))?;
        let (top, subs) = (self.tree[0], &self.tree[1..]);
        for &sub in subs {
            self.parents.insert(sub, top);
        }
        if self.phase != Phase::Initialized {
            self.watch.before_step();
            self.instance.forget(subs);
            self.watch.after_step();
            self.overflowed = self.overflowed.max(highest);
        }
        Ok(())
    }
}

/// The highest id of a tree, as its record has it: `widened` is the same tree, the own id first.
#[inline]
fn highest(tree: &Tree<'_>, widened: &[Xid]) -> u32 {
    let mut highest = 0;
    for (at, xid) in widened.iter().enumerate() {
        if *xid > widened[highest] {
            highest = at;
        }
    }
    if highest == 0 { tree.xid } else { tree.subxids[highest - 1] }
}
