//! Reports about other engines that concern a standby: what went wrong there is right here.

mod common;

use common::{error, ready, seen};
use harness::{
    locked_set::LockedSet,
    standby::{Machine, Options, Refusal, Refused},
    trace::TraceReader,
};
use snapshot_api::{
    BeginError, CapacityExceeded, Facts, ListSnapshot, Restore, RestoreError, SessionId, Snapshot,
    SnapshotStrategy, Standby, Xid,
};

/// PostgreSQL 1df21ddb: the standby died of it.
#[test]
fn a_transaction_listed_twice_while_it_is_being_prepared_is_entered_once() {
    let seen = ready(&["init 100 90", "running_xacts 100 99 90 0 3 0 95 90 95"]);
    assert_eq!(seen.list(), (90, 100, &[90, 95][..]));
}

/// PostgreSQL fb2f8e53: sorted as plain numbers, the array was out of order.
#[test]
fn the_first_list_is_sorted_across_a_wrap() {
    let next = (1_u64 << 32) + 1001;
    let init = format!("init {next} 4294967290");
    let seen =
        ready(&[&init, "running_xacts 1001 999 4294967290 0 2 0 1000 4294967290", "commit 1001"]);
    let (old, new) = (4_294_967_290, (1 << 32) + 1000);
    assert_eq!(seen.list(), (old, next + 1, &[old, new][..]));
}

/// PostgreSQL 5a031a55: "too many KnownAssignedXids".
#[test]
fn what_ended_between_taking_the_list_and_logging_it_is_left_out() {
    let mut lines = vec!["init 20000 100".to_owned()];
    lines.extend((101..20_000).map(|xid| format!("commit {xid}")));
    let ids: Vec<String> = (100..20_000).map(|xid| xid.to_string()).collect();
    lines.push(format!("running_xacts 20000 19999 100 0 {} 0 {}", ids.len(), ids.join(" ")));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(ready(&lines).list(), (100, 20_000, &[100][..]));
}

/// A strategy with few places.
struct Bounded(LockedSet, std::sync::Mutex<usize>);

const PLACES: usize = 10;

impl SnapshotStrategy for Bounded {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        Facts { capacity: Some(PLACES), ..self.0.facts() }
    }

    fn snapshot(&self) -> ListSnapshot {
        self.0.snapshot()
    }

    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        let mut used = self.1.lock().unwrap();
        if *used == PLACES {
            return Err(CapacityExceeded { what: "places", limit: PLACES }.into());
        }
        self.0.begin(session, xid)?;
        *used += 1;
        Ok(())
    }

    fn end(&self, session: SessionId, tree: &[Xid]) {
        self.0.end(session, tree);
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        self.0.take(snapshot);
    }
}

impl Restore for Bounded {
    type Config = ();

    fn restore(_config: &(), latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        Ok(Bounded(LockedSet::restore(&(), latest, running)?, running.len().into()))
    }
}

impl Standby for Bounded {
    fn forget(&self, xids: &[Xid]) {
        self.0.forget(xids);
    }

    fn complete(&self, latest: Xid) {
        self.0.complete(latest);
    }

    fn prune(&self, below: Xid) {
        self.0.prune(below);
    }
}

/// neon 7855: a burst of subtransactions was fatal.
#[test]
fn a_burst_of_subtransactions_grows_or_says_what_is_full() {
    let subs: Vec<String> = (101..5_000).map(|xid| xid.to_string()).collect();
    let commit = format!("commit 100 {}", subs.join(" "));
    let lines =
        ["init 100 100", "running_xacts 100 99 100 0 0 0", "assign 4999", "commit 5000", &commit];
    assert_eq!(ready(&lines[..4]).xip.len(), 4_900);
    assert_eq!(ready(&lines).list(), (5_001, 5_001, &[][..]));

    let text = common::numbered(&lines);
    let mut reader = TraceReader::new(std::io::Cursor::new(text), "burst").unwrap();
    let mut machine = Machine::<Bounded>::new((), Options::default()).unwrap();
    let refused = loop {
        let event = reader.next_event().unwrap().expect("it is refused before the end");
        if let Err(refused) = machine.apply(&event) {
            break refused;
        }
    };
    let full = CapacityExceeded { what: "places", limit: PLACES };
    assert_eq!(refused, Refused::Strategy(Refusal::Begin(BeginError::Full(full))));
    let view = machine.take().unwrap();
    assert_eq!((view.snapshot().xmax(), view.snapshot().running().count()), (Xid::new(100), 0));
}

/// neon 7288: a replica took unknown ids for aborted.
#[test]
fn unknown_ids_run_at_the_start() {
    let seen = ready(&["init 100 95", "running_xacts 100 94 95 0 2 0 95 97"]);
    // Nothing from 95 on has ended for certain: 96, which nobody lists, lies above latest completed.
    assert_eq!(seen.list(), (95, 95, &[][..]));
    let seen = ready(&["init 100 95", "running_xacts 100 94 95 0 2 0 95 97", "commit 101"]);
    assert_eq!(seen.list(), (95, 102, &[95, 97, 100][..]), "100 had no record");
}

/// PostgreSQL b5b418b6: they were missing.
#[test]
fn subtransactions_of_prepared_transactions_run_after_a_shutdown_checkpoint() {
    let seen = ready(&["init_shutdown 100 0", "init_prepared 90 91 92", "commit 100"]);
    assert_eq!(seen.list(), (90, 101, &[90][..]));
    assert!(seen.suboverflowed);
    assert_eq!(seen.hidden, [91, 92]);
}

/// PostgreSQL b3a83055: widened to the far future.
#[test]
fn an_id_before_epoch_0_is_the_first_one() {
    // Nearest to 100 is an id before the first: 3 stands for it, and nothing leaps to the end of the epoch.
    let seen = ready(&["init 100 4294967290", "running_xacts 100 99 4294967290 0 1 0 4294967290"]);
    assert_eq!(seen.list(), (3, 100, &[3][..]));
    assert_eq!(seen.next, 100);
}

/// neon 6412.
#[test]
fn the_id_after_the_last_one_skips_the_reserved_ones() {
    let seen = ready(&[
        "init 4294967295 4294967295",
        "running_xacts 4294967295 4294967294 4294967295 0 0 0",
        "commit 4294967295",
    ]);
    assert_eq!((seen.xmax, seen.next), ((1 << 32) + 3, (1 << 32) + 3));
    let seen = ready(&[
        "init 4294967295 4294967295",
        "running_xacts 4294967295 4294967294 4294967295 0 0 0",
        "commit 3",
    ]);
    assert_eq!(seen.list(), (4_294_967_295, (1 << 32) + 4, &[4_294_967_295][..]));
}

#[test]
fn a_leap_is_refused_before_anything_is_entered() {
    let error = error(&["init 100 100", "running_xacts 100 99 100 0 0 0", "assign 2000000000"]);
    assert!(error.to_string().contains("rule no-leap"), "{error}");
    assert_eq!(seen(&["init 100 100"]), None);
}
