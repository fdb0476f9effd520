use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, atomic::AtomicU64},
    thread,
};

use super::*;

type Requests = Group<AtomicU64>;

fn numbers(taken: &Taken<'_, AtomicU64>) -> Vec<(usize, u64)> {
    taken.members().map(|(number, request)| (number, request.load(Relaxed))).collect()
}

/// Joins with ten times the number as request.
fn join(group: &Requests, number: usize, lead: impl Fn()) -> bool {
    group.join(number, |request| request.store(10 * number as u64, Relaxed), lead)
}

/// Starts a thread that joins, and returns when it is in the queue.
fn queue_up<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    group: &'scope Requests,
    number: usize,
    lead: impl Fn() + Send + 'scope,
) {
    scope.spawn(move || assert!(join(group, number, lead)));
    while group.head.load(Relaxed) != number as u32 {
        thread::yield_now();
    }
}

#[test]
fn the_first_serves_all_that_came_before_it_had_the_lock() {
    let group = Requests::new(8);
    let gate = Mutex::new(());
    let served = Cell::new(vec![]);
    thread::scope(|scope| {
        let lead = || {
            let _gate = gate.lock();
            // The others come while the leader waits for the lock; they get no gate until they have been told.
            for other in [2, 7] {
                queue_up(scope, &group, other, || {
                    let _gate = gate.lock();
                    assert_eq!(numbers(&group.take_all()), [], "told before the gate is open");
                });
            }
            let taken = group.take_all();
            served.set(numbers(&taken));
            taken.tell();
        };
        assert!(join(&group, 5, lead));
    });
    assert_eq!(served.take(), [(7, 70), (2, 20), (5, 50)]);
    assert_eq!(group.waits(), 2);
}

#[test]
fn a_place_is_used_again_and_by_one_at_a_time() {
    let group = Requests::new(3);
    for _ in 0..3 {
        let lead = || {
            assert!(!join(&group, 1, || unreachable!("the place is taken")));
            let taken = group.take_all();
            assert_eq!(numbers(&taken), [(1, 10)]);
            taken.tell();
        };
        assert!(join(&group, 1, lead));
    }
    assert!(!join(&group, 3, || unreachable!("there is no such place")));
}

#[test]
fn taken_ones_that_are_not_told_are_put_back_before_the_queue() {
    let group = Requests::new(4);
    for number in [3, 0] {
        group.link(number, &group.places[number as usize]);
    }
    let taken = group.take_all();
    group.link(2, &group.places[2]);
    drop(taken);
    let numbers: Vec<_> = group.take_all().members().map(|(number, _)| number).collect();
    assert_eq!(numbers, [0, 3, 2]);
}

/// A leader that panics at this point loses nobody, itself included.
fn panicking_leader(point: &str) {
    let group = Requests::new(4);
    let gate = Mutex::new(());
    let served = Mutex::new(vec![]);
    let serve = || {
        let _gate = gate.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let taken = group.take_all();
        served.lock().expect("no panic while it is held").extend(numbers(&taken));
        taken.tell();
    };
    thread::scope(|scope| {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            join(&group, 1, || {
                if thread::panicking() {
                    return serve();
                }
                let _gate = gate.lock();
                queue_up(scope, &group, 2, serve);
                let _taken = (point == "after the swap").then(|| group.take_all());
                panic!("{point}");
            })
        }));
        assert!(panicked.is_err());
        assert!(join(&group, 1, serve), "its place is free again");
        assert!(join(&group, 3, serve));
    });
    let mut served = served.into_inner().expect("no panic while it is held");
    served.sort_unstable();
    assert_eq!(served, [(1, 10), (1, 10), (2, 20), (3, 30)]);
}

#[test]
fn a_leader_that_panics_before_it_takes_the_queue_loses_nobody() {
    panicking_leader("before the swap");
}

#[test]
fn a_leader_that_panics_after_it_took_the_queue_loses_nobody() {
    panicking_leader("after the swap");
}

#[test]
fn a_panic_on_the_way_to_the_queue_leaves_the_place_free() {
    let group = Requests::new(1);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        group.join(0, |_| panic!("before it is queued"), || unreachable!("it is not queued"))
    }));
    assert!(panicked.is_err());
    assert!(join(&group, 0, || group.take_all().tell()));
}
