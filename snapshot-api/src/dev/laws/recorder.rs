//! Makes histories: by threads that run freely, and by puppets in every interleaving of two or three operations.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use super::{
    SESSIONS, START, fresh,
    history::{Clock, History, Tree, View},
    puppet::{Puppet, Random, State, Stop, with_random_yields},
    scale,
};
use crate::{Assigner, Restore, SessionId, SnapshotStrategy, Xid};

/// One instance and everything that happens to it.
pub(crate) struct Recorder<S: SnapshotStrategy> {
    pub(crate) subject: S,
    clock: Clock,
    count: usize,
    trees: Mutex<Vec<Tree>>,
    views: Mutex<Vec<View>>,
}

impl<S: Restore> Recorder<S> {
    /// A fresh instance, for a history of at most `count` ids.
    pub(crate) fn new(config: &S::Config, count: usize) -> Self {
        Recorder {
            subject: fresh(config),
            clock: Clock::default(),
            count,
            trees: Mutex::default(),
            views: Mutex::default(),
        }
    }

    /// Ends a tree and writes it down.
    pub(crate) fn end(&self, session: SessionId, ids: &[Xid]) {
        let call = self.clock.stamp();
        self.subject.end(session, ids);
        let end = Some((call, self.clock.stamp()));
        self.trees
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Tree { ids: ids.to_vec(), end });
    }

    /// Writes down a tree that never ended.
    pub(crate) fn left_running(&self, ids: &[Xid]) {
        self.trees
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Tree { ids: ids.to_vec(), end: None });
    }

    /// Takes into `value` and writes down what it says.
    pub(crate) fn take(&self, observer: usize, value: &mut S::Snapshot) {
        let call = self.clock.stamp();
        self.subject.take(value);
        let back = self.clock.stamp();
        let view = View::of(value, observer, (call, back), START, self.count);
        self.views.lock().unwrap_or_else(PoisonError::into_inner).push(view);
    }

    /// The whole history.
    pub(crate) fn finish(self) -> History {
        History {
            first: START,
            trees: self.trees.into_inner().unwrap_or_else(PoisonError::into_inner),
            views: self.views.into_inner().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

/// Histories of two ending threads and two reading ones that run freely, each decided by `judge`.
pub(crate) fn free_running<S: Restore>(config: &S::Config, mut judge: impl FnMut(&History)) {
    const ENDERS: u32 = 2;
    const TREES: usize = 60;
    const LARGEST_TREE: usize = 3;
    const VIEWS: usize = 1_000;
    for round in 0..scale(12) as u64 {
        let recorder = Recorder::<S>::new(config, ENDERS as usize * TREES * LARGEST_TREE);
        let assigner = Assigner::new(START);
        let ending = AtomicUsize::new(ENDERS as usize);
        thread::scope(|scope| {
            for ender in 0..ENDERS {
                let (recorder, assigner, ending) = (&recorder, &assigner, &ending);
                scope.spawn(move || {
                    let _over = Countdown(ending);
                    with_random_yields(round * 8 + u64::from(ender), || {
                        end_trees(recorder, assigner, ender, TREES, LARGEST_TREE, round);
                    });
                });
            }
            for reader in 0..2_usize {
                let (recorder, ending) = (&recorder, &ending);
                scope.spawn(move || {
                    with_random_yields(round * 8 + 4 + reader as u64, || {
                        let mut values = [recorder.subject.snapshot(), recorder.subject.snapshot()];
                        for turn in 0..VIEWS {
                            // Acquire: pairs with the countdown, so that the last view sees the last end.
                            let last = ending.load(Ordering::Acquire) == 0;
                            recorder.take(reader, &mut values[turn % 2]);
                            if last {
                                break;
                            }
                        }
                    });
                });
            }
        });
        judge(&recorder.finish());
    }
}

/// Counts down when it goes, also by a panic: nobody waits for a thread that is gone.
struct Countdown<'a>(&'a AtomicUsize);

impl Drop for Countdown<'_> {
    fn drop(&mut self) {
        // Release: pairs with the readers' Acquire load.
        self.0.fetch_sub(1, Ordering::Release);
    }
}

