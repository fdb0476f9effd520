//! `threshold-replica`: the same lock on a replica, where every page takes it.

use super::{
    experiment::{Claim, Experiment, Judgement, Load, Measured},
    judge::{does_less, is_more, keeps, never_waits, waits},
    points::{Scale, group, point},
    words::{counted, interval, percent, ratio, waited},
};
use crate::loads::{LoadError, Threads};

const SNAPSHOT: &str = "csn(rising)";

/// The experiment.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "threshold-replica",
    about: "the same lock on a replica, where every page of every scan takes it: \"bottleneck on replica\" and patch 0001",
    source: "old_snapshot_threshold bottleneck on replica; the replica's figures of the bug report on version 12",
    report: "100 clients summing over a 30-million-row table on a replica gave 3,486 profile lines in s_lock within 5 s, and 8 \
             with two atomics in place of the mutex: 436 times fewer. With 104 clients a replica did 3,173.5 tps with the \
             setting and 3,722.0 without: 1.17x.",
    report_in_short: "436x fewer lock samples; 1.17x",
    real: "A standby on two cores, 40 clients scanning 1 million rows: 34-36 tps with the setting -1, 13-24 with 10 min, 12-23 \
           with 0; 21-37% of the samples were in reading the threshold and 5-10% in its spin delay. 0 does not cure it.",
    real_in_short: "1.4-3x; 21-37% of samples",
    here: "page-scan on a strategy that can play a standby. A page is 61 row versions, of which two thirds are in view.",
    limits: &[
        "436 times fewer samples are of 100 clients on many cores. Here waits are counted instead of sampled: the atomics have \
         none to count, so that there is no factor to compare.",
        "The real server's 1.4-3x on two cores is of 40 clients, whose lock holders lose their cores, and of pages that cost \
         less beside the lock. 40 threads here are that case, and a matter of luck: a time slice lost in the lock, or not.",
    ],
    rounds: 7,
    loads,
    judge,
};

fn loads(scale: &Scale) -> Result<Vec<Load>, LoadError> {
    let pairs = ["off", "mutex", "split-atomic"].map(|threshold| (SNAPSHOT, threshold));
    let mut loads = Vec::new();
    for threads in scale.threads(&[Threads::CoresLess(0), Threads::Number(40)]) {
        let point = point("page-scan", threads, scale.millis(60), &[])?;
        let group = group(&point, &pairs)?;
        loads.push(Load { title: counted(threads, "thread"), group });
    }
    Ok(loads)
}

fn judge(loads: &[Measured<'_>]) -> Judgement {
    let mut claims = Vec::new();
    let mut now = Vec::new();
    for load in loads {
        let threads = counted(load.threads, "thread");
        let off = load.reference();
        let (mutex, atomic) = (load.row(SNAPSHOT, "mutex"), load.row(SNAPSHOT, "split-atomic"));
        claims.push(Claim::new(
            format!("{threads}: readers wait for the mutex's lock, and never for split-atomic"),
            format!("waits in a measurement: {} and {}", waited(mutex), waited(atomic)),
            waits(mutex).and(never_waits(atomic)),
        ));
        claims.push(Claim::new(
            format!(
                "{threads}: the mutex's share of time in looks at the threshold is more than split-atomic's, 1.5 times \
                 and more"
            ),
            format!(
                "{} and {}",
                percent(mutex, |row| row.shares.threshold),
                percent(atomic, |row| row.shares.threshold)
            ),
            is_more(mutex, atomic, |row| row.shares.threshold),
        ));
        claims.push(Claim::new(
            format!(
                "{threads}: mutex does less than split-atomic, and that less than off by 5% at most"
            ),
            format!("{} and {}, A/A {}", ratio(mutex), ratio(atomic), interval(off)),
            does_less(mutex, atomic).and(keeps(atomic, off)),
        ));
        now.push(format!("{} waits and {} at {threads}", waited(mutex), waited(atomic)));
    }
    Judgement {
        direction: "mutex waits, split-atomic never; mutex < split-atomic",
        now: now.join(", "),
        claims,
    }
}
