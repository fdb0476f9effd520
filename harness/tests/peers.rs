//! The peers under the law book: the right ones keep it whole; the naive ones break just the laws that the registry names.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
};

use harness::{
    peers::{ArcSwapVec, ImblSet, RwLockBTreeSet, ShardedMap, SkipList},
    registry::{
        EMPTY, PEERS, STANDBYS, SnapshotVisitor, breaks, choice, snapshots, usual, visit_snapshot,
    },
};
use snapshot_api::{Restore, SessionId, SnapshotStrategy, Xid};

snapshot_api::counting_allocator!();
snapshot_api::standby_laws!(rwlock_btreeset, RwLockBTreeSet, ());
snapshot_api::standby_laws!(arc_swap_vec, ArcSwapVec, ());
snapshot_api::standby_laws!(imbl_set, ImblSet, ());

macro_rules! laws {
    ($($law:ident $name:literal;)*) => {
        /// The names of the laws.
        const LAWS: &[&str] = &[$($name),*];

        /// For each law a test that sees whether a peer keeps or breaks it as the registry says.
        macro_rules! breaks_as_said {
            ($module:ident, $peer:ty, $called:literal, $before:expr) => {
                // Threads have the steps that the book stops them at in debug builds alone.
                #[cfg(debug_assertions)]
                mod $module {
                    use super::*;
                    $(
                        #[test]
                        fn $law() {
                            let law = || snapshot_api::dev::laws::$law::<$peer>(&());
                            as_said($called, $name, $before, law);
                        }
                    )*
                }
            };
        }
    };
}

laws! {
    one_instant "law 1 (one instant)";
    whole_trees "law 2 (whole trees)";
    xmax "law 3 (xmax)";
    no_late_birth "law 4 (no late birth)";
    monotone_per_observer "law 5 (monotone per observer)";
    exact "law 6 (exact)";
    idempotent_removal "law 7 (idempotent removal)";
    reuse "law 8 (reuse)";
    takes_allocate_nothing "law 8 (a take allocates nothing once grown)";
    capacity "law 9 (capacity)";
    progress_beside_a_stalled_thread "law 10 (progress beside a stalled thread)";
    progress_after_a_panic "law 10 (progress after a panic)";
    bounded_memory "law 11 (bounded memory)";
    just_started_is_running "case 8 (just started is running)";
    number_not_before_state "case 10 (number not before state)";
    own_end_is_seen "case 11 (own end is seen)";
    boundary_is_one_rule "case 13 (boundary is one rule)";
    finished_list_is_bounded "case 19 (finished list is bounded)";
    restore_lists_once_and_in_order "case 22 (restore lists once and in order)";
    burst_of_subtransactions "case 25 (burst of subtransactions)";
    unknown_ids_are_running "case 26 (unknown ids are running)";
    lapped_place_is_told_apart "case 33 (lapped place is told apart)";
    horizon_waits_for_readers "cases 1 to 4 (the horizon waits for readers)";
    managed_memory_is_flat "case 19 (memory under a manager is flat)";
    forget "law forget (leave without completing)";
    complete "law complete (raise latest completed)";
    prune "law prune (nothing below runs)";
    standby_is_exact "law standby (exact under every operation)";
}

breaks_as_said!(skip_list, SkipList, "skip-list", others_have_ended);
breaks_as_said!(dashmap, ShardedMap, "dashmap", |_| {});

/// One at a time: all skip lists of a process have one garbage, and a thread that frees for others would give the laws on memory
/// a wrong account.
static ALONE: Mutex<()> = Mutex::new(());

/// Sees that the law fails by its name if the registry says so, and passes otherwise.
#[cfg(debug_assertions)]
fn as_said(peer: &str, name: &str, before: impl FnOnce(&str), law: impl FnOnce()) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    before(name);
    let broken = catch_unwind(AssertUnwindSafe(law)).err();
    let said = broken.map(|cause| cause.downcast_ref::<String>().cloned().unwrap_or_default());
    let fails = said.is_some();
    assert_eq!(fails, breaks(peer).contains(&name), "{peer} breaks {name}: {said:?}");
    if let Some(said) = said {
        assert!(said.starts_with(&format!("{name} is broken: ")), "{name} of {peer}: {said}");
    }
}

/// Leaves what another thread has removed to whoever comes next, before the law that says what a take allocates: where nobody
/// but the reader's own thread ends, that may be all the same 0.
#[cfg(debug_assertions)]
fn others_have_ended(law: &str) {
    const IDS: u64 = 200_000;
    if law != "law 8 (a take allocates nothing once grown)" {
        return;
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // As long as this thread stays in its epoch nothing is cleared away.
            let _inside = crossbeam_epoch::pin();
            let list = SkipList::restore(&(), Xid::new(99), &[]).expect("an empty state");
            for id in 100..100 + IDS {
                assert_eq!(list.begin(SessionId::new(0), Xid::new(id)), Ok(()));
                list.end(SessionId::new(0), &[Xid::new(id)]);
            }
        });
    });
}

/// What the registry says is broken is a law of the list above, so that a test has seen it fail.
#[test]
fn what_is_broken_is_a_law() {
    for law in PEERS.iter().flat_map(|peer| breaks(peer)) {
        assert!(LAWS.contains(law), "{law}");
    }
    for name in snapshots() {
        assert_eq!(breaks(name), [""; 0], "{name}");
    }
}

/// The list above has every law of the book.
#[test]
fn no_law_is_left_out() {
    let book = include_str!("../../snapshot-api/src/dev/laws/macros.rs");
    let standby = book.split_once(", and ").and_then(|(_, rest)| {
        let (_, names) = rest.split_once("$config, and ")?;
        names.split_once(')')
    });
    let all = book.split_once("laws_as_tests!($strategy, $config;\n");
    let all = all.and_then(|(_, names)| names.split_once("$("));
    let (Some((all, _)), Some((standby, _))) = (all, standby) else {
        panic!("the book's macros look otherwise")
    };
    let count = all.split_whitespace().chain(standby.split_whitespace()).count();
    assert_eq!(count, LAWS.len(), "{all} {standby}");
}

struct Name;

impl SnapshotVisitor for Name {
    type Output = (String, bool);

    fn visit<S: Restore + 'static>(self, config: S::Config, standby: bool) -> Self::Output {
        let empty = S::restore(&config, Xid::FROZEN, &[]).expect("an empty state");
        (empty.facts().name.into_owned(), standby)
    }
}

/// Peers are found under the name in their facts, and only where they are named.
#[test]
fn found_by_name_alone() {
    for &name in PEERS {
        assert_eq!(visit_snapshot(name, Name), Ok((name.to_owned(), true)));
        assert!(choice(Vec::new(), &[name.to_owned()]).contains(&name));
        for list in [STANDBYS.to_vec(), snapshots(), usual()] {
            assert!(!list.contains(&name), "{name}");
        }
    }
    assert_eq!(visit_snapshot(EMPTY, Name), Ok((EMPTY.to_owned(), true)));
    let Err(unknown) = visit_snapshot("skiplist", Name) else { panic!("no such name") };
    assert_eq!(unknown.nearest(), Some("skip-list"));
    let told = unknown.to_string();
    assert!(PEERS.iter().all(|peer| told.contains(peer)), "{told}");
    assert_eq!(choice(snapshots(), &[]), snapshots());
}