/// Begins `trees` trees in some sessions and ends them in another order.
fn end_trees<S: Restore>(
    recorder: &Recorder<S>,
    assigner: &Assigner,
    ender: u32,
    trees: usize,
    largest: usize,
    seed: u64,
) {
    let mut random = Random::new(seed * 31 + u64::from(ender) + 1);
    let own = SESSIONS / 2;
    let mut open: Vec<(SessionId, Vec<Xid>)> = Vec::new();
    for _ in 0..trees {
        if open.len() == own as usize {
            let (session, ids) = open.swap_remove(random.below(open.len() as u64) as usize);
            recorder.end(session, &ids);
        }
        let taken = |slot: &u32| open.iter().any(|(session, _)| session.index() == *slot as usize);
        let free = (ender * own..(ender + 1) * own).find(|slot| !taken(slot));
        let session = SessionId::new(free.unwrap_or(ender * own));
        let size = 1 + random.below(largest as u64) as usize;
        let assign = |_| assigner.assign(&recorder.subject, session);
        match (0..size).map(assign).collect::<Result<Vec<Xid>, _>>() {
            Ok(ids) => open.push((session, ids)),
            Err(refused) => panic!("{size} more ids beside {} open trees: {refused}", open.len()),
        }
    }
    while open.len() > 3 {
        let (session, ids) = open.swap_remove(random.below(open.len() as u64) as usize);
        recorder.end(session, &ids);
    }
    for (_, ids) in open {
        recorder.left_running(&ids);
    }
}

/// How many ids run at the start of each small history.
const RUNNING: u64 = 10;
/// How many ids a small history knows of: those, and what its operations begin.
const KNOWN: usize = RUNNING as usize + 4;
/// A puppet that still has not come to its end after so many steps does not end at all.
const DEEPEST: usize = 2_000;

fn xid(place: u64) -> Xid {
    Xid::new(START.get() + place)
}

/// The operations that small histories are made of. Each is one thread's.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Two snapshots into two values.
    Take,
    /// Ends these places one after another, each a tree of its own.
    Ends(&'static [u64]),
    /// Ends one tree.
    Tree(&'static [u64]),
    /// Begins the next id.
    Begin,
    /// Begins the next id and ends it.
    BeginEnd,
    /// Begins two and ends the later one: the earlier runs below xmax.
    BeginTwoEndOne,
}

impl Act {
    fn run<S: Restore>(self, recorder: &Recorder<S>, observer: usize) {
        // A value used before, so that what it held could be mistaken for current.
        let mut values = [recorder.subject.snapshot(), recorder.subject.snapshot()];
        match self {
            Act::Take => {
                recorder.take(observer, &mut values[0]);
                recorder.take(observer, &mut values[1]);
                recorder.take(observer, &mut values[0]);
            }
            Act::Ends(places) => {
                for &place in places {
                    recorder.end(SessionId::new(place as u32), &[xid(place)]);
                }
            }
            Act::Tree(places) => {
                let ids: Vec<Xid> = places.iter().map(|&place| xid(place)).collect();
                recorder.end(SessionId::new(places[0] as u32), &ids);
            }
            Act::Begin => {
                let refused =
                    recorder.subject.begin(SessionId::new(RUNNING as u32), xid(RUNNING)).err();
                assert_eq!(refused, None, "the next id in a session of its own");
                recorder.left_running(&[xid(RUNNING)]);
            }
            Act::BeginEnd => {
                let session = SessionId::new(RUNNING as u32);
                let refused = recorder.subject.begin(session, xid(RUNNING)).err();
                assert_eq!(refused, None, "the next id in a session of its own");
                recorder.end(session, &[xid(RUNNING)]);
            }
            Act::BeginTwoEndOne => {
                for place in [RUNNING, RUNNING + 1] {
                    let refused =
                        recorder.subject.begin(SessionId::new(place as u32), xid(place)).err();
                    assert_eq!(refused, None, "the next id in a session of its own");
                }
                recorder.left_running(&[xid(RUNNING)]);
                recorder.end(SessionId::new(RUNNING as u32 + 1), &[xid(RUNNING + 1)]);
            }
        }
    }

    fn places(self) -> &'static [u64] {
        match self {
            Act::Ends(places) | Act::Tree(places) => places,
            Act::Take | Act::Begin | Act::BeginEnd | Act::BeginTwoEndOne => &[],
        }
    }
}

