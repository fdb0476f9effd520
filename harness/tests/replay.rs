//! `replay`: what it counts and what it finds. The command itself is in `replay_command.rs`.

mod common;

use harness::{
    locked_set::LockedSet,
    nothing::Nothing,
    recordings::{BUILT_IN, Recording},
    registry::{STANDBYS, StandbyVisitor, visit_standby},
    replay::{History, Input, Looked, Unusable, look, time},
    trace::{Format, TraceReader},
};
use snapshot_api::{
    BeginError, Facts, ListSnapshot, Restore, RestoreError, SessionId, Snapshot, SnapshotStrategy,
    Standby, Xid,
};
use strategy_baseline::{BooleanArray, BooleanArrayConfig};

const EVERY_RECORD: &[u8] = include_bytes!("../recordings/w11_every_record/events.txt.gz");
const DUMP: &[u8] =
    include_bytes!("../recordings/pg_waldump_raw/w11_every_record.pg_waldump.txt.gz");

fn history(text: &[u8]) -> History {
    History::read(&Input::new(text, "text", None).unwrap()).unwrap()
}

struct Look<'a>(&'a History, usize);

impl StandbyVisitor for Look<'_> {
    type Output = Looked;

    fn visit<S: Standby + 'static>(self, config: S::Config) -> Looked {
        look::<S>(self.0, config, self.1)
    }
}

fn looked(strategy: &str, history: &History, every: usize) -> Looked {
    visit_standby(strategy, Look(history, every)).unwrap()
}

