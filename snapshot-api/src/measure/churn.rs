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
/// One id in eight ends as soon as it has begun, so that latest completed keeps up and a snapshot lists all the others. These
/// end in the order in which they began, but for those that live long.
///
/// ```
/// use snapshot_api::{Xid, measure::{Churn, Distribution}};
///
/// let mut churn = Churn::new(Xid::FIRST_NORMAL, 1_000, 10, Distribution::Clustered);
/// churn.by_ref().take(5_000).for_each(drop);
/// let running: Vec<Xid> = churn.running().collect();
/// assert_eq!(running.len(), 10);
/// assert!((700..=1_000).contains(&(churn.next_id().get() - running[0].get())));
/// ```
#[derive(Clone, Debug)]
pub struct Churn {
    first: u64,
    next: u64,
    /// One of so many ids lives long. Here and below ids that end at once do not count.
    stride: u64,
    /// How long a long one lives beyond the others.
    age: u64,
    /// How many short ones run.
    cluster: u64,
}

/// How many long ones a clustered window holds.
const OLD: u64 = 4;
/// Of so many ids the last one ends at once.
const FLASH: u64 = 8;

impl Churn {
    /// A stream that begins with the id `first`. A window too small for so many running ids holds fewer.
    pub fn new(first: Xid, window: u64, running: u64, distribution: Distribution) -> Self {
        // What is left when those are taken out that end at once.
        let window = window.max(2 * FLASH) / FLASH * (FLASH - 1);
        let running = running.clamp(OLD + 2, window - OLD);
        let (stride, cluster) = match distribution {
            Distribution::Clustered => {
                let cluster = running - OLD;
                (((window - cluster) / OLD).max(1), cluster)
            }
            Distribution::Uniform => ((window / (running - 1)).max(1), 1),
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
        let begun = self.next - self.first;
        let lasting = begun - begun / FLASH;
        let short = lasting.saturating_sub(self.cluster);
        let eldest = short.saturating_sub(self.age).next_multiple_of(self.stride);
        let long = (eldest..short).step_by(self.stride as usize);
        long.chain(short..lasting).map(|place| self.id(place))
    }

    /// The id at this place among those that do not end at once.
    fn id(&self, place: u64) -> Xid {
        Xid::new(self.first + place + place / (FLASH - 1))
    }

    /// Ids that run at one time have sessions of their own: the one that ends at once the first, then short ones, then
    /// long ones.
    fn session(&self, place: u64) -> SessionId {
        // One of each kind more than run at once: one begins before another ends.
        let slot = if place.is_multiple_of(self.stride) {
            let at_once = (self.age + self.cluster).div_ceil(self.stride) + 1;
            2 + self.cluster + place / self.stride % at_once
        } else {
            1 + place % (self.cluster + 1)
        };
        SessionId::new(slot as u32)
    }
}

impl Iterator for Churn {
    type Item = Turn;

    fn next(&mut self) -> Option<Turn> {
        let rank = self.next - self.first;
        self.next += 1;
        if rank % FLASH == FLASH - 1 {
            let own = (SessionId::new(0), Xid::new(self.first + rank));
            return Some(Turn { begin: own, end: Some(own) });
        }
        let place = rank - rank / FLASH;
        // What leaves the cluster ends, unless it lives long: then the long one ends that left it an age ago.
        let ends = place.checked_sub(self.cluster).and_then(|leaves| {
            if leaves.is_multiple_of(self.stride) {
                leaves.checked_sub(self.age)
            } else {
                Some(leaves)
            }
        });
        let own = |place| (self.session(place), self.id(place));
        Some(Turn { begin: own(place), end: ends.map(own) })
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
                        let wanted = running.min(window / 8 * 7 - 4);
                        assert!(open.len() as u64 + wanted / 4 + 2 >= wanted, "{} run", open.len());
                    }
                }
                assert!(sessions.keys().all(|session| session.index() < 500));
            }
        }
    }
}
