//! Models of the log's protocols, in every interleaving: the log itself with pages of two ids, and small models of the orders
//! that look right and are wrong.
//!
//! `RUSTFLAGS="--cfg snapshot_loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p strategy-csn --test loom`
#![cfg(snapshot_loom)]

#[path = "loom/orders.rs"]
mod orders;

use snapshot_api::dev::interleavings::every;
use std::sync::Arc;

use loom::thread::{self, JoinHandle};
use snapshot_api::{Restore, SessionId, Snapshot, SnapshotStrategy, Xid};
use strategy_csn::{CsnConfig, CsnLog, CsnSnapshot};

const SESSION: SessionId = SessionId::new(0);

/// Runs `f` in every interleaving, of which there are many.
fn model(f: impl Fn() + Send + Sync + 'static) {
    let runs = every(f);
    assert!(runs > 50, "the threads hardly meet: {runs} interleavings");
}

fn ids(range: impl IntoIterator<Item = u64>) -> Vec<Xid> {
    range.into_iter().map(Xid::new).collect()
}

/// A log in which these ids run and all others below 20 have ended. Pages hold two ids, and two of them are dense.
fn log(running: &[u64], latest: u64) -> Arc<CsnLog> {
    let running = ids(running.iter().copied());
    Arc::new(CsnLog::restore(&CsnConfig::default(), Xid::new(latest), &running).expect("it fits"))
}

fn ends(log: &Arc<CsnLog>, trees: Vec<Vec<u64>>) -> JoinHandle<()> {
    let log = Arc::clone(log);
    thread::spawn(move || trees.into_iter().for_each(|tree| log.end(SESSION, &ids(tree))))
}

fn taken(log: &CsnLog) -> CsnSnapshot {
    let mut value = log.snapshot();
    log.take(&mut value);
    value
}

fn answers(value: &CsnSnapshot, of: &[u64]) -> Vec<bool> {
    of.iter().map(|&id| value.is_running(Xid::new(id))).collect()
}

/// A tree ends beside a reader: all of it or nothing, also the part that lies beyond the first snapshot's xmax.
#[test]
fn a_tree_ends_whole() {
    model(|| {
        let log = log(&[4, 6], 5);
        let ender = ends(&log, vec![vec![4, 6]]);
        let value = taken(&log);
        let first = answers(&value, &[4, 6]);
        assert!(first[0] == first[1], "half of a tree has ended");
        ender.join().expect("no panic");
        assert_eq!(first, answers(&value, &[4, 6]), "a value changed");
        assert_eq!(answers(&taken(&log), &[4, 6]), [false, false], "the end has returned");
    });
}

/// Two ends beside a reader that takes twice: what it saw ended stays ended.
#[test]
fn what_ended_stays_ended() {
    model(|| {
        let log = log(&[4, 5], 5);
        let ender = ends(&log, vec![vec![4], vec![5]]);
        let mut value = taken(&log);
        let first = answers(&value, &[4, 5]);
        log.take(&mut value);
        let second = answers(&value, &[4, 5]);
        assert!(second[0] <= first[0] && second[1] <= first[1], "what had ended runs again");
        ender.join().expect("no panic");
        assert_eq!(answers(&taken(&log), &[4, 5]), [false, false], "both ends have returned");
    });
}

/// Two threads end at once, and each finds its own end in its next snapshot.
#[test]
fn own_end_is_seen() {
    model(|| {
        let log = log(&[4, 5], 5);
        let other = {
            let log = Arc::clone(&log);
            thread::spawn(move || {
                log.end(SESSION, &ids([5]));
                assert_eq!(answers(&taken(&log), &[5]), [false], "an own end is not seen");
            })
        };
        log.end(SESSION, &ids([4]));
        assert_eq!(answers(&taken(&log), &[4]), [false], "an own end is not seen");
        other.join().expect("no panic");
    });
}

/// Ends raise xmax beside a reader with two values: the one taken earlier does not have the higher xmax.
#[test]
fn xmax_beside_ends() {
    model(|| {
        let log = log(&[4], 3);
        let [mut other, mut value] = [taken(&log), taken(&log)];
        let ender = ends(&log, vec![vec![4], vec![5]]);
        log.take(&mut other);
        log.take(&mut value);
        assert!(other.xmax() <= value.xmax(), "xmax goes back");
        ender.join().expect("no panic");
    });
}

