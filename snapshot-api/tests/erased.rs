//! A strategy whose type is hidden keeps every law of the one inside, also where a value wanders between types.

#[path = "erased/counted.rs"]
mod counted;

use std::{marker::PhantomData, sync::Arc};

use counted::Counted;
use snapshot_api::{
    BeginError, BoxedSnapshot, BoxedStrategy, BoxedThreshold, Catalogue, Facts, Off, Restore,
    RestoreError, SessionId, Snapshot, SnapshotStrategy, ThresholdStrategy, Unavailable, Xid,
    dev::{
        alloc::Account,
        models::{LockedSet, LockedThreshold, NumberLog},
    },
};

snapshot_api::counting_allocator!();
snapshot_api::snapshot_laws!(locked_set, Boxed<LockedSet>, ());
snapshot_api::snapshot_laws!(number_log, Boxed<NumberLog>, ());
snapshot_api::threshold_laws!(threshold, BoxedThreshold, Box::new(LockedThreshold::default()));

/// `S`, its type hidden at once: the book restores its subjects, and a boxed strategy alone does not know as what.
#[derive(Debug)]
struct Boxed<S>(BoxedStrategy, PhantomData<fn() -> S>);

impl<S> SnapshotStrategy for Boxed<S> {
    type Snapshot = BoxedSnapshot;

    fn facts(&self) -> Facts {
        self.0.facts()
    }
    fn snapshot(&self) -> BoxedSnapshot {
        self.0.snapshot()
    }
    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.0.begin(session, xid)
    }
    fn end(&self, session: SessionId, tree: &[Xid]) {
        self.0.end(session, tree);
    }
    fn take(&self, snapshot: &mut BoxedSnapshot) {
        self.0.take(snapshot);
    }
    fn lock_waits(&self) -> u64 {
        self.0.lock_waits()
    }
}

impl<S: Restore + 'static> Restore for Boxed<S> {
    type Config = S::Config;

    fn restore(config: &S::Config, latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        let strategy = S::restore(config, latest, running)?;
        Ok(Boxed(BoxedStrategy::new(strategy), PhantomData))
    }
}

/// The plain models, and two types that share their snapshot type.
fn offered() -> Catalogue {
    let mut catalogue = Catalogue::new();
    catalogue
        .offer::<LockedSet>("locked-set", ())
        .offer::<NumberLog>("number-log", ())
        .offer::<Counted<0>>("counted", ())
        .offer::<Counted<1>>("counted too", ())
        .offer_threshold("off", || Off)
        .offer_threshold("locked", LockedThreshold::default);
    catalogue
}

fn content(snapshot: &impl Snapshot) -> (Xid, Xid, Vec<Xid>) {
    (snapshot.xmin(), snapshot.xmax(), snapshot.running().collect())
}

#[test]
fn a_value_of_another_type_is_replaced() {
    let catalogue = offered();
    let names: Vec<&str> = catalogue.strategies().collect();
    let xid = |name: usize, id: u64| Xid::new(100 * (name as u64 + 1) + id);
    let strategies: Vec<BoxedStrategy> = (0..names.len())
        .map(|name| catalogue.strategy(names[name], xid(name, 0), &[xid(name, 1)]).unwrap())
        .collect();
    let mut wanderer = strategies[0].snapshot();
    // Each follows each, itself included; each has ended as often as the others.
    for turn in 2..10 {
        for (one, strategy) in strategies.iter().enumerate() {
            strategy.begin(SessionId::new(0), xid(one, turn)).unwrap();
            strategy.end(SessionId::new(0), &[xid(one, turn)]);
        }
        for one in 0..strategies.len() {
            for other in 0..strategies.len() {
                for name in [one, other] {
                    strategies[name].take(&mut wanderer);
                    let right = (xid(name, 1), xid(name, turn + 1), vec![xid(name, 1)]);
                    assert_eq!(content(&wanderer), right, "{} from {}", names[other], names[one]);
                    assert!(wanderer.is_running(xid(name, 1)));
                    assert!(!wanderer.is_running(xid(name, turn)));
                }
            }
        }
    }
}