/// Ids 100 to 100 + `others`, of which 100 alone stays.
fn one_old_transaction(others: u64) -> Vec<u8> {
    let mut lines = vec!["init 100 100".to_owned(), "running_xacts 100 99 100 0 0 0".to_owned()];
    lines.push("assign 100".into());
    for id in 101..=100 + others {
        lines.push(format!("assign {id}"));
        lines.push(format!("commit {id}"));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    common::numbered(&lines).into_bytes()
}

#[test]
fn a_history_is_the_events_of_its_text() {
    for recording in BUILT_IN {
        let Recording::BuiltIn { name, events, .. } = recording else { unreachable!() };
        let history = history(events);
        let mut reader = recording.events().unwrap();
        let mut all = history.events();
        while let Some(event) = reader.next_event().unwrap() {
            assert_eq!(all.next().as_ref(), Some(&event), "{name}");
        }
        assert_eq!(all.next(), None, "{name}");
        assert_eq!(all.clone().count(), 0);
        let count = history.events().count();
        assert_eq!(history.before_ready() + history.after_ready(), count, "{name}");
    }
}

#[test]
fn all_strategies_are_right_on_the_small_recordings() {
    for recording in &BUILT_IN[..9] {
        let Recording::BuiltIn { name, events, .. } = recording else { unreachable!() };
        let history = history(events);
        for strategy in STANDBYS {
            let seen = looked(strategy, &history, 7);
            assert_eq!(seen.difference, None, "{name}, {strategy}");
            assert_eq!(seen.snapshots, history.after_ready() as u64 / 7, "{name}, {strategy}");
            assert!(seen.window.max().unwrap() as f64 >= seen.window.mean().unwrap());
            assert!(seen.running.max() <= seen.window.max());
            assert_eq!(seen.span.max().is_some(), strategy.contains("boolean-array"), "{strategy}");
            assert_eq!(seen.bytes, None, "no allocator counts in this program");
        }
    }
}

#[test]
fn text_of_pg_waldump_may_begin_anywhere() {
    let dump = common::gunzip(DUMP);
    let whole = history(&dump);
    let lines: Vec<&[u8]> = dump.split_inclusive(|&byte| byte == b'\n').collect();
    let from_the_middle = lines[lines.len() / 3..].concat();
    let input = Input::new(&from_the_middle[..], "middle", None).unwrap();
    assert_eq!(input.format(), Format::WalDump);
    let part = History::read(&input).unwrap();
    assert!(part.before_ready() > 2, "what comes before a checkpoint is passed over");
    assert!(part.after_ready() < whole.after_ready());
    for strategy in STANDBYS {
        let seen = looked(strategy, &part, 1);
        assert_eq!(seen.difference, None, "{strategy}");
        assert_eq!(seen.snapshots, part.after_ready() as u64);
    }
}

#[test]
fn counts_what_a_reader_meets() {
    let history = history(&one_old_transaction(40_000));
    assert_eq!((history.before_ready(), history.after_ready()), (2, 80_001));
    // After 100, 200 … 80,000 events: 100 and half of the others; of the last two events one is an assign.
    let seen = looked("locked-set", &history, 100);
    assert_eq!((seen.snapshots, seen.window.max()), (800, Some(40_001)));
    assert_eq!((seen.running.max(), seen.running.mean()), (Some(1), Some(1.0)));
    assert_eq!(seen.window.mean(), Some((51.0 + 40_001.0) / 2.0));
    assert_eq!(seen.span.max(), None);
    let original = looked("boolean-array(original)", &history, 100);
    let since = looked("boolean-array(15.2)", &history, 100);
    let cached = looked("shared-cache(boolean-array(15.2))", &history, 100);
    let limit = BooleanArrayConfig::default().original_span() as u64;
    let longest = original.span.max().unwrap();
    assert!(longest <= limit && longest > limit - 200, "{longest}");
    assert!(since.span.max().unwrap() < 300, "{since:?}");
    assert_eq!(since.span, cached.span);
    assert_eq!(looked("locked-set", &history, 0).window.max(), None, "no snapshot, no window");
}

#[test]
fn times_every_event_and_snapshot() {
    let history = history(&one_old_transaction(1_000));
    for (every, snapshots) in [(0, 0), (1, 2_001), (64, 31), (100, 20), (5_000, 0)] {
        let timing = time::<LockedSet>(&history, (), every).unwrap();
        assert_eq!((timing.events(), timing.snapshots()), (2_001, snapshots), "{every}");
        let nothing = time::<Nothing>(&history, (), every).unwrap();
        assert_eq!((nothing.events(), nothing.snapshots()), (2_001, snapshots), "{every}");
        assert!(timing.ns_per_event().unwrap() > 0.0);
        assert_eq!(timing.takes().is_some(), snapshots > 0);
    }
    let at_the_end = self::history(b"0/28 init_shutdown 100 0\n");
    assert_eq!(time::<LockedSet>(&at_the_end, (), 1).unwrap().ns_per_event(), None);
}

/// A set with one mistake.
struct Buggy {
    set: LockedSet,
    bug: Bug,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Bug {
    #[default]
    None,
    /// 150 never ends.
    KeepsOne,
    /// The list lacks 100 as long as 150 runs: right again at the end.
    LacksOneForAWhile,
    /// Prunes nothing.
    PruneDoesNothing,
    /// 150 is too much.
    RefusesOne,
}

/// Dense ids are PostgreSQL's own in the first epoch.
const ODD: Xid = Xid::new(150);

impl SnapshotStrategy for Buggy {
    type Snapshot = ListSnapshot;

    fn facts(&self) -> Facts {
        self.set.facts()
    }

    fn snapshot(&self) -> ListSnapshot {
        ListSnapshot::new()
    }

    fn begin(&self, session: SessionId, xid: Xid) -> Result<(), BeginError> {
        if self.bug == Bug::RefusesOne && xid >= ODD {
            return Err(BeginError::NotNormal(xid));
        }
        self.set.begin(session, xid)
    }

    fn end(&self, session: SessionId, tree: &[Xid]) {
        if self.bug != Bug::KeepsOne || tree[0] != ODD {
            self.set.end(session, tree);
        }
    }

    fn take(&self, snapshot: &mut ListSnapshot) {
        self.set.take(snapshot);
        let xmax = snapshot.xmax();
        if self.bug == Bug::LacksOneForAWhile && xmax == ODD {
            let all: Vec<Xid> = snapshot.running().skip(1).collect();
            snapshot.refill(xmax).extend(all);
        }
    }
}

impl Restore for Buggy {
    type Config = Bug;

    fn restore(&bug: &Bug, latest: Xid, running: &[Xid]) -> Result<Self, RestoreError> {
        LockedSet::restore(&(), latest, running).map(|set| Buggy { set, bug })
    }
}

impl Standby for Buggy {
    fn forget(&self, xids: &[Xid]) {
        self.set.forget(xids);
    }

    fn complete(&self, latest: Xid) {
        self.set.complete(latest);
    }

    fn prune(&self, below: Xid) {
        if self.bug != Bug::PruneDoesNothing {
            self.set.prune(below);
        }
    }
}

#[test]
fn finds_seeded_bugs() {
    let mut text = String::from_utf8(one_old_transaction(100)).unwrap();
    text += "0/FFFF running_xacts 201 200 201 0 0 0\n";
    let history = history(text.as_bytes());
    assert_eq!(look::<Buggy>(&history, Bug::None, 1).difference, None);
    for (bug, every, told) in [
        (Bug::KeepsOne, 64, "running ids: locked-set has 1 ids"),
        (
            Bug::LacksOneForAWhile,
            1,
            "running ids: locked-set has 1 ids, from number 1 on: 100, it has 0 ids",
        ),
        (
            Bug::PruneDoesNothing,
            0,
            "running ids: locked-set has 0 ids, it has 1 ids, from number 1 on: 100",
        ),
        (Bug::RefusesOne, 64, "begin refused"),
    ] {
        let seen = look::<Buggy>(&history, bug, every);
        let difference = seen.difference.unwrap_or_else(|| panic!("{bug:?} is not found"));
        assert!(difference.contains(told), "{bug:?}: {difference}");
    }
    let missed = look::<Buggy>(&history, Bug::LacksOneForAWhile, 0);
    assert_eq!(missed.difference, None, "without snapshots the end alone is compared");
    assert!(time::<Buggy>(&history, Bug::RefusesOne, 64).unwrap_err().contains("begin refused"));
    let full = BooleanArrayConfig { processes: 1, bounded: true, ..Default::default() };
    let lines = ["init 100 100".to_owned(), "running_xacts 100 99 100 0 0 0".to_owned()];
    let many = lines.into_iter().chain((100..200).map(|id| format!("assign {id}")));
    let many: Vec<String> = many.collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let history = self::history(common::numbered(&many).as_bytes());
    let seen = look::<BooleanArray>(&history, full, 1);
    assert!(seen.difference.unwrap().contains("begin refused"));
}

#[test]
fn unusable_histories() {
    let never = common::numbered(&["init 100 100", "assign 100"]);
    let input = Input::new(never.as_bytes(), "never", None).unwrap();
    let told = History::read(&input).unwrap_err();
    assert!(matches!(told, Unusable::NeverReady { .. }));
    assert!(told.to_string().starts_with("never: expected init or init_shutdown, and later"));
    let told = Input::new(&b""[..], "empty", None).unwrap_err();
    assert_eq!(told.to_string(), "empty: expected at least one line of content");
    // The same as a reader of the text says.
    let twice = common::numbered(&["init_shutdown 100 0", "commit 100", "abort 100"]);
    let input = Input::new(twice.as_bytes(), "twice", None).unwrap();
    let told = History::read(&input).unwrap_err().to_string();
    assert!(
        told.starts_with("twice:3: contradicts the records before it (rule ends-once)"),
        "{told}"
    );
    let cut = &EVERY_RECORD[..EVERY_RECORD.len() / 2];
    let mut reader = TraceReader::new(cut, "cut").unwrap();
    let of_reader = loop {
        match reader.next_event() {
            Ok(event) => assert!(event.is_some()),
            Err(error) => break error.to_string(),
        }
    };
    assert_eq!(Input::new(cut, "cut", None).unwrap_err().to_string(), of_reader);
    assert!(of_reader.contains("the gzip stream breaks here"));
}
