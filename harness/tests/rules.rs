//! The rules of PostgreSQL's startup process one by one, each on a trace made for it: those, too, that no recording tells
//! apart.

mod common;

use common::{ready, seen};

/// A primary on which nothing runs.
const IDLE: [&str; 2] = ["init 100 100", "running_xacts 100 99 100 0 0 0"];

fn idle_then(lines: &[&'static str]) -> Vec<&'static str> {
    [&IDLE[..], lines].concat()
}

#[test]
fn gaps_are_filled() {
    let seen = ready(&idle_then(&["assign 103", "commit 105"]));
    assert_eq!(seen.list(), (100, 106, &[100, 101, 102, 103, 104][..]));
    assert_eq!(seen.next, 106);
}

#[test]
fn assigning_again_changes_nothing() {
    let once = ready(&idle_then(&["assign 101", "commit 101"]));
    let twice = ready(&idle_then(&["assign 101", "commit 101", "assign 101", "assign 100"]));
    assert_eq!(once, twice);
    assert_eq!(once.list(), (100, 102, &[100][..]));
}

#[test]
fn assigned_above_latest_completed_is_not_listed() {
    let seen = ready(&idle_then(&["assign 100", "assign 101", "commit 100"]));
    assert_eq!(seen.list(), (101, 101, &[][..]));
    assert_eq!(seen.next, 102);
}

#[test]
fn a_tree_is_observed_up_to_its_highest_id() {
    let seen = ready(&idle_then(&["commit 100 102 104", "commit 105"]));
    assert_eq!(seen.list(), (101, 106, &[101, 103][..]));
}

#[test]
fn a_subtransaction_leaves_before_its_top() {
    let seen = ready(&idle_then(&["assign 100", "assign 101", "abort 101"]));
    assert_eq!(seen.list(), (100, 102, &[100][..]));
}

#[test]
fn queries_wait_for_a_complete_list() {
    assert_eq!(seen(&["init 100 100"]), None);
    assert_eq!(seen(&["init 100 90", "running_xacts 100 99 90 1 1 0 90"]), None);
    assert!(seen(&["init 100 90", "running_xacts 100 99 90 0 1 0 90"]).is_some());
}

#[test]
fn the_first_list_leaves_out_what_ended_before_it() {
    let lines = ["init 100 90", "commit 95 97", "running_xacts 100 99 90 0 3 1 90 95 96 97"];
    assert_eq!(ready(&lines).list(), (90, 100, &[90, 96][..]));
}

/// Below `oldest` the record itself says that nothing runs; from it on, what ended while pending is remembered.
#[test]
fn a_later_list_leaves_out_what_ended_while_pending() {
    let lines = [
        "init 100 90",
        "running_xacts 100 99 90 1 1 0 90",
        "commit 95 97",
        "running_xacts 100 99 90 0 3 1 90 95 96 97",
    ];
    assert_eq!(ready(&lines).list(), (90, 100, &[90, 96][..]));
}

#[test]
fn starting_over_forgets_the_old_list() {
    // 94 runs in the first list and is in no later one; no record says that it ended.
    let lines = [
        "init 100 90",
        "running_xacts 100 99 90 1 2 0 90 94",
        "assign 103",
        "running_xacts 102 99 90 0 1 0 90",
        "commit 105",
    ];
    let seen = ready(&lines);
    // Neither 94 nor what was observed meanwhile, up to 103; from there on gaps are filled as ever.
    assert_eq!(seen.list(), (90, 106, &[90, 104][..]));
}

#[test]
fn pending_ends_when_the_oldest_lies_above_what_had_begun() {
    let pending = ["init 100 90", "running_xacts 100 99 90 1 1 0 90"];
    let with = |record: &'static str| seen(&[pending[0], pending[1], "assign 101", record]);
    // 99 is the latest observed id at the first list: `>`, not `>=`.
    assert_eq!(with("running_xacts 102 99 99 1 1 0 100"), None);
    let ready = with("running_xacts 102 99 100 1 1 0 100").expect("100 > 99");
    assert_eq!(ready.list(), (100, 100, &[][..]));
    assert!(!ready.suboverflowed, "the oldest lies above the last overflowed id");
}

#[test]
fn an_overflowed_empty_list_starts_over() {
    let lines = [
        "init 100 90",
        "running_xacts 100 99 90 1 2 0 90 94",
        "running_xacts 102 99 90 1 0 0",
        "running_xacts 104 103 102 1 1 0 103",
    ];
    // The second list raises what had begun to 101, so that 102 is above it.
    assert!(seen(&lines).is_some());
    let still = [
        "init 100 90",
        "running_xacts 100 99 90 1 2 0 90 94",
        "running_xacts 110 99 90 1 0 0",
        lines[3],
    ];
    assert_eq!(seen(&still), None, "102 is not above 109");
}

#[test]
fn latest_completed_comes_from_the_first_list_alone() {
    let seen = ready(&["init 100 90", "running_xacts 100 97 90 0 1 0 90"]);
    assert_eq!(seen.xmax, 98);
    let seen = ready(&idle_then(&["assign 110", "running_xacts 111 109 100 0 1 0 100"]));
    assert_eq!(seen.list(), (100, 100, &[][..]), "later on it is passed over");
}

#[test]
fn later_lists_add_nothing_and_expire_what_is_older() {
    let seen =
        ready(&idle_then(&["assign 104", "commit 104", "running_xacts 108 104 102 0 2 0 102 106"]));
    assert_eq!(seen.list(), (102, 105, &[102, 103][..]));
    assert_eq!(seen.next, 108);
}

#[test]
fn assignment_hides_subtransactions_behind_their_top() {
    let seen = ready(&idle_then(&["assign 100", "assignment 100 101 102", "commit 103"]));
    assert_eq!(seen.list(), (100, 104, &[100][..]));
    assert!(seen.suboverflowed);
    assert_eq!(seen.hidden, [101, 102]);
}

#[test]
fn assignment_may_be_the_first_mention_of_its_newest_subtransaction() {
    let seen = ready(&idle_then(&["assignment 100 102", "commit 103"]));
    assert_eq!(seen.list(), (100, 104, &[100, 101][..]));
    assert_eq!(seen.hidden, [102]);
}

#[test]
fn the_last_overflowed_id_is_a_maximum_with_itself() {
    let lines = idle_then(&["assignment 100 105", "assignment 101 102", "commit 106"]);
    // It stays 105: a record that says the oldest to be 104 does not clear it.
    let seen = ready(&[&lines[..], &["running_xacts 110 106 104 0 1 0 104"]].concat());
    assert_eq!(seen.list(), (104, 107, &[104][..]));
    assert!(seen.suboverflowed);
    let seen = ready(&[&lines[..], &["running_xacts 110 106 106 0 0 0"]].concat());
    assert!(!seen.suboverflowed, "cleared from 106 on");
}

#[test]
fn an_xmin_equal_to_the_last_overflowed_id_counts() {
    let lines = idle_then(&["assignment 100 101", "assign 103", "commit 100", "commit 103"]);
    // KA: 102. The last overflowed id is 101.
    assert!(!ready(&lines).suboverflowed);
    let lines = idle_then(&["assignment 100 102", "commit 103", "abort 100"]);
    assert!(ready(&lines).suboverflowed, "xmin 101 below 102");
    // xmin = last overflowed = 104, by an xmax that has come no further.
    let lines =
        idle_then(&["assignment 100 104", "commit 100", "commit 103", "abort 101", "abort 102"]);
    let seen = ready(&lines);
    assert_eq!(seen.list(), (104, 104, &[][..]));
    assert!(seen.suboverflowed);
}

#[test]
fn a_parent_below_xmin_is_over() {
    let lines = idle_then(&["assign 100", "assignment 100 103", "commit 100", "commit 104"]);
    let seen = ready(&lines);
    assert_eq!(seen.list(), (101, 105, &[101, 102][..]));
    assert!(seen.suboverflowed);
    assert!(seen.hidden.is_empty());
}

#[test]
fn parents_of_parents_are_asked() {
    let seen = ready(&idle_then(&[
        "assign 100",
        "assignment 101 102",
        "assignment 100 101",
        "commit 103",
    ]));
    assert_eq!(seen.list(), (100, 104, &[100][..]));
    assert_eq!(seen.hidden, [101, 102]);
}

#[test]
fn before_a_list_assignment_tells_of_parents_only() {
    let lines =
        ["init 100 90", "assignment 90 96 97", "running_xacts 100 95 90 0 2 0 90 97", "commit 100"];
    let seen = ready(&lines);
    assert_eq!(seen.list(), (90, 101, &[90, 97][..]));
    assert!(!seen.suboverflowed);
}

#[test]
fn prepared_goes_on_running() {
    let seen = ready(&idle_then(&["assign 100", "prepare 100", "commit 101"]));
    assert_eq!(seen.list(), (100, 102, &[100][..]));
    let seen = ready(&idle_then(&["assign 100", "prepare 100 102"]));
    assert_eq!(seen.next, 101, "prepare observes nothing: the record that carries the id does");
    let seen = ready(&idle_then(&["assign 101", "prepare 100", "commit_prepared 100"]));
    assert_eq!(seen.list(), (101, 101, &[][..]));
}

#[test]
fn a_shutdown_checkpoint_ends_all_but_prepared_ones() {
    let lines = idle_then(&["assign 104", "commit 103", "checkpoint_shutdown 110 0"]);
    let seen = ready(&lines);
    assert_eq!(seen.list(), (110, 110, &[][..]));
    assert_eq!(seen.next, 110);
}

#[test]
fn a_crash_leaves_victims_above_the_oldest_prepared_one() {
    let lines =
        idle_then(&["assign 105", "prepare 102", "commit 104", "checkpoint_shutdown 110 0"]);
    assert_eq!(ready(&lines).list(), (102, 105, &[102, 103][..]));
    let later = [&lines[..], &["commit_prepared 102", "checkpoint_shutdown 112 0"]].concat();
    assert_eq!(ready(&later).list(), (112, 112, &[][..]));
}

#[test]
fn a_shutdown_checkpoint_sets_the_next_id_exactly() {
    let lines = idle_then(&["assign 101", "checkpoint_online 120 100"]);
    assert_eq!(ready(&lines).next, 120);
    assert_eq!(ready(&[&lines[..], &["checkpoint_shutdown 110 0"]].concat()).next, 110);
    assert_eq!(ready(&[&lines[..], &["checkpoint_online 110 100"]].concat()).next, 120);
}

#[test]
fn ids_lost_in_a_crash_run_until_the_next_list() {
    // 100 and 101 had been handed out, no record was written; the next id after the crash is 102.
    let lines = idle_then(&["checkpoint_shutdown 102 0", "commit 103"]);
    assert_eq!(ready(&lines).list(), (100, 104, &[100, 101, 102][..]));
    let later = [&lines[..], &["running_xacts 104 103 102 0 1 0 102"]].concat();
    assert_eq!(ready(&later).list(), (102, 104, &[102][..]));
}

#[test]
fn a_start_at_a_shutdown_checkpoint_is_usable_at_once() {
    let seen = ready(&["init_shutdown 100 0"]);
    assert_eq!(seen.list(), (100, 100, &[][..]));
    assert!(!seen.suboverflowed);
    let seen = ready(&["init_shutdown 100 0", "init_prepared 97 98", "init_prepared 92 94 95"]);
    assert_eq!(seen.list(), (92, 100, &[92, 97][..]));
    assert!(
        seen.suboverflowed,
        "subtransactions of prepared ones are known through their parents only"
    );
    assert_eq!(seen.hidden, [94, 95, 98]);
    let seen = ready(&[
        "init_shutdown 100 0",
        "init_prepared 97 98",
        "init_prepared 92 94 95",
        "commit_prepared 92 94 95",
        "commit 101",
    ]);
    assert_eq!(seen.list(), (97, 102, &[97, 100][..]));
    assert_eq!(seen.hidden, [98]);
}

#[test]
fn a_shutdown_checkpoint_makes_any_standby_usable() {
    for waiting in ["assign 101", "running_xacts 100 99 90 1 1 0 90"] {
        let lines = ["init 100 90", "init_prepared 92 94 95", waiting, "checkpoint_shutdown 105 0"];
        let seen = ready(&lines);
        assert_eq!(seen.list(), (92, 105, &[92][..]));
        assert!(seen.suboverflowed);
        assert_eq!(seen.hidden, [94, 95]);
        assert_eq!(seen.next, 105);
        let last_overflowed = [&lines[..], &["commit_prepared 92 94 95", "commit 106"]].concat();
        let seen = ready(&last_overflowed);
        assert_eq!(seen.list(), (105, 107, &[105][..]));
        assert!(!seen.suboverflowed, "105 lies above 104, the last overflowed id");
    }
}

#[test]
fn counting_skips_the_reserved_ids() {
    // Epoch 5 ends at 4294967295, epoch 6 begins with 3.
    const LAST: u64 = (5 << 32) + 4_294_967_295;
    const FIRST: u64 = (6 << 32) + 3;
    let lines =
        ["init 25769803775 4294967295", "running_xacts 4294967295 4294967294 4294967295 0 0 0"];
    let seen = ready(&[&lines[..], &["commit 4294967295"]].concat());
    assert_eq!((seen.xmin, seen.xmax, seen.next), (FIRST, FIRST, FIRST), "up");
    let seen = ready(&[&lines[..], &["assign 4", "commit 4"]].concat());
    assert_eq!(seen.list(), (LAST, FIRST + 2, &[LAST, FIRST][..]));
    // Oldest running 3: latest completed is 4294967295, not 2.
    let seen =
        ready(&[&lines[..], &["assign 4", "running_xacts 5 4294967295 3 0 2 0 3 4"]].concat());
    assert_eq!(seen.list(), (FIRST, FIRST, &[][..]), "down");
    let seen = ready(&["init_shutdown 25769803779 0"]);
    assert_eq!((seen.xmin, seen.xmax), (FIRST, FIRST));
}

/// Text of pg_waldump: what was prepared before it begins is not known, and a shutdown checkpoint in between ends it.
#[test]
fn a_prepared_transaction_that_nothing_told_of_may_end() {
    let record = |lsn: u32, manager: &str, desc: &str| {
        format!(
            "rmgr: {manager:<11} len (rec/tot):     34/    34, tx:          0, lsn: 0/{lsn:X}, prev 0/0, desc: {desc}\n"
        )
    };
    let checkpoint = |lsn, next| {
        record(
            lsn,
            "XLOG",
            &format!("CHECKPOINT_SHUTDOWN redo 0/28; xid 0:{next}; oldest running xid 0; shutdown"),
        )
    };
    let end = record(0xC8, "Transaction", "ABORT_PREPARED 90: now; subxacts: 112");
    let text = checkpoint(0x28, 100) + &checkpoint(0x78, 110) + &end;
    let reader = harness::trace::TraceReader::new(std::io::Cursor::new(text), "dump").unwrap();
    let mut machine = common::play::<harness::locked_set::LockedSet>(reader, ()).unwrap();
    let seen = common::look(&mut machine).unwrap();
    // 100 to 109 were lost; 110 and 111 had begun when 112 had.
    assert_eq!(seen.xip, (100..112).collect::<Vec<_>>());
    assert_eq!(seen.xmax, 113);
}
