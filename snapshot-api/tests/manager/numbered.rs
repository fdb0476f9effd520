//! Rows that carry the number of their commit.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use snapshot_api::{
    ManagerOptions, NumberedManager, Off, Outcome, Restore, TransactionManager, Xid,
    dev::models::{LockedSet, NumberLog},
};

use crate::{telling, with};

fn numbered<S: Restore>(config: &S::Config) -> NumberedManager<S, Off> {
    let options = ManagerOptions::new();
    let manager = TransactionManager::restore(config, Xid::FROZEN, &[], Off, options);
    NumberedManager::new(manager.expect("an empty state"))
}

/// Cases 9 to 11: half of a commit is visible, a number before its rows, or not at once.
fn numbers_are_visible_in_order<S: Restore>(config: &S::Config) {
    const COMMITS: u64 = 2_000;
    let numbers = numbered::<S>(config);
    // Each commit stamps both cells with its number.
    let cells = [AtomicU64::new(0), AtomicU64::new(0)];
    thread::scope(|scope| {
        for _ in 0..2 {
            let mut session = numbers.session().expect("a place");
            let cells = &cells;
            scope.spawn(move || {
                for _ in 0..COMMITS {
                    let stamp = |number| {
                        // Relaxed: the commit's publication carries the order.
                        cells[0].store(number, Ordering::Relaxed);
                        thread::yield_now();
                        cells[1].store(number, Ordering::Relaxed);
                    };
                    let (number, ()) = session.begin().commit(stamp).expect("no limit");
                    assert!(session.begin().visible(number), "mine, and it returned");
                }
            });
        }
        let mut session = numbers.session().expect("a place");
        let cells = &cells;
        scope.spawn(move || {
            let mut last = 0;
            while last < Xid::FROZEN.get() + 2 * COMMITS {
                let mut read = session.begin();
                let number = read.number();
                assert!(number >= last, "back from {last} to {number}");
                last = number;
                // Frozen: nothing has been committed yet.
                let stamped = |cell: &AtomicU64| cell.load(Ordering::Relaxed).max(2);
                let found = [stamped(&cells[1]), stamped(&cells[0])];
                assert!(found[0] >= number && found[1] >= number, "{number} before {found:?}");
                assert!(read.visible(number) && !read.visible(number + 1));
            }
        });
    });
}

#[test]
fn numbers_are_visible_in_order_over_a_set() {
    numbers_are_visible_in_order::<LockedSet>(&());
}

#[test]
fn numbers_are_visible_in_order_over_a_log() {
    numbers_are_visible_in_order::<NumberLog>(&());
}

/// redb 830: a reader at N kept what N itself had freed.
#[test]
fn a_reader_does_not_keep_what_its_own_number_freed() {
    let numbers = numbered::<LockedSet>(&());
    let (mut writer, mut reader) =
        (numbers.session().expect("one"), numbers.session().expect("two"));
    let (number, ()) = writer.begin().commit(|_| ()).expect("no limit");
    let mut read = reader.begin();
    assert_eq!(read.number(), number);
    let (later, ()) = writer.begin().commit(|_| ()).expect("no limit");
    let horizon = numbers.manager().horizon().get();
    assert!(number < horizon, "what it freed may go");
    assert!(later >= horizon, "what a later one freed may not");
}

#[test]
fn without_a_commit_there_is_no_number() {
    let numbers = numbered::<LockedSet>(&());
    let mut session = numbers.session().expect("one");
    let before = session.begin().number();
    drop(session.begin());
    let (number, ()) = session.begin().commit(|_| ()).expect("no limit");
    assert_eq!(number, before + 1);
}

#[test]
fn a_stamp_that_panics_is_taken_away_before_anybody_sees_it() {
    let (options, told) = telling(ManagerOptions::new());
    let numbers = NumberedManager::new(with(options));
    let (mut one, mut two) = (numbers.session().expect("one"), numbers.session().expect("two"));
    let panicking = one.begin();
    catch_unwind(AssertUnwindSafe(|| panicking.commit(|_| panic!("the engine's"))))
        .expect_err("the engine's");
    assert_eq!(*told.lock().expect("no panic"), [(Outcome::Aborted, vec![3])]);
    let (number, ()) = two.begin().commit(|_| ()).expect("the turn was given back");
    assert!(one.begin().visible(number));
}

#[test]
fn snapshots_are_shared() {
    let numbers = numbered::<LockedSet>(&());
    let (mut one, mut two) = (numbers.session().expect("one"), numbers.session().expect("two"));
    let shared = one.begin().share();
    let rows = Arc::new(Mutex::new(Vec::new()));
    let (number, ()) =
        one.begin().commit(|number| rows.lock().expect("no panic").push(number)).expect("no limit");
    let mut read = two.begin_with(&shared).expect("the same manager");
    assert!(!read.visible(number));
    assert!(read.snapshot().check().is_ok());
    drop(shared);
    read.new_snapshot();
    assert!(read.visible(number));
}