#[test]
fn what_a_replaced_value_held_is_given_back() {
    let counted = Counted::<2>::restore(&(), Xid::new(99), &[]).unwrap();
    let held = Arc::clone(&counted.held);
    let (counted, other) = (BoxedStrategy::new(counted), locked_set());
    let mut snapshot = counted.snapshot();
    counted.take(&mut snapshot);
    drop(counted);
    assert_eq!(Arc::strong_count(&held), 2, "here and in the value");
    other.take(&mut snapshot);
    assert_eq!(Arc::strong_count(&held), 1);
}

/// The book's own test of this takes while nothing is listed; here eight ids are.
#[test]
fn takes_with_a_list_allocate_nothing() {
    let account = Account::open();
    for name in ["locked-set", "number-log"] {
        let running: Vec<Xid> = (90..98).map(Xid::new).collect();
        let strategy = offered().strategy(name, Xid::new(99), &running).unwrap();
        let mut snapshot = strategy.snapshot();
        let mut turn = |id| {
            strategy.begin(SessionId::new(0), Xid::new(id)).unwrap();
            strategy.end(SessionId::new(0), &[Xid::new(id)]);
            account.enter(|| strategy.take(&mut snapshot));
        };
        turn(100);
        let before = account.allocations();
        (101..200).for_each(&mut turn);
        assert_eq!(account.allocations(), before, "{name}");
        assert_eq!(content(&snapshot), (Xid::new(90), Xid::new(200), running));
    }
}

#[test]
fn a_box_in_a_box_is_a_strategy() {
    let twice = BoxedStrategy::new(locked_set());
    twice.begin(SessionId::new(0), Xid::new(100)).unwrap();
    twice.end(SessionId::new(0), &[Xid::new(100)]);
    let mut snapshot = locked_set().snapshot();
    for strategy in [&twice, &locked_set(), &twice] {
        strategy.take(&mut snapshot);
    }
    assert_eq!(content(&snapshot), (Xid::new(101), Xid::new(101), vec![]));
}

fn locked_set() -> BoxedStrategy {
    offered().strategy("locked-set", Xid::new(99), &[]).unwrap()
}

#[test]
fn an_unknown_name_names_those_that_are_known() {
    let unknown = offered().strategy("locked_set", Xid::FROZEN, &[]).unwrap_err();
    assert!(matches!(unknown, Unavailable::Unknown(_)));
    assert_eq!(
        unknown.to_string(),
        r#"no snapshot strategy is called "locked_set"; known: locked-set, number-log, counted, counted too"#
    );
    let unknown = offered().threshold("lock").unwrap_err();
    let said = r#"no threshold strategy is called "lock"; known: off, locked"#;
    assert_eq!(unknown.to_string(), said);
    let unknown = Catalogue::new().threshold("off").unwrap_err();
    assert_eq!(unknown.to_string(), r#"no threshold strategy is called "off"; known: none"#);
}

#[test]
fn a_state_that_is_refused_says_why() {
    let refused = offered().strategy("locked-set", Xid::FROZEN, &[Xid::INVALID]).unwrap_err();
    assert_eq!(refused, Unavailable::Restore(RestoreError::NotNormal(Xid::INVALID)));
    assert_eq!(refused.to_string(), RestoreError::NotNormal(Xid::INVALID).to_string());
}

#[test]
fn the_last_offer_of_a_name_counts() {
    let mut catalogue = offered();
    catalogue.offer::<NumberLog>("locked-set", ()).offer_threshold("off", LockedThreshold::default);
    let name = |name| catalogue.strategy(name, Xid::FROZEN, &[]).unwrap().facts().name;
    assert_eq!(name("locked-set"), "number-log");
    assert_eq!(catalogue.strategies().next(), Some("locked-set"), "where it was");
    assert_eq!(catalogue.threshold("off").unwrap().facts().name, "locked");
    assert_eq!(catalogue.thresholds().collect::<Vec<_>>(), ["off", "locked"]);
}

#[test]
fn they_say_who_they_are() {
    let boxed = locked_set();
    assert_eq!(format!("{boxed:?}"), r#"BoxedStrategy("locked-set")"#);
    let value = format!("{:?}", boxed.snapshot());
    assert_eq!(value, "BoxedSnapshot { xmin: 3, xmax: 3, .. }");
    let threshold = offered().threshold("locked").unwrap();
    assert_eq!(format!("{threshold:?}"), r#"BoxedThreshold("locked")"#);
    let catalogue = format!("{:?}", offered());
    assert!(catalogue.contains(r#"["off", "locked"]"#), "{catalogue}");
}
