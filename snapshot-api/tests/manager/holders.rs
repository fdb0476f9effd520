//! Who holds the horizon back, and who is told of it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
    time::Duration,
};

use snapshot_api::{Held, ManagerOptions, ManualClock};

use crate::{manager, with};

#[test]
fn the_lowest_comes_first() {
    let clock = ManualClock::default();
    let manager = with(ManagerOptions::new().clock(clock.clone()));
    let mut sessions: Vec<_> = (0..4).map(|_| manager.session().expect("a place")).collect();
    let [writer, report, cursor, two_phase] = &mut sessions[..] else { unreachable!("four") };
    report.set_label("report");
    let mut reads = report.begin();
    reads.snapshot();
    clock.advance(Duration::from_secs(3));
    manager.tick();
    two_phase.begin().prepare("order 7").expect("a place");
    let mut writes = writer.begin();
    writes.id().expect("an id");
    cursor.begin().id().expect("an id");
    let mut reads_on = cursor.begin();
    reads_on.snapshot();
    clock.advance(Duration::from_secs(4));

    let holders = manager.horizon_holders();
    let seen: Vec<_> = holders.iter().map(|holder| (holder.xmin.get(), &holder.held)).collect();
    let prepared = Held::Prepared("order 7".into());
    let expected =
        [(3, &Held::Snapshot), (3, &Held::Snapshot), (3, &prepared), (4, &Held::Transaction)];
    assert_eq!(seen, expected);
    let report = &holders[0];
    assert_eq!((report.transactions, report.age), (3, Duration::from_secs(7)));
    assert_eq!(
        report.to_string(),
        "session 1 (report) holds a snapshot with xmin 3, 3 transactions and 7.0s old"
    );
    assert_eq!(holders[3].age, Duration::from_secs(4));
    assert_eq!(manager.horizon().get(), 3);
}

#[test]
fn a_label_follows_its_session() {
    let manager = manager();
    let mut session = manager.session().expect("one");
    session.set_label("before");
    let mut open = session.begin();
    let kept = open.share();
    drop(open);
    session.set_label("after");
    session.begin().snapshot();
    let mut open = session.begin();
    open.snapshot();
    let labels: Vec<_> =
        manager.horizon_holders().into_iter().filter_map(|holder| holder.label).collect();
    assert!(labels.iter().map(|label| &**label).eq(["before", "after"]), "{labels:?}");
    drop(kept);
}

#[test]
fn whoever_holds_on_for_too_long_is_reported() {
    let (clock, reported) = (ManualClock::default(), Arc::new(Mutex::new(Vec::new())));
    let to = Arc::clone(&reported);
    let options = ManagerOptions::new().clock(clock.clone());
    let manager = with(options.on_holder(Duration::from_secs(10), move |holder| {
        to.lock().expect("no panic").push(holder.session);
    }));
    let (mut one, mut two) = (manager.session().expect("one"), manager.session().expect("two"));
    let mut early = one.begin();
    early.snapshot();
    clock.advance(Duration::from_secs(5));
    manager.tick();
    let mut late = two.begin();
    late.snapshot();
    clock.advance(Duration::from_secs(6));
    manager.tick();
    drop(early);
    drop(late);
    assert_eq!(*reported.lock().expect("no panic"), [one.id()]);
}

#[test]
fn a_callback_that_panics_spoils_nothing() {
    let clock = ManualClock::default();
    let options = ManagerOptions::new().clock(clock.clone());
    let manager = with(options.on_holder(Duration::ZERO, |_| panic!("the engine's")));
    let (mut session, mut other) =
        (manager.session().expect("one"), manager.session().expect("two"));
    let mut open = session.begin();
    open.snapshot();
    for _ in 0..2 {
        clock.advance(Duration::from_secs(1));
        catch_unwind(AssertUnwindSafe(|| manager.tick())).expect_err("the engine's");
    }
    open.commit();
    manager.tick();
    let mut goes_on = other.begin();
    let id = goes_on.id().expect("an id");
    goes_on.commit();
    assert!(manager.horizon() > id);
}
