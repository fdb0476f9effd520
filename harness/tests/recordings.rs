//! Every strategy that can play a standby gives every snapshot that the real standby computed, alone and beside readers.

use harness::{
    recordings::{BUILT_IN, Recording},
    registry::{STANDBYS, StandbyVisitor, visit_standby},
    trace::TraceError,
    verify::{Outcome, verify},
};
use snapshot_api::{Standby, Xid};

struct Verify<'a>(&'a Recording, usize);

impl StandbyVisitor for Verify<'_> {
    type Output = Result<Outcome, TraceError>;

    fn visit<S: Standby + 'static>(self, config: S::Config) -> Self::Output {
        verify::<S>(self.0, config, self.1)
    }
}

fn check(name: &str, events: u64, snapshots: u64) {
    let recording = BUILT_IN.iter().find(|recording| recording.name() == name).unwrap();
    for strategy in STANDBYS {
        for readers in [0, 2] {
            let outcome = visit_standby(strategy, Verify(recording, readers)).unwrap().unwrap();
            assert!(outcome.is_equal(), "{strategy}, {readers} readers: {outcome:?}");
            assert_eq!((outcome.events, outcome.snapshots), (events, snapshots));
            // Every reader takes at least one in each round.
            assert!(outcome.concurrent_snapshots >= readers as u64, "{outcome:?}");
        }
    }
}

macro_rules! recordings {
    ($($name:ident: $events:literal events, $snapshots:literal snapshots;)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), $events, $snapshots);
        })*

        #[test]
        fn all_recordings_are_here() {
            let names: Vec<String> = BUILT_IN.iter().map(Recording::name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
            assert_eq!([$($snapshots),*].iter().sum::<u64>(), 4_943);
        }
    };
}

recordings! {
    w1_simple_update: 36812 events, 315 snapshots;
    w2_savepoints: 22143 events, 319 snapshots;
    w3_overflow: 29585 events, 325 snapshots;
    w4_prepared: 14590 events, 305 snapshots;
    w5_many_open: 18127 events, 307 snapshots;
    w6_wraparound: 21086 events, 328 snapshots;
    w7_crash: 6047 events, 332 snapshots;
    w8_mixed: 27365 events, 410 snapshots;
    w11_every_record: 1823 events, 1981 snapshots;
    big_300k: 601612 events, 321 snapshots;
}

struct Name;

impl StandbyVisitor for Name {
    type Output = String;

    fn visit<S: Standby + 'static>(self, config: S::Config) -> String {
        S::restore(&config, Xid::FROZEN, &[]).unwrap().facts().name.into_owned()
    }
}

#[test]
fn names_in_the_registry_are_those_in_the_facts() {
    for name in STANDBYS {
        assert_eq!(visit_standby(name, Name).unwrap(), *name, "src/registry.rs names it otherwise");
    }
}
