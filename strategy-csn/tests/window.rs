//! One transaction stays open while millions come and go: what the log holds, and what snapshots say of it.
//!
//! `SNAPSHOT_LAWS_SCALE=50` makes it a hundred million.

use snapshot_api::{
    Restore, SessionId, Snapshot, SnapshotStrategy, Standby, Xid, dev::alloc::Account,
};
use strategy_csn::{BeginOrder, CsnConfig, CsnLog, CsnSnapshot};

snapshot_api::counting_allocator!();

const FIRST: u64 = 1_000;
const SESSION: SessionId = SessionId::new(0);

/// How many ids come and go.
fn others() -> u64 {
    let scale = std::env::var("SNAPSHOT_LAWS_SCALE").ok().and_then(|text| text.parse().ok());
    2_000_000 * scale.unwrap_or(1)
}

fn pass(log: &CsnLog, ids: std::ops::Range<u64>) {
    for id in ids.map(Xid::new) {
        log.begin(SESSION, id).expect("there is room");
        log.end(SESSION, &[id]);
    }
}

fn log(begin: BeginOrder) -> CsnLog {
    let log =
        CsnLog::restore(&CsnConfig { begin }, Xid::new(FIRST - 1), &[]).expect("an empty state");
    log.begin(SESSION, Xid::new(FIRST)).expect("there is room");
    log
}

/// Eight bytes for each 2,048 ids of the window, in a ring that doubles; nothing else grows.
#[test]
fn one_transaction_stays_open() {
    for begin in [BeginOrder::Any, BeginOrder::Rising] {
        let account = Account::open();
        account.enter(|| {
            let log = log(begin);
            pass(&log, FIRST + 1..FIRST + 200_000);
            let settled = account.bytes();
            let end = FIRST + 200_000 + others();
            pass(&log, FIRST + 200_000..end);
            let grown = account.bytes() - settled;
            let ring = 4 * 8 * (end as i64 / 2_048) + (64 << 10);
            println!("{} ids beside an open one, {begin:?}: {grown} bytes more", others());
            assert!(grown <= ring, "{grown} bytes more, {ring} are for the ring");
            let mut value = log.snapshot();
            log.take(&mut value);
            assert!(value.running().eq([Xid::new(FIRST)]));
            log.end(SESSION, &[Xid::new(FIRST)]);
            log.take(&mut value);
            assert_eq!((value.xmin(), value.running().count()), (Xid::new(end), 0));
        });
    }
}

/// A value that is kept costs what ran in it and what ended until it was found to lag; and it stays as it was.
#[test]
fn a_value_is_kept() {
    let account = Account::open();
    account.enter(|| {
        let log = log(BeginOrder::Any);
        pass(&log, FIRST + 1..FIRST + 200_000);
        let settled = account.bytes();
        let mut kept: Vec<_> = (0..16).map(|_| log.snapshot()).collect();
        for (place, value) in (0..).zip(&mut kept) {
            log.take(value);
            let from = FIRST + 200_000 + place * 10_000;
            pass(&log, from..from + 10_000);
        }
        pass(&log, FIRST + 360_000..FIRST + 360_000 + others());
        let grown = account.bytes() - settled;
        let most = 16 * 8 * 2 * 2_048 + 4 * 8 * (others() as i64 / 2_048) + (64 << 10);
        println!("16 values kept: {grown} bytes more");
        assert!(grown <= most, "{grown} bytes more for 16 values, at most {most}");
        log.end(SESSION, &[Xid::new(FIRST)]);
        pass(&log, FIRST + 360_000 + others()..FIRST + 720_000 + others());
        for (place, value) in (0..).zip(&kept) {
            let xmax = Xid::new(FIRST + 200_000 + place * 10_000);
            assert_eq!((value.xmin(), value.xmax()), (Xid::new(FIRST), xmax));
            assert!(value.running().eq([Xid::new(FIRST)]));
            assert!(!value.is_running(xmax.prev()) && value.is_running(Xid::new(FIRST)));
        }
    });
}

/// Values that come and go leave nothing behind, and hold nothing back.
#[test]
fn values_come_and_go() {
    let account = Account::open();
    account.enter(|| {
        let log = log(BeginOrder::Any);
        let mut next = FIRST + 1;
        let mut turns = |turns: u64| {
            for _ in 0..turns {
                let mut values = [log.snapshot(), log.snapshot()];
                values.iter_mut().for_each(|value| log.take(value));
                pass(&log, next..next + 100);
                next += 100;
            }
            account.bytes()
        };
        let settled = turns(2_000);
        let grown = turns(10_000) - settled;
        assert!(grown <= 64 << 10, "20,000 values left {grown} bytes behind");
    });
}

