//! The judge of concurrent snapshots: was it a state between its call and its return?
//!
//! Two states differ in the ids that count as running: those listed, and everything from xmax on. For a snapshot that
//! was called after step *n0* and returned before step *n1 + 1*:
//!
//! ```text
//!  difference  := ids that count as running in one of (state n0, snapshot) only
//!  for k in n0 ..= n1:   difference empty and xmax of state k ≤ the snapshot's ≤ xmax of state n1  ►  right
//!                        the ids that change sides in step k + 1 enter or leave the difference
//! ```
//!
//! That is law 1 with law 3's allowance: a snapshot may report an xmax up to that at its return as long as every id from
//! its own instant's xmax on is running in it. Exact: no state is hashed or sampled, and the cost is the list once and
//! the changes in between.

use std::{collections::BTreeSet, fmt};

use snapshot_api::Xid;

use super::journal::{Journal, Listed};
use crate::oracle::{difference, printed};

/// A concurrent reader's snapshot, and between which steps it was taken.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// Steps that were over at the call.
    pub(crate) called: u64,
    /// Steps that had begun at the return.
    pub(crate) returned: u64,
    pub(crate) xmin: Xid,
    pub(crate) listed: Listed,
}

/// A concurrent snapshot that is no state between its call and its return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// Steps that were over at the call, and had begun at the return.
    pub steps: (u64, u64),
    /// What is wrong.
    pub what: &'static str,
    /// What the state at the call was.
    pub expected: String,
    /// What the snapshot says.
    pub got: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { steps: (called, returned), what, expected, got } = self;
        write!(
            f,
            "called after step {called}, returned before step {}: {what}: at the call {expected}, got {got}",
            returned + 1
        )
    }
}

/// The states one after another.
#[derive(Debug)]
pub(crate) struct Judge<'a> {
    journal: &'a Journal,
    step: u64,
    xmax: Xid,
    running: BTreeSet<Xid>,
}

impl<'a> Judge<'a> {
    /// At the journal's first state; `None` while there is none.
    pub(crate) fn new(journal: &'a Journal) -> Option<Self> {
        let base = journal.base.as_ref()?;
        Some(Judge {
            journal,
            step: journal.base_step,
            xmax: base.xmax,
            running: base.running.iter().copied().collect(),
        })
    }

    /// Goes on to the state after a step.
    fn advance(&mut self, to: u64) {
        while self.step < to {
            self.step += 1;
            let (changes, xmax) = self.journal.step(self.step);
            self.running.extend((self.xmax.get()..xmax.get()).map(Xid::new));
            for xid in changes {
                if !self.running.remove(xid) {
                    self.running.insert(*xid);
                }
            }
            self.xmax = xmax;
        }
    }

    /// Judges a snapshot. Those judged one after another rise by the step they were called at.
    pub(crate) fn judge(&mut self, record: &Record) -> Result<(), Wrong> {
        let called = record.called.max(self.journal.base_step);
        let returned = record.returned.max(called).min(self.journal.last_step());
        self.advance(called);
        let got = &record.listed;
        let wrong = |what, expected: String, got: String| {
            Err(Wrong { steps: (called, record.returned), what, expected, got })
        };
        if got.running.first().copied().unwrap_or(got.xmax) != record.xmin {
            return wrong("xmin is not the first running id", String::new(), printed(record.xmin));
        }
        if !got.running.is_sorted_by(|a, b| a < b)
            || got.running.last().is_some_and(|&last| last >= got.xmax)
        {
            return wrong(
                "the list does not rise below xmax",
                String::new(),
                difference(&[], &got.running).1,
            );
        }
        let highest = self.journal.xmax(returned).unwrap_or(self.xmax);
        if got.xmax < self.xmax || got.xmax > highest {
            let expected = format!("{} and {} at the return", printed(self.xmax), printed(highest));
            return wrong("xmax", expected, printed(got.xmax));
        }
        let mut differs = self.difference(got);
        let mut xmax = self.xmax;
        for step in called..=returned {
            if step > called {
                let changes;
                (changes, xmax) = self.journal.step(step);
                for xid in changes {
                    if !differs.remove(xid) {
                        differs.insert(*xid);
                    }
                }
            }
            if differs.is_empty() && xmax <= got.xmax {
                return Ok(());
            }
        }
        let expected: Vec<Xid> = self.running.iter().copied().collect();
        let (expected, got) = difference(&expected, &got.running);
        wrong("no state between call and return", expected, got)
    }

    /// Ids that count as running in one of the two only; the snapshot's xmax is not below ours.
    fn difference(&self, got: &Listed) -> BTreeSet<Xid> {
        let listed = |xid: &Xid| got.running.binary_search(xid).is_ok();
        let here = self.running.iter().copied().filter(|xid| !listed(xid));
        let above = (self.xmax.get()..got.xmax.get()).map(Xid::new).filter(|xid| !listed(xid));
        let there = got.running.iter().copied();
        let there = there.filter(|xid| *xid < self.xmax && !self.running.contains(xid));
        here.chain(above).chain(there).collect()
    }
}