/// Pairs of operations; the first is stopped at every step in turn while the second runs.
const PAIRS: &[(Act, Act)] = &[
    (Act::Take, Act::Ends(&[1, 6])),
    (Act::Take, Act::Ends(&[6, 1])),
    (Act::Take, Act::Ends(&[9, 0])),
    (Act::Take, Act::Tree(&[1, 4, 6])),
    (Act::Take, Act::Tree(&[8, 2, 0])),
    (Act::Take, Act::BeginEnd),
    (Act::Take, Act::BeginTwoEndOne),
    (Act::Take, Act::Take),
    (Act::Ends(&[5]), Act::Take),
    (Act::Ends(&[9]), Act::Take),
    (Act::Ends(&[2, 7]), Act::Take),
    (Act::Tree(&[1, 4, 6]), Act::Take),
    (Act::Tree(&[9, 3, 0]), Act::Take),
    (Act::Begin, Act::Take),
    (Act::Begin, Act::Ends(&[9, 3])),
    (Act::Ends(&[4]), Act::Ends(&[8, 1])),
    (Act::Ends(&[9]), Act::BeginEnd),
];

/// Triples: the first two are stopped at every pair of steps in turn while the third runs; then the first goes on
/// before the second.
const TRIPLES: &[(Act, Act, Act)] = &[
    (Act::Take, Act::Ends(&[1]), Act::Take),
    (Act::Ends(&[1]), Act::Take, Act::Take),
    (Act::Take, Act::Ends(&[6]), Act::Ends(&[1])),
    (Act::Ends(&[6]), Act::Ends(&[1]), Act::Take),
    (Act::Take, Act::Tree(&[8, 2]), Act::Take),
];

/// Every interleaving in which up to two of the operations above stop once, each decided by `judge`. None in a release
/// build, where threads have no steps.
pub(crate) fn every_interleaving<S: Restore>(config: &S::Config, mut judge: impl FnMut(&History)) {
    for &(first, second) in PAIRS {
        for at in 0..DEEPEST {
            let recorder = small_history::<S>(config);
            let over = thread::scope(|scope| {
                let one = Puppet::start(scope, Stop::At(at), || first.run(&recorder, 0));
                let over = one.state() == State::Done;
                let two = Puppet::start(scope, Stop::Never, || second.run(&recorder, 1));
                one.finish();
                two.finish();
                over
            });
            judge(&conclude(recorder, &[first, second]));
            if over {
                break;
            }
        }
    }
    for &(first, second, third) in TRIPLES {
        for at in 0..DEEPEST {
            let mut first_over = false;
            for then_at in 0..DEEPEST {
                let recorder = small_history::<S>(config);
                let second_over = thread::scope(|scope| {
                    let mut one = Puppet::start(scope, Stop::At(at), || first.run(&recorder, 0));
                    first_over = one.state() == State::Done;
                    let mut two =
                        Puppet::start(scope, Stop::At(then_at), || second.run(&recorder, 1));
                    // One that waits for the first has no steps to stop at.
                    let over = two.state() != State::Stalled;
                    let three = Puppet::start(scope, Stop::Never, || third.run(&recorder, 2));
                    one.release();
                    // What the first has left behind is met before the second goes on, if possible by whom has met
                    // what was there before.
                    let observer = if three.state() == State::Done { 2 } else { 3 };
                    let (recorder, again) = (&recorder, Act::Take);
                    let four =
                        Puppet::start(scope, Stop::Never, move || again.run(recorder, observer));
                    two.release();
                    one.finish();
                    two.finish();
                    three.finish();
                    four.finish();
                    over
                });
                judge(&conclude(recorder, &[first, second, third]));
                if second_over {
                    break;
                }
            }
            if first_over {
                break;
            }
        }
    }
}

/// An instance with the first ids begun, each in a session of its own.
fn small_history<S: Restore>(config: &S::Config) -> Recorder<S> {
    let recorder = Recorder::<S>::new(config, KNOWN);
    for place in 0..RUNNING {
        let refused = recorder.subject.begin(SessionId::new(place as u32), xid(place)).err();
        assert_eq!(refused, None, "ids in order, each in a session of its own");
    }
    recorder
}

/// One more look when everything is quiet, and the ids that nobody ended.
fn conclude<S: Restore>(recorder: Recorder<S>, acts: &[Act]) -> History {
    recorder.take(4, &mut recorder.subject.snapshot());
    let left = (0..RUNNING).filter(|place| !acts.iter().any(|act| act.places().contains(place)));
    let left: Vec<[Xid; 1]> = left.map(|place| [xid(place)]).collect();
    for ids in &left {
        recorder.left_running(ids);
    }
    recorder.finish()
}
