//! [`Churn`]: transactions that come and go while the number running and their spread stay the same.

use std::fmt;

use crate::{SessionId, Xid};

/// How the running ids lie in the window.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Distribution {
    /// A few old ids, all the others among the newest: one long transaction beside many short ones, the case of the
    /// reports from standbys. Of `running` ids four or five are old, a quarter of the window apart.
    Clustered,
    /// Evenly spread over the window.
    Uniform,
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Distribution::Clustered => "clustered",
            Distribution::Uniform => "uniform",
        })
    }
}

/// One transaction begins; one ends, if there are enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// What begins, and in which session.
    pub begin: (SessionId, Xid),
    /// What ends, and in which session.
    pub end: Option<(SessionId, Xid)>,
}

/// An endless stream of [`Turn`]s. After `window` of them `running` ids run, and so it stays.
///
/// ```
/// use snapshot_api::{Xid, dev::bench::{Churn, Distribution}};
///
/// let mut churn = Churn::new(Xid::FIRST_NORMAL, 1_000, 10, Distribution::Clustered);
/// let last = churn.by_ref().take(5_000).last().unwrap();
/// let running: Vec<Xid> = churn.running().collect();
/// assert_eq!(running.len(), 10);
/// assert!((700..=1_000).contains(&(last.begin.1.get() - running[0].get())));
/// ```
#[derive(Clone, Debug)]
pub struct Churn {
    first: u64,
    next: u64,
    /// One id in so many lives long.
    stride: u64,
    /// How long a long one lives, in ids.
    age: u64,
    /// How long a short one lives, in ids.
    cluster: u64,
}

/// How many long ones a clustered window holds.
const OLD: u64 = 4;

impl Churn {
    /// A stream that begins with the id `first`. `window` is rounded down to a multiple of what it needs, and a window
    /// that cannot hold so many running ids holds fewer.
    pub fn new(first: Xid, window: u64, running: u64, distribution: Distribution) -> Self {
        let window = window.max(16);
        let running = running.clamp(OLD + 2, window / 8 * 7);
        let (stride, cluster) = match distribution {
            Distribution::Clustered => {
                let cluster = running - OLD;
                ((window - cluster).div_ceil(OLD), cluster)
            }
            Distribution::Uniform => (window / (running - 1), 1),
        };
        // As many strides as fit: a long one ends when it has left the cluster by so much.
        let age = ((window - cluster) / stride).max(1) * stride;
        Churn { first: first.get(), next: first.get(), stride, age, cluster }
    }

    /// The id that begins next.
    pub fn next_id(&self) -> Xid {
        Xid::new(self.next)
    }

    /// The ids that run after the turns so far, in rising order.
    pub fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        let newest = self.next.saturating_sub(self.cluster).max(self.first);
        let oldest = newest.saturating_sub(self.age).max(self.first);
        let eldest = self.first + (oldest - self.first).next_multiple_of(self.stride);
        let long = (eldest..newest).step_by(self.stride as usize);
        long.chain(newest..self.next).map(Xid::new)
    }

    fn lives_long(&self, id: u64) -> bool {
        (id - self.first).is_multiple_of(self.stride)
    }

    /// Ids that run at one time have sessions of their own: short ones live in the first few, long ones behind them.
    fn session(&self, id: u64) -> SessionId {
        let rank = id - self.first;
        let slot = if self.lives_long(id) {
            // One more than run at once, since an old one ends after its successor has left the cluster.
            self.cluster
                + 1
                + rank / self.stride
                    % (self.age / self.stride + self.cluster.div_ceil(self.stride) + 1)
        } else {
            rank % (self.cluster + 1)
        };
        SessionId::new(slot as u32)
    }
}

impl Iterator for Churn {
    type Item = Turn;

    fn next(&mut self) -> Option<Turn> {
        let id = self.next;
        self.next += 1;
        // What leaves the cluster ends, unless it lives long: then the long one ends that left it an age ago.
        let leaves = id.checked_sub(self.cluster).filter(|&leaves| leaves >= self.first);
        let ends = leaves.and_then(|leaves| {
            if self.lives_long(leaves) {
                leaves.checked_sub(self.age).filter(|&old| old >= self.first)
            } else {
                Some(leaves)
            }
        });
        Some(Turn {
            begin: (self.session(id), Xid::new(id)),
            end: ends.map(|id| (self.session(id), Xid::new(id))),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn the_window_and_the_number_running_stay() {
        for distribution in [Distribution::Clustered, Distribution::Uniform] {
            for (window, running) in [(256, 200), (1_000, 8), (10_000, 200), (64, 40)] {
                let mut churn = Churn::new(Xid::new(100), window, running, distribution);
                let mut open = BTreeSet::new();
                let mut sessions = BTreeMap::new();
                for turn in 0..window * 4 {
                    let Turn { begin, end } = churn.next().expect("endless");
                    assert!(open.insert(begin.1));
                    assert_eq!(
                        sessions.insert(begin.0, begin.1),
                        None,
                        "one id a session at a time"
                    );
                    if let Some((session, xid)) = end {
                        assert!(open.remove(&xid), "{xid} runs");
                        assert_eq!(sessions.remove(&session), Some(xid));
                    }
                    assert!(
                        churn.running().eq(open.iter().copied()),
                        "{distribution} {window} {running}"
                    );
                    if turn > window * 2 {
                        let span = begin.1.get() - open.first().expect("some run").get();
                        assert!(span <= window && span >= window / 2, "span {span} of {window}");
                        let wanted = running.min(window / 8 * 7);
                        assert!(open.len() as u64 + wanted / 4 + 2 >= wanted, "{} run", open.len());
                    }
                }
                assert!(sessions.keys().all(|session| session.index() < 500));
            }
        }
    }
}
