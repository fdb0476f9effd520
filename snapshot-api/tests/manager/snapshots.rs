//! Registered snapshots: which state they show, and what they hold back.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicBool, Ordering},
};

use snapshot_api::{
    BeginError, Facts, ForeignSnapshot, ManagerOptions, Off, Restore, Session, SessionId, Snapshot,
    SnapshotStrategy, ThresholdStrategy, TransactionManager, Xid,
    dev::{alloc::Account, models::LockedSet},
};

use crate::manager;

/// Begins, assigns, commits. Returns the id.
fn write<S: Restore, T: ThresholdStrategy>(session: &mut Session<S, T>) -> Xid {
    let mut transaction = session.begin();
    let id = transaction.id().expect("no limit");
    transaction.commit();
    id
}

#[test]
fn per_transaction_or_per_statement() {
    let manager = manager();
    let (mut reader, mut writer) =
        (manager.session().expect("one"), manager.session().expect("two"));
    let mut read = reader.begin();
    read.snapshot();
    let id = write(&mut writer);
    assert!(read.snapshot().is_running(id), "the same all the time");
    assert!(!read.new_snapshot().is_running(id), "the next statement sees it");
    assert!(!read.snapshot().is_running(id), "and it stays");
    read.commit();
    let other = write(&mut writer);
    assert!(reader.begin().sees(other), "the next transaction has a new one");
}

#[test]
fn the_horizon_waits_for_what_is_held() {
    let manager = manager();
    let (mut reader, mut writer) =
        (manager.session().expect("one"), manager.session().expect("two"));
    assert_eq!(manager.horizon().get(), 3);
    write(&mut writer);
    assert_eq!(manager.last_horizon().get(), 3);
    assert_eq!(manager.horizon().get(), 4, "nobody holds a snapshot: it rises");
    let mut read = reader.begin();
    read.snapshot();
    write(&mut writer);
    write(&mut writer);
    assert_eq!(manager.horizon().get(), 4);
    read.new_snapshot();
    assert_eq!(manager.horizon().get(), 6, "the statement before is over");
    write(&mut writer);
    read.commit();
    assert_eq!((manager.horizon().get(), manager.last_horizon().get()), (7, 7));
}

#[test]
fn a_running_id_holds_it_as_well() {
    let manager = manager();
    let (mut one, mut two) = (manager.session().expect("one"), manager.session().expect("two"));
    let mut open = one.begin();
    let id = open.id().expect("an id");
    write(&mut two);
    assert_eq!(manager.horizon(), id);
    open.abort();
    assert_eq!(manager.horizon().get(), 5);
}

#[test]
fn shared_it_is_held_until_the_last_one_lets_go() {
    let manager = manager();
    let (mut one, mut two) = (manager.session().expect("one"), manager.session().expect("two"));
    let mut writer = manager.session().expect("three");
    let mut origin = one.begin();
    let exported = origin.share();
    let id = write(&mut writer);
    assert!(origin.snapshot().is_running(id), "sharing does not change it");
    origin.commit();
    drop(one);
    assert_eq!(manager.horizon().get(), 3, "its session is gone, the snapshot is not");

    let mut import = two.begin_with(&exported).expect("the same manager");
    drop(exported);
    assert!(!import.sees(id));
    assert_eq!(manager.horizon().get(), 3);
    let again = import.share();
    assert!(import.new_snapshot().xmax() > again.xmax(), "the statement's own");
    assert_eq!(manager.horizon().get(), 3, "the clone still holds it");
    drop(again);
    import.commit();
    assert_eq!(manager.horizon().get(), 4);
}

#[test]
fn a_pin_is_used_again() {
    let manager = manager();
    let (mut session, mut writer) =
        (manager.session().expect("one"), manager.session().expect("two"));
    let account = Account::open();
    account.enter(|| {
        for _ in 0..10_000 {
            let kept = session.begin().share();
            write(&mut writer);
            assert_eq!(manager.horizon(), kept.xmin());
            assert_eq!(manager.horizon_holders().len(), 1);
        }
    });
    assert!(account.bytes() < 10_000, "{} bytes are left", account.bytes());
    assert_eq!(manager.horizon(), manager.next_id());
}

/// Nothing has ended since: the strategy keeps the value as it is, and the manager holds it again all the same.
#[test]
fn reused_it_is_registered_anew() {
    let manager = manager();
    let (mut reader, mut writer) =
        (manager.session().expect("one"), manager.session().expect("two"));
    reader.begin().snapshot();
    let mut read = reader.begin();
    let xmin = read.snapshot().xmin();
    write(&mut writer);
    assert_eq!(manager.horizon(), xmin);
}

#[test]
fn another_managers_snapshot_is_refused() {
    let (one, other) = (manager(), manager());
    let (mut session, mut foreign) = (one.session().expect("one"), other.session().expect("one"));
    let snapshot = foreign.begin().share();
    assert_eq!(session.begin_with(&snapshot).err(), Some(ForeignSnapshot));
    let _still_usable = session.begin();
}

#[test]
fn ids_go_on_where_a_restored_strategy_stopped() {
    let running = [7, 12].map(Xid::new);
    let manager = TransactionManager::<LockedSet, Off>::restore(
        &(),
        Xid::new(9),
        &running,
        Off,
        Default::default(),
    )
    .expect("a state");
    assert_eq!(manager.next_id().get(), 13);
    assert_eq!(manager.horizon().get(), 7);
}

/// A set whose next take panics when it is told to.
struct Fragile(LockedSet, AtomicBool);

impl SnapshotStrategy for Fragile {
    type Snapshot = <LockedSet as SnapshotStrategy>::Snapshot;

    fn facts(&self) -> Facts {
        self.0.facts()
    }

    fn snapshot(&self) -> Self::Snapshot {
        self.0.snapshot()
    }

    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        self.0.begin(session, xid)
    }

    fn end(&self, session: SessionId, tree: &[Xid]) {
        self.0.end(session, tree);
    }

    fn take(&self, snapshot: &mut Self::Snapshot) {
        assert!(!self.1.swap(false, Ordering::Relaxed), "the strategy's");
        self.0.take(snapshot);
    }
}

#[test]
fn a_take_that_panics_holds_nothing_for_long() {
    let set = LockedSet::restore(&(), Xid::FROZEN, &[]).expect("an empty state");
    let fragile = Fragile(set, AtomicBool::new(false));
    let manager = TransactionManager::new(fragile, Off, ManagerOptions::new());
    let (mut reader, mut writer) =
        (manager.session().expect("one"), manager.session().expect("two"));
    let mut read = reader.begin();
    manager.strategy().1.store(true, Ordering::Relaxed);
    catch_unwind(AssertUnwindSafe(|| read.snapshot().xmin())).expect_err("the strategy's");
    let mut write = writer.begin();
    write.id().expect("an id");
    write.commit();
    assert_eq!(manager.horizon().get(), 3, "it was announced");
    assert_eq!(read.snapshot().xmin().get(), 4, "taken anew");
    manager.strategy().1.store(true, Ordering::Relaxed);
    catch_unwind(AssertUnwindSafe(|| read.new_snapshot().xmin())).expect_err("the strategy's");
    drop(read);
    assert_eq!((manager.horizon().get(), manager.horizon_holders()), (4, vec![]));
}
