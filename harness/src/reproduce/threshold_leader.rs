//! `threshold-leader`: the bug report on version 12, on the leader.

use super::{
    experiment::{Claim, Experiment, Judgement, Load, Measured},
    judge::{ALLOWED, does_less, is_more, keeps, never_waits, waits},
    points::{Scale, group, point},
    words::{counted, interval, ratio, time, times, waited},
};
use crate::loads::{LoadError, Threads};

/// What the others are multiples of; every pairing reads the same snapshots.
const SNAPSHOT: &str = "csn";
const OFF: &str = "off";
const MUTEXES: [&str; 2] = ["mutex", "mutex-os"];
const ATOMICS: [&str; 2] = ["split-atomic", "seqlock"];
/// The threads of the report at which a loss begins to show.
const CROWD: usize = 32;
/// Work on a page, swept: with less of it the lock is taken more often.
const PAGE_WORK: [f64; 3] = [4.0, 16.0, 244.0];

/// The experiment.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "threshold-leader",
    about: "a spin lock around the old-snapshot threshold, read once a page by every scan: the bug report on version 12",
    source: "BUGREPORT: Performance degradation in Postgres with old_snapshot_threshold parameter in version 12.*",
    report: "104 clients scanning a 50 GB table on a leader did 121.9 tps with the setting (mean 839.9 ms, stddev 884.8 ms) and \
             3,642.5 tps without (28.5 ms, 3.8 ms): 29.9x. The loss begins at 32 threads.",
    report_in_short: "29.9x at 104 clients",
    real: "A primary on two cores, 40 clients scanning 1 million rows, lost nothing by the setting: few pages there were changed \
           after the snapshot, and only those take the lock.",
    real_in_short: "nothing lost on 2 cores",
    here: "page-scan: each thread takes a snapshot, and on every page tests row versions and then looks at the threshold, beside \
           a slow writer. Every page takes the lock, the report's worst case.",
    limits: &[
        "30x at 104 clients is a lock's cache line passed between 32 and more cores, and waiters that sleep 1 ms and longer \
         while the lock is free. Two cores pass it between two.",
        "More threads than cores measure the other way to lose: a holder that lost its core keeps everybody out for a time \
         slice. That is no contention and grows with the time slice, not with the cores.",
    ],
    rounds: 7,
    loads,
    judge,
};

fn loads(scale: &Scale) -> Result<Vec<Load>, LoadError> {
    let pairs = |thresholds: &[&'static str]| -> Vec<(&'static str, &'static str)> {
        thresholds.iter().map(|&threshold| (SNAPSHOT, threshold)).collect()
    };
    let all = [&[OFF][..], &MUTEXES, &ATOMICS].concat();
    let mut loads = Vec::new();
    for threads in scale.threads(&[Threads::CoresLess(0), Threads::Number(CROWD)]) {
        let point = point("page-scan", threads, scale.millis(60), &[])?;
        let group = group(&point, &pairs(&all))?;
        loads.push(Load {
            title: format!("{}, 61 row versions a page", counted(threads, "thread")),
            group,
        });
    }
    for page_work in PAGE_WORK {
        let parameters = [("page-work", page_work)];
        let point = point("page-scan", scale.cores, scale.millis(60), &parameters)?;
        let group = group(&point, &pairs(&[OFF, "mutex"]))?;
        let threads = scale.cores;
        loads.push(Load {
            title: format!("{}, {page_work} row versions a page", counted(threads, "thread")),
            group,
        });
    }
    Ok(loads)
}

fn judge(loads: &[Measured<'_>]) -> Judgement {
    let mut claims = Vec::new();
    let swept = loads.len().saturating_sub(PAGE_WORK.len());
    let (whole, by_work) = loads.split_at(swept);
    for load in whole {
        let threads = counted(load.threads, "thread");
        let off = load.reference();
        for threshold in MUTEXES {
            let row = load.row(SNAPSHOT, threshold);
            claims.push(Claim::new(
                format!("{threads}: {threshold} does less than off, beyond the A/A interval"),
                format!("{}, A/A {}", ratio(row), interval(off)),
                does_less(row, off),
            ));
        }
        for threshold in ATOMICS {
            let row = load.row(SNAPSHOT, threshold);
            claims.push(Claim::new(
                format!(
                    "{threads}: {threshold} loses {:.0}% at most, or no more than off against itself",
                    ALLOWED * 100.0
                ),
                format!("{}, A/A {}", ratio(row), interval(off)),
                keeps(row, off),
            ));
        }
        let mutex = load.row(SNAPSHOT, "mutex");
        let free = ATOMICS.map(|threshold| load.row(SNAPSHOT, threshold));
        claims.push(Claim::new(
            format!("{threads}: readers wait for the mutex's lock, and never for split-atomic or seqlock"),
            format!("waits in a measurement: {}, {}, {}", waited(mutex), waited(free[0]), waited(free[1])),
            waits(mutex).and(never_waits(free[0])).and(never_waits(free[1])),
        ));
        claims.push(Claim::new(
            format!(
                "{threads}: a page's stddev is more with mutex than with off, 1.5 times and more"
            ),
            format!(
                "stddev {} and {}, mean {} and {}",
                time(mutex, |row| row.latency.stddev_ns),
                time(off, |row| row.latency.stddev_ns),
                time(mutex, |row| row.latency.mean_ns),
                time(off, |row| row.latency.mean_ns),
            ),
            is_more(mutex, off, |row| row.latency.stddev_ns),
        ));
    }
    if let [least, .., most] = by_work {
        let (least, most) = (least.row(SNAPSHOT, "mutex"), most.row(SNAPSHOT, "mutex"));
        claims.push(Claim::new(
            "the less work between two looks, the more the mutex loses: its ratio with 4 row versions a page lies below that \
             with 244",
            format!("{} and {}", ratio(least), ratio(most)),
            does_less(least, most),
        ));
    }
    let mutex = |load: &Measured<'_>| {
        let lost = load.row(SNAPSHOT, "mutex").map(|row| 1.0 / row.ratio.max(f64::MIN_POSITIVE));
        format!("{} at {}", times(lost), counted(load.threads, "thread"))
    };
    Judgement {
        direction: "mutex < off; split-atomic, seqlock = off",
        now: format!("off/mutex {}", whole.iter().map(mutex).collect::<Vec<_>>().join(", ")),
        claims,
    }
}
