//! A recorded history of ends and snapshots, and the judge that decides it.
//!
//! Every operation is stamped before its call and after its return by one shared clock. A snapshot's *ended set* is what
//! it says of every id that was ever begun. If the ended sets form a chain that respects the stamps, then there is one
//! order of all operations, each inside its own call, that explains every answer: the snapshots are each of one instant.

use std::{
    cmp::Ordering as Order,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::{Snapshot, Xid};

/// Gives every call and every return a place in one order.
#[derive(Debug, Default)]
pub(crate) struct Clock(AtomicU64);

impl Clock {
    /// The next stamp.
    pub(crate) fn stamp(&self) -> u64 {
        // SeqCst: a stamp taken after a return happens after one taken before it, on every thread.
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

/// A tree that was begun, and when it was ended.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) ids: Vec<Xid>,
    /// Stamps of call and return of `end`.
    pub(crate) end: Option<(u64, u64)>,
}

/// What one snapshot said.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) observer: usize,
    pub(crate) call: u64,
    pub(crate) back: u64,
    xmin: Xid,
    xmax: Xid,
    ended: Bits,
}

impl View {
    /// Asks `snapshot` for every id of `first .. first + count`.
    pub(crate) fn of(
        snapshot: &impl Snapshot,
        observer: usize,
        (call, back): (u64, u64),
        first: Xid,
        count: usize,
    ) -> View {
        let mut ended = Bits::new(count);
        for place in 0..count {
            if !snapshot.is_running(Xid::new(first.get() + place as u64)) {
                ended.set(place);
            }
        }
        View { observer, call, back, xmin: snapshot.xmin(), xmax: snapshot.xmax(), ended }
    }
}

/// Everything that happened to one instance that started with `first - 1` as latest completed and nothing running.
#[derive(Debug)]
pub(crate) struct History {
    pub(crate) first: Xid,
    pub(crate) trees: Vec<Tree>,
    pub(crate) views: Vec<View>,
}

impl History {
    fn place(&self, xid: Xid) -> usize {
        (xid.get() - self.first.get()) as usize
    }

    /// Law 1: each snapshot is of one instant between its call and its return.
    pub(crate) fn one_instant(&self) -> Result<(), String> {
        for view in &self.views {
            self.within_its_call(view)?;
            self.ends_in_order(view)?;
        }
        self.chain()?;
        self.later_snapshots_hold_more()
    }

    fn within_its_call(&self, view: &View) -> Result<(), String> {
        for tree in &self.trees {
            let (call, back) = tree.end.unwrap_or((u64::MAX, u64::MAX));
            for &xid in &tree.ids {
                let ended = view.ended.get(self.place(xid));
                if back < view.call && !ended {
                    return Err(format!(
                        "id {xid} had ended before the call, but runs in {}",
                        self.show(view)
                    ));
                }
                if call > view.back && ended {
                    return Err(format!(
                        "id {xid} had not ended at the return, but does not run in {}",
                        self.show(view)
                    ));
                }
            }
        }
        Ok(())
    }

    /// If one end returned before another was called, no snapshot holds the second without the first.
    fn ends_in_order(&self, view: &View) -> Result<(), String> {
        let ended = |tree: &&Tree| tree.ids.iter().any(|&xid| view.ended.get(self.place(xid)));
        let Some(last) =
            self.trees.iter().filter(ended).max_by_key(|tree| tree.end.map(|end| end.0))
        else {
            return Ok(());
        };
        let last_call = last.end.map_or(0, |end| end.0);
        for tree in &self.trees {
            if tree.end.is_some_and(|(_, back)| back < last_call) && !ended(&tree) {
                return Err(format!(
                    "{:?} ended before the end of {:?} began, but only the latter has ended in {}",
                    tree.ids,
                    last.ids,
                    self.show(view)
                ));
            }
        }
        Ok(())
    }

    fn chain(&self) -> Result<(), String> {
        let mut order: Vec<&View> = self.views.iter().collect();
        order.sort_by_key(|view| view.ended.count());
        for pair in order.windows(2) {
            if !pair[0].ended.within(&pair[1].ended) {
                return Err(format!(
                    "no order explains two snapshots, each holds an end that the other lacks: {} and {}",
                    self.show(pair[0]),
                    self.show(pair[1])
                ));
            }
        }
        Ok(())
    }

    fn later_snapshots_hold_more(&self) -> Result<(), String> {
        let mut by_call: Vec<&View> = self.views.iter().collect();
        by_call.sort_by_key(|view| view.call);
        let mut by_return = by_call.clone();
        by_return.sort_by_key(|view| view.back);
        let (mut returned, mut fullest): (usize, Option<&View>) = (0, None);
        for view in by_call {
            while returned < by_return.len() && by_return[returned].back < view.call {
                let candidate = by_return[returned];
                if fullest.is_none_or(|most| most.ended.count() < candidate.ended.count()) {
                    fullest = Some(candidate);
                }
                returned += 1;
            }
            if let Some(earlier) =
                fullest.filter(|earlier| earlier.ended.count() > view.ended.count())
            {
                return Err(format!(
                    "a snapshot lacks what one that had returned before its call held: {} and then {}",
                    self.show(earlier),
                    self.show(view)
                ));
            }
        }
        Ok(())
    }

    /// Law 2: of one tree all or none.
    pub(crate) fn whole_trees(&self) -> Result<(), String> {
        for view in &self.views {
            for tree in &self.trees {
                let ended = tree.ids.iter().filter(|&&xid| view.ended.get(self.place(xid))).count();
                if ended != 0 && ended != tree.ids.len() {
                    return Err(format!(
                        "half of the tree {:?} has ended in {}",
                        tree.ids,
                        self.show(view)
                    ));
                }
            }
        }
        Ok(())
    }

    /// Law 3: latest completed + 1 of the same instant, or up to that at the return.
    pub(crate) fn xmax(&self) -> Result<(), String> {
        for view in &self.views {
            let own =
                self.highest(|tree| tree.ids.iter().any(|&xid| view.ended.get(self.place(xid))));
            let at_return = self.highest(|tree| tree.end.is_some_and(|(call, _)| call < view.back));
            let alone = !self.trees.iter().any(|tree| {
                tree.end.is_some_and(|(call, back)| call < view.back && back > view.call)
            });
            let limit = if alone { own } else { at_return };
            if view.xmax < own || view.xmax > limit {
                return Err(format!(
                    "xmax is {}, latest completed + 1 of its instant is {own}, at its return {at_return}: {}",
                    view.xmax,
                    self.show(view)
                ));
            }
        }
        Ok(())
    }

    /// The id after the highest one of the trees chosen; the first id where there is none.
    fn highest(&self, chosen: impl Fn(&Tree) -> bool) -> Xid {
        let trees = self.trees.iter().filter(|tree| chosen(tree));
        trees.flat_map(|tree| &tree.ids).max().map_or(self.first, |xid| xid.next())
    }

    /// Law 5: what one thread saw ended never runs again for it, and its bounds never go back.
    pub(crate) fn monotone_per_observer(&self) -> Result<(), String> {
        let observers =
            self.views.iter().map(|view| view.observer).max().map_or(0, |most| most + 1);
        for observer in 0..observers {
            let mut own: Vec<&View> =
                self.views.iter().filter(|view| view.observer == observer).collect();
            own.sort_by_key(|view| view.call);
            for pair in own.windows(2) {
                let (earlier, later) = (pair[0], pair[1]);
                let what = if !earlier.ended.within(&later.ended) {
                    "an id that had ended runs again"
                } else if later.xmin.cmp(&earlier.xmin) == Order::Less {
                    "xmin goes back"
                } else if later.xmax.cmp(&earlier.xmax) == Order::Less {
                    "xmax goes back"
                } else {
                    continue;
                };
                return Err(format!(
                    "{what} for one thread: {} and then {}",
                    self.show(earlier),
                    self.show(later)
                ));
            }
        }
        Ok(())
    }

    fn show(&self, view: &View) -> String {
        let running: Vec<Xid> = self
            .trees
            .iter()
            .flat_map(|tree| &tree.ids)
            .copied()
            .filter(|&xid| xid < view.xmax && !view.ended.get(self.place(xid)))
            .collect();
        format!(
            "[thread {}, stamps {}..{}, xmin {}, xmax {}, running {running:?}]",
            view.observer, view.call, view.back, view.xmin, view.xmax
        )
    }
}

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Bits {
    words: Vec<u64>,
    count: usize,
}

impl Bits {
    fn new(len: usize) -> Self {
        Bits { words: vec![0; len.div_ceil(64)], count: 0 }
    }

    /// Puts in a number that is not in yet.
    fn set(&mut self, place: usize) {
        self.words[place / 64] |= 1 << (place % 64);
        self.count += 1;
    }

    fn get(&self, place: usize) -> bool {
        self.words[place / 64] >> (place % 64) & 1 == 1
    }

    fn count(&self) -> usize {
        self.count
    }

    fn within(&self, other: &Bits) -> bool {
        self.words.iter().zip(&other.words).all(|(own, other)| own & !other == 0)
    }
}