/// A value registers for the first time while pages turn and fold: what it said it still says afterwards.
#[test]
fn registration_beside_a_fold() {
    model(|| {
        let log = log(&[4], 5);
        let ender = ends(&log, vec![vec![4], vec![6, 8]]);
        let value = taken(&log);
        let first = answers(&value, &[4, 6]);
        ender.join().expect("no panic");
        assert_eq!(first, answers(&value, &[4, 6]), "a value changed");
    });
}

/// The same for a value that takes again, while the writer finds that its slot lags and marks it.
#[test]
fn taking_again_beside_a_fold() {
    model(|| {
        let log = log(&[4, 5], 5);
        let mut value = taken(&log);
        let ender = ends(&log, vec![vec![4], vec![6], vec![8], vec![10]]);
        log.take(&mut value);
        let first = answers(&value, &[4, 6, 8]);
        ender.join().expect("no panic");
        assert_eq!(first, answers(&value, &[4, 6, 8]), "a value changed");
    });
}

/// A value that is kept is asked while its page loses its frame to another one.
#[test]
fn a_page_turns_beside_a_look_up() {
    model(|| {
        let log = log(&[4, 5], 5);
        log.end(SESSION, &ids([5]));
        let value = taken(&log);
        let ender = ends(&log, vec![vec![4, 6], vec![8], vec![10]]);
        assert_eq!(
            answers(&value, &[4, 5, 6]),
            [true, false, true],
            "a page was taken for another"
        );
        ender.join().expect("no panic");
        assert_eq!(answers(&value, &[4, 5, 6]), [true, false, true], "a value changed");
    });
}

/// A page opens late, behind one that is newer, while a value that has it below xmax is asked: its frame held another page.
#[test]
fn a_page_opens_late_beside_a_look_up() {
    model(|| {
        let log = log(&[4], 5);
        log.end(SESSION, &ids([10]));
        let value = taken(&log);
        let ender = ends(&log, vec![vec![8]]);
        assert_eq!(
            answers(&value, &[8, 9]),
            [true, true],
            "a frame was read before it was cleared"
        );
        ender.join().expect("no panic");
        assert_eq!(answers(&value, &[8, 9]), [true, true], "a value changed");
    });
}

/// A block of the arena is used for another page while a value of the page that had it is asked. The value does not need the
/// block: the only number in it is of an id behind its xmax.
#[test]
fn a_block_is_used_again_beside_a_look_up() {
    model(|| {
        let log = log(&[3, 5], 4);
        let value = taken(&log);
        for id in [3, 7, 9, 5] {
            log.end(SESSION, &ids([id]));
        }
        let ender = ends(&log, vec![vec![11], vec![6]]);
        assert_eq!(answers(&value, &[4]), [false], "a block was taken for another page's");
        ender.join().expect("no panic");
        assert_eq!(answers(&value, &[3, 4, 5]), [true, false, true], "a value changed");
    });
}

/// One id stays while pages pass, so that the ring is replaced by a longer one under a reader.
#[test]
fn the_ring_grows_beside_a_look_up() {
    model(|| {
        let log = log(&[4, 7], 7);
        let value = taken(&log);
        let ender = ends(&log, vec![vec![8], vec![10]]);
        assert_eq!(
            answers(&value, &[4, 5, 7, 8]),
            [true, false, true, true],
            "lost in the old ring"
        );
        ender.join().expect("no panic");
        assert_eq!(answers(&value, &[4, 5, 7, 8]), [true, false, true, true], "a value changed");
    });
}

/// xmin is the lowest id that runs in the snapshot, whatever ends beside the take.
#[test]
fn xmin_beside_ends() {
    model(|| {
        let log = log(&[4, 5], 6);
        let ender = ends(&log, vec![vec![4], vec![5]]);
        let value = taken(&log);
        let lowest = [4, 5].map(Xid::new).into_iter().find(|&xid| value.is_running(xid));
        assert_eq!(
            value.xmin(),
            lowest.unwrap_or(value.xmax()),
            "xmin is not the lowest that runs"
        );
        ender.join().expect("no panic");
        assert_eq!(taken(&log).xmin(), Xid::new(7), "both ends have returned");
    });
}
