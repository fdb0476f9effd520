//! By name and by type, each strategy gives the same answers.

use fastrand::Rng;
use snapshot_api::{
    BoxedStrategy, BoxedThreshold, Restore, SessionId, Snapshot, SnapshotStrategy, Threshold,
    ThresholdStrategy, Timestamp, Xid,
};

use crate::registry::{
    SnapshotVisitor, THRESHOLDS, ThresholdVisitor, catalogue, snapshots, visit_snapshot,
    visit_threshold,
};

const TURNS: usize = 400;
const SESSIONS: u64 = 8;
const LATEST: Xid = Xid::new(99);
const RUNNING: [Xid; 2] = [Xid::new(90), Xid::new(97)];

struct SameHistory(BoxedStrategy);

impl SnapshotVisitor for SameHistory {
    type Output = usize;

    /// Plays one random history on both; how many different snapshots were seen.
    fn visit<S: Restore + 'static>(self, config: S::Config, _standby: bool) -> usize {
        let typed = S::restore(&config, LATEST, &RUNNING).expect("two ids run");
        let boxed = self.0;
        assert_eq!(typed.facts(), boxed.facts());
        let (mut one, mut other) = (typed.snapshot(), boxed.snapshot());
        let mut random = Rng::with_seed(7);
        let mut trees = vec![Vec::new(); SESSIONS as usize];
        trees[0] = RUNNING.to_vec();
        let (mut next, mut seen) = (LATEST.next(), Vec::new());
        for _ in 0..TURNS {
            let at = random.u64(..SESSIONS);
            let (session, tree) = (SessionId::new(at as u32), &mut trees[at as usize]);
            if tree.len() < 3 && random.bool() {
                assert_eq!(typed.begin(session, next), Ok(()));
                assert_eq!(boxed.begin(session, next), Ok(()));
                tree.push(next);
                next = next.next();
            } else {
                typed.end(session, tree);
                boxed.end(session, tree);
                tree.clear();
            }
            typed.take(&mut one);
            boxed.take(&mut other);
            let (right, found) = (content(&one), content(&other));
            assert_eq!(found, right, "{}", typed.facts().name);
            for xid in (80..next.get() + 3).map(Xid::new) {
                assert_eq!(other.is_running(xid), one.is_running(xid), "{xid}");
            }
            seen.push(right);
        }
        seen.dedup();
        seen.len()
    }
}

fn content(snapshot: &impl Snapshot) -> (Xid, Xid, Vec<Xid>) {
    (snapshot.xmin(), snapshot.xmax(), snapshot.running().collect())
}

#[test]
fn every_snapshot_strategy_by_its_name() {
    let catalogue = catalogue();
    assert!(catalogue.strategies().eq(snapshots()));
    for name in snapshots() {
        let boxed = catalogue.strategy(name, LATEST, &RUNNING).expect("offered");
        let states = visit_snapshot(name, SameHistory(boxed)).expect("its own name");
        assert!(states > TURNS / 4, "{name}: {states} states");
    }
}

struct SameAdvances(BoxedThreshold);

impl ThresholdVisitor for SameAdvances {
    type Output = ();

    fn visit<T: ThresholdStrategy + 'static>(self, new: fn() -> T) {
        let (typed, boxed) = (new(), self.0);
        assert_eq!(typed.facts(), boxed.facts());
        let mut random = Rng::with_seed(7);
        for _ in 0..TURNS {
            let (timestamp, xid) = (random.u64(..1_000), random.u64(..1_000));
            let to = Threshold { timestamp: Timestamp::from_micros(timestamp), xid: Xid::new(xid) };
            typed.advance(to);
            boxed.advance(to);
            assert_eq!(boxed.load(), typed.load());
            assert_eq!(boxed.timestamp(), typed.timestamp());
        }
    }
}

#[test]
fn every_threshold_strategy_by_its_name() {
    let catalogue = catalogue();
    assert!(catalogue.thresholds().eq(THRESHOLDS.iter().copied()));
    for name in THRESHOLDS {
        let boxed = catalogue.threshold(name).expect("offered");
        visit_threshold(name, SameAdvances(boxed)).expect("its own name");
    }
}
