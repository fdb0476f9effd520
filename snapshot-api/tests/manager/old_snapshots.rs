//! Old snapshots: nobody reads by a snapshot whose rows may be gone without being told.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use proptest::prelude::*;
use snapshot_api::{
    ManagerOptions, ManualClock, OldSnapshotPolicy, Snapshot, TransactionManager, Xid,
    dev::models::{LockedSet, LockedThreshold},
};

type Manager = TransactionManager<LockedSet, LockedThreshold>;

fn aging(policy: OldSnapshotPolicy) -> (Manager, ManualClock) {
    let clock = ManualClock::default();
    let options = ManagerOptions::new().clock(clock.clone()).old_snapshots(policy);
    let threshold = LockedThreshold::default();
    let manager = Manager::restore(&(), Xid::FROZEN, &[], threshold, options);
    (manager.expect("an empty state"), clock)
}

const SECOND: Duration = Duration::from_secs(1);

fn by_age(seconds: u32) -> OldSnapshotPolicy {
    OldSnapshotPolicy { max_age: Some(SECOND * seconds), max_gap: None }
}

fn by_gap(transactions: u64) -> OldSnapshotPolicy {
    OldSnapshotPolicy { max_age: None, max_gap: Some(transactions) }
}

#[test]
fn by_gap_in_transactions() {
    let (manager, clock) = aging(by_gap(100));
    let (mut reader, mut writer) =
        (manager.session().expect("one"), manager.session().expect("two"));
    let mut read = reader.begin();
    read.snapshot();
    let mut write = |times: u64| {
        for _ in 0..times {
            writer.begin().id().expect("no limit");
            clock.advance(Duration::from_micros(1));
            manager.tick();
        }
    };
    write(99);
    assert!(read.snapshot().check().is_ok(), "not yet");
    assert_eq!(manager.prune_horizon().get(), 3);
    write(3);
    let too_old = read.snapshot().check().expect_err("102 ids were handed out since");
    assert_eq!((too_old.transactions, too_old.limit), (102, by_gap(100)));
    assert!(manager.prune_horizon() > manager.horizon());
    read.new_snapshot().check().expect("a new one is young");
}

#[test]
fn by_age_in_time() {
    let (manager, clock) = aging(by_age(60));
    let (mut reader, mut writer) =
        (manager.session().expect("one"), manager.session().expect("two"));
    clock.advance(SECOND);
    manager.tick();
    let mut read = reader.begin();
    read.snapshot();
    clock.advance(SECOND);
    writer.begin().id().expect("no limit");
    manager.tick();
    clock.advance(SECOND * 59);
    manager.tick();
    assert!(read.snapshot().check().is_ok(), "of the moment that is 60 seconds old, or later");
    clock.advance(SECOND);
    manager.tick();
    let too_old = read.snapshot().check().expect_err("61 seconds old");
    assert_eq!((too_old.age, too_old.transactions), (SECOND * 61, 1));
    assert_eq!((manager.horizon().get(), manager.prune_horizon().get()), (3, 4));
}

#[test]
fn without_a_limit_nobody_is_too_old() {
    let (manager, clock) = aging(OldSnapshotPolicy::default());
    let mut session = manager.session().expect("one");
    let mut read = session.begin();
    read.snapshot();
    for _ in 0..1_000 {
        clock.advance(SECOND * 3_600);
        manager.tick();
    }
    assert!(read.snapshot().check().is_ok());
}

#[test]
fn a_clock_that_stands_still_or_goes_back_ages_nobody() {
    #[derive(Clone)]
    struct Unsteady(std::sync::Arc<AtomicU64>);
    impl snapshot_api::Clock for Unsteady {
        fn now(&self) -> snapshot_api::Timestamp {
            snapshot_api::Timestamp::from_micros(self.0.load(Ordering::Relaxed))
        }
    }
    let clock = Unsteady(std::sync::Arc::new(AtomicU64::new(5_000_000)));
    let policy = OldSnapshotPolicy { max_age: Some(Duration::ZERO), max_gap: None };
    let options = ManagerOptions::new().clock(clock.clone()).old_snapshots(policy);
    let manager = Manager::restore(&(), Xid::FROZEN, &[], LockedThreshold::default(), options)
        .expect("an empty state");
    manager.tick();
    let mut session = manager.session().expect("one");
    let mut read = session.begin();
    read.snapshot();
    for micros in [5_000_000, 1_000_000, 0] {
        clock.0.store(micros, Ordering::Relaxed);
        manager.tick();
        assert!(read.snapshot().check().is_ok());
    }
    clock.0.store(5_000_001, Ordering::Relaxed);
    manager.tick();
    let too_old = read.snapshot().check().expect_err("its limit is zero");
    assert_eq!(too_old.age, Duration::from_micros(1));
}

/// A second tick at the same time says nothing new: snapshots of that time are older than it.
#[test]
fn one_time_is_one_moment() {
    let (manager, clock) = aging(by_age(0));
    let (mut reader, mut writer) =
        (manager.session().expect("one"), manager.session().expect("two"));
    clock.advance(SECOND);
    manager.tick();
    let mut read = reader.begin();
    let xmin = read.snapshot().xmin();
    writer.begin().id().expect("no limit");
    manager.tick();
    assert!(read.snapshot().check().is_ok());
    assert_eq!(manager.prune_horizon(), xmin, "its rows stay");
}