/// Every other id of a wide window runs: old pages keep thousands of numbers, and find each of them.
#[test]
fn half_of_a_window_runs() {
    let log = log(BeginOrder::Any);
    let last = FIRST + 400_001;
    let odd = |id: &u64| id % 2 == 1;
    for id in (FIRST + 1..=last).filter(odd).map(Xid::new) {
        log.end(SESSION, &[id]);
    }
    let mut value = log.snapshot();
    log.take(&mut value);
    assert!(value.running().eq((FIRST..last).filter(|id| !odd(id)).map(Xid::new)));
    // The newest ones end first: their pages have been folded, or have kept their frames.
    for id in (FIRST..last).filter(|id| !odd(id)).rev().map(Xid::new) {
        assert!(value.is_running(id) && !value.is_running(id.next()));
        log.end(SESSION, &[id]);
    }
    assert_eq!(value.running().count() as u64, (last - FIRST) / 2 + 1);
    log.take(&mut value);
    assert_eq!((value.xmin(), value.xmax()), (Xid::new(last + 1), Xid::new(last + 1)));
}

/// Pages in which a thousand ids run and then two: the room of the thousand is used again.
#[test]
fn crowded_pages_empty() {
    const PAGES: u64 = 100;
    let account = Account::open();
    account.enter(|| {
        let log = log(BeginOrder::Any);
        let mut first = 2_048;
        let mut wave = || {
            let last = first + PAGES * 2_048;
            for id in (first..last).filter(|id| id % 2 == 1).map(Xid::new) {
                log.end(SESSION, &[id]);
            }
            pass(&log, last..last + 20 * 2_048);
            for id in (first..last).filter(|id| id % 2 == 0 && id % 2_048 >= 4).map(Xid::new) {
                log.end(SESSION, &[id]);
            }
            // As many ids come by as there are words to look over.
            first = last + 120 * 2_048;
            pass(&log, last + 20 * 2_048..first);
            account.bytes()
        };
        let once = wave();
        let more = (0..4).map(|_| wave()).last().expect("there are four") - once;
        assert!(more < once / 2, "{once} bytes for one wave, {more} more for four others");
    });
}

/// An id ends in a page whose place in the dense log a newer page has taken already.
#[test]
fn an_end_comes_late_to_its_page() {
    let log = log(BeginOrder::Any);
    let newer = FIRST + 17 * 2_048;
    log.end(SESSION, &[Xid::new(newer)]);
    let mut before = log.snapshot();
    log.take(&mut before);
    let late = [FIRST, FIRST + 1, FIRST + 2_048].map(Xid::new);
    log.end(SESSION, &late);
    let mut value = log.snapshot();
    log.take(&mut value);
    let running = |except: &[Xid]| {
        (FIRST..newer).map(Xid::new).filter(|id| !except.contains(id)).collect::<Vec<_>>()
    };
    assert!(value.running().eq(running(&late)));
    assert!(before.running().eq(running(&[])));
    assert_eq!(value.xmin(), Xid::new(FIRST + 2));
}

/// What ended once in a page that is old keeps its number when it ends again, alone or below a prune.
#[test]
fn what_ended_in_an_old_page_stays_ended() {
    let log = log(BeginOrder::Any);
    let old: Vec<Xid> = (FIRST..FIRST + 6).map(Xid::new).collect();
    pass(&log, FIRST + 6..FIRST + 100_000);
    let mut before = log.snapshot();
    log.take(&mut before);
    // The first one stays, so that no bound decides of the others.
    log.end(SESSION, &old[1..3]);
    let mut between = log.snapshot();
    log.take(&mut between);
    log.end(SESSION, &old[1..2]);
    log.end(SESSION, &old[1..4]);
    log.prune(old[5]);
    let runs = |value: &CsnSnapshot| value.running().collect::<Vec<_>>();
    let mut after = log.snapshot();
    log.take(&mut after);
    for _ in 0..2 {
        assert_eq!(runs(&before), old);
        assert_eq!(runs(&between), [old[0], old[3], old[4], old[5]]);
        assert_eq!(runs(&after), old[5..]);
        assert!(old.iter().all(|&id| between.is_running(id) != old[1..3].contains(&id)));
        // Once more when the page has been folded.
        pass(&log, after.xmax().get()..after.xmax().get() + 100_000);
    }
}

/// The widest window there can be, and one id beyond it.
#[test]
fn beyond_the_window() {
    let log = log(BeginOrder::Any);
    let most = (1_u64 << 26) * 2_048;
    let beyond = Xid::new(FIRST / 2_048 * 2_048 + most);
    let refused = log.begin(SESSION, beyond).expect_err("no ring is that long");
    assert_eq!(
        refused.to_string(),
        format!("all {most} ids from the oldest that runs on are in use")
    );
    log.end(SESSION, &[beyond]);
    let mut value = log.snapshot();
    log.take(&mut value);
    assert_eq!(value.xmax(), Xid::new(FIRST), "an id that cannot have been begun does not end");
    log.end(SESSION, &[beyond, Xid::new(FIRST), Xid::new(FIRST + 1)]);
    log.take(&mut value);
    assert_eq!(value.xmax(), Xid::new(FIRST + 2), "and spoils no end of those beside it");
    assert_eq!(value.running().count(), 0);
    assert!(CsnLog::restore(&CsnConfig::default(), beyond, &[Xid::new(FIRST)]).is_err());
}
