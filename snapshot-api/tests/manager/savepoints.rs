//! Savepoints: a tree of subtransactions that ends as one, or branch by branch.

use proptest::prelude::*;
use snapshot_api::{ManagerOptions, Outcome, SavepointError, Xid};

use crate::{manager, running, telling, with};

fn numbers(ids: &[Xid]) -> Vec<u64> {
    ids.iter().map(|id| id.get()).collect()
}

#[test]
fn parents_get_their_ids_first() {
    let manager = manager();
    let mut session = manager.session().expect("one");
    let mut transaction = session.begin();
    let _outer = transaction.savepoint();
    let _inner = transaction.savepoint();
    assert_eq!(transaction.id().expect("an id").get(), 5);
    assert_eq!(
        (transaction.top_id(), numbers(transaction.ids())),
        (Some(Xid::new(3)), vec![3, 4, 5])
    );
    transaction.commit();
    assert_eq!(running(&manager), (vec![], 6), "the tree ends as one");
}

#[test]
fn a_rollback_ends_a_branch() {
    let (options, told) = telling(ManagerOptions::new());
    let manager = with(options);
    let mut session = manager.session().expect("one");
    let mut transaction = session.begin();
    transaction.id().expect("3");
    let savepoint = transaction.savepoint();
    transaction.id().expect("4");
    let inner = transaction.savepoint();
    transaction.id().expect("5");
    transaction.rollback_to(&savepoint).expect("it is there");
    assert_eq!(running(&manager), (vec![3], 6));
    assert_eq!(transaction.rollback_to(&inner), Err(SavepointError), "gone with the outer one");
    assert_eq!(transaction.id().expect("again").get(), 6, "the savepoint itself is still there");
    transaction.rollback_to(&savepoint).expect("it is still there");
    transaction.rollback_to(&savepoint).expect("nothing to undo");
    transaction.release(savepoint).expect("it is still there");
    assert_eq!(transaction.id().expect("the top's").get(), 3);
    transaction.commit();
    let told = told.lock().expect("no panic");
    let aborted = |ids: &[u64]| (Outcome::Aborted, ids.to_vec());
    assert_eq!(*told, [aborted(&[4, 5]), aborted(&[6]), (Outcome::Committed, vec![3])]);
}

#[test]
fn a_released_branch_goes_with_what_it_was_released_into() {
    let manager = manager();
    let mut session = manager.session().expect("one");
    let mut transaction = session.begin();
    let outer = transaction.savepoint();
    let inner = transaction.savepoint();
    assert_eq!(transaction.id().expect("an id").get(), 5);
    transaction.release(inner).expect("it is there");
    assert_eq!(transaction.id().expect("the outer one's").get(), 4);
    transaction.rollback_to(&outer).expect("it is there");
    assert_eq!(running(&manager), (vec![3], 6), "the inner one was rolled back with it");
}

#[test]
fn savepoints_of_others_are_refused() {
    let manager = manager();
    let (mut one, mut two) = (manager.session().expect("one"), manager.session().expect("two"));
    let (mut one, mut two) = (one.begin(), two.begin());
    let of_one = one.savepoint();
    let of_two = two.savepoint();
    two.id().expect("an id");
    assert_eq!(two.rollback_to(&of_one), Err(SavepointError));
    assert_eq!(two.release(of_one), Err(SavepointError));
    assert_eq!(numbers(two.ids()), [3, 4], "nothing has changed");
    drop(one);
    two.release(of_two).expect("its own");
}

/// What a script does to savepoints.
#[derive(Clone, Debug)]
enum Step {
    Write,
    Set,
    Release(usize),
    RollBack(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Write),
        3 => Just(Step::Set),
        1 => (0_usize..8).prop_map(Step::Release),
        2 => (0_usize..8).prop_map(Step::RollBack),
    ]
}

proptest! {
    /// Against a model in which each write carries the savepoints that were set when it was made.
    #[test]
    fn random_trees(script in prop::collection::vec(step(), 1..60)) {
        let manager = manager();
        let mut session = manager.session().expect("one");
        let mut transaction = session.begin();
        let (mut set, mut next) = (Vec::new(), 0_u32);
        // Ids that run, with the savepoints that were set when each was made.
        let mut alive: Vec<(Xid, Vec<u32>)> = Vec::new();
        for step in script {
            match step {
                Step::Write => {
                    let id = transaction.id().expect("no limit");
                    let before: Vec<Xid> = alive.iter().map(|(id, _)| *id).collect();
                    // Parents may have got theirs as well.
                    let new: Vec<Xid> = transaction.ids().iter().copied()
                        .filter(|id| !before.contains(id)).collect();
                    let names: Vec<u32> = set.iter().map(|(name, _)| *name).collect();
                    for (behind, id) in new.iter().rev().enumerate() {
                        alive.push((*id, names[..names.len().saturating_sub(behind)].to_vec()));
                    }
                    prop_assert!(new.is_empty() || new.last() == Some(&id));
                }
                Step::Set => {
                    set.push((next, transaction.savepoint()));
                    next += 1;
                }
                Step::Release(at) if !set.is_empty() => {
                    let at = at % set.len();
                    let gone: Vec<u32> = set[at..].iter().map(|(name, _)| *name).collect();
                    let (_, savepoint) = set.drain(at..).next().expect("it is there");
                    transaction.release(savepoint).expect("it is there");
                    for (_, names) in &mut alive {
                        names.retain(|name| !gone.contains(name));
                    }
                }
                Step::RollBack(at) if !set.is_empty() => {
                    let at = at % set.len();
                    transaction.rollback_to(&set[at].1).expect("it is there");
                    let name = set[at].0;
                    alive.retain(|(_, names)| !names.contains(&name));
                    set.truncate(at + 1);
                }
                Step::Release(_) | Step::RollBack(_) => {}
            }
            let mut model: Vec<Xid> = alive.iter().map(|(id, _)| *id).collect();
            model.sort_unstable();
            prop_assert_eq!(transaction.ids(), &model[..]);
            let below = |id: &&u64| **id < running(&manager).1;
            let shown: Vec<u64> = numbers(&model);
            let shown: Vec<u64> = shown.iter().filter(below).copied().collect();
            prop_assert_eq!(running(&manager).0, shown);
        }
    }
}