/// A snapshot that is kept, when it was taken, and the rows that it needs.
struct Kept {
    snapshot: snapshot_api::SharedSnapshot<LockedSet, LockedThreshold>,
    micros: u64,
    next: u64,
}

#[derive(Clone, Debug)]
enum Step {
    Tick(u32),
    Write,
    Open,
    Close(usize),
    Take,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_u32..400_000).prop_map(Step::Tick),
        4 => Just(Step::Write),
        1 => Just(Step::Open),
        1 => (0_usize..4).prop_map(Step::Close),
        2 => Just(Step::Take),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whoever may have lost rows is told, whoever is younger than the limit is not, and old ones do not last.
    #[test]
    fn told_if_and_only_if(
        script in prop::collection::vec(step(), 1..200),
        max_age in prop::option::of(0_u64..3_000_000),
        max_gap in prop::option::of(0_u64..40),
    ) {
        let policy = OldSnapshotPolicy { max_age: max_age.map(Duration::from_micros), max_gap };
        let (manager, clock) = aging(policy);
        let mut sessions: Vec<_> = (0..5).map(|_| manager.session().expect("a place")).collect();
        let (readers, others) = sessions.split_at_mut(1);
        let (writers, last) = others.split_at_mut(3);
        let writer = &mut last[0];
        let mut open: Vec<_> = Vec::new();
        let mut free: Vec<_> = writers.iter_mut().collect();
        let mut kept: Vec<Kept> = Vec::new();
        let (mut now, mut ticked) = (0_u64, 0_u64);
        for step in script {
            match step {
                Step::Tick(micros) => {
                    clock.advance(Duration::from_micros(micros.into()));
                    now += u64::from(micros);
                    ticked = now;
                    manager.tick();
                }
                Step::Write => {
                    let mut write = writer.begin();
                    write.id().expect("no limit");
                    write.commit();
                }
                Step::Open => if let Some(session) = free.pop() {
                    let mut transaction = session.begin();
                    transaction.id().expect("no limit");
                    open.push(transaction);
                },
                Step::Close(at) if !open.is_empty() => {
                    // Its session is not used again: one transaction each is enough.
                    let at = at % open.len();
                    open.remove(at).commit();
                }
                Step::Close(_) => {}
                Step::Take => {
                    let snapshot = readers[0].begin().share();
                    kept.push(Kept { snapshot, micros: ticked, next: manager.next_id().get() });
                }
            }
            let gone_below = manager.prune_horizon();
            for Kept { snapshot, micros, next } in &kept {
                let told = snapshot.check();
                prop_assert!(told.is_err() || snapshot.xmin() >= gone_below,
                    "rows from {} on may be gone, it needs those from {}", gone_below, snapshot.xmin());
                let past = max_age.is_some_and(|age| ticked - micros >= age)
                    || max_gap.is_some_and(|gap| manager.next_id().get() - next >= gap);
                prop_assert!(told.is_ok() || past, "told too early: {told:?}");
            }
        }
    }
}

/// The same with everything at once: pages are read, then the snapshot is checked, while rows are removed.
#[test]
fn no_reader_uses_a_page_that_was_pruned_under_it() {
    /// At least so many, and until so many readers were too old; not for ever.
    const ROUNDS: u64 = 3_000;
    const TOLD: u64 = 100;
    const MOST: u64 = 3_000_000;
    let (manager, clock) = aging(by_gap(3));
    // The one row: versions as (writer, successor), the last one without one.
    let page: Mutex<Vec<(Xid, Option<Xid>)>> = Mutex::new(vec![(Xid::FROZEN, None)]);
    let (over, told) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        let (manager, page, over, told, clock) = (&manager, &page, &over, &told, &clock);
        scope.spawn(move || {
            let mut session = manager.session().expect("a place");
            for round in 0..MOST {
                if round >= ROUNDS && told.load(Ordering::Relaxed) >= TOLD {
                    break;
                }
                let mut write = session.begin();
                let id = write.id().expect("no limit");
                {
                    let mut page = page.lock().expect("no panic");
                    page.last_mut().expect("never empty").1 = Some(id);
                    page.push((id, None));
                }
                write.commit();
                clock.advance(Duration::from_micros(1));
                manager.tick();
                let gone_below = manager.prune_horizon();
                let kept = |&(_, next): &(Xid, Option<Xid>)| next.is_none_or(|by| by >= gone_below);
                page.lock().expect("no panic").retain(kept);
            }
            over.store(true, Ordering::Relaxed);
        });
        for _ in 0..2 {
            scope.spawn(move || {
                let mut session = manager.session().expect("a place");
                while !over.load(Ordering::Relaxed) {
                    let mut read = session.begin();
                    let snapshot = read.snapshot();
                    for _ in 0..4 {
                        thread::yield_now();
                        let seen = {
                            let page = page.lock().expect("no panic");
                            let visible = page.iter().filter(|&&(by, next)| {
                                let gone = next.is_some_and(|by| !snapshot.is_running(by));
                                !snapshot.is_running(by) && !gone
                            });
                            visible.count()
                        };
                        match snapshot.check() {
                            Ok(()) => assert_eq!(seen, 1, "one version is visible, or we are told"),
                            Err(_) => {
                                told.fetch_add(1, Ordering::Relaxed);
                                break;
                            }
                        }
                    }
                }
            });
        }
    });
    assert!(told.load(Ordering::Relaxed) >= TOLD, "too few were too old: nothing was tested");
}
