//! `standby-long-transaction`: the benchmark mail of "Slow standby snapshot": what five seconds of one transaction cost.

use super::{
    experiment::{Claim, Experiment, Judgement, Load, Measured},
    judge::dips_more,
    points::{Scale, point},
    standby_cells::{CSN, LIST, OFF, OFFSETS, ORIGINAL, REUSE, SINCE, group},
    words::{counted, lengthened, open},
};
use crate::loads::{LoadError, Threads};

const CONNECTIONS: usize = 5_000;

/// The experiment.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "standby-long-transaction",
    about: "what one transaction of 5 s on the primary takes from a standby, max_connections 5,000",
    source: "Re: Slow standby snapshot",
    report: "5,000 connections, 16 clients of select-only on a standby with 16 cores beside 16 of simple-update: a transaction \
             open for 5 s took about 10% of the standby's tps (+10.26 points of CPU in the scan); with the next-offset patch \
             nothing (+0.22).",
    report_in_short: "-10% of tps, patched nothing",
    real: "15.1 with max_connections 5,000 on two cores: the scan took 7.4-9.0% of samples, over a sawtooth of up to 20,147 \
           places; the dip in tps was inside the noise. 15.18: no dip.",
    real_in_short: "15.1: scan 7.4-9.0%, tps in the noise; 15.18: no dip",
    here: "standby-long-transaction with arrays for 5,000 connections: a reader beside a replayer of 400,000 transactions a \
           second, one transaction open for the middle third. \"open\" is the throughput in that third over that before and after.",
    limits: &[
        "The open third is some tens of milliseconds and not 5 s; the replay is so fast that the array still fills in that time, \
         once and more.",
        "A reader here does little but take snapshots, so that the dip is deeper than 10%: that one is of whole queries. What a \
         snapshot takes longer is told in microseconds above; as a part of a query of the report's servers it is some percent.",
        "16 clients on 16 cores also pass the lock's cache line around; here one reader is beside the replayer.",
    ],
    rounds: 7,
    loads,
    judge,
};

fn loads(scale: &Scale) -> Result<Vec<Load>, LoadError> {
    let load = |threads| {
        let point = point("standby-long-transaction", threads, scale.millis(180), &[])?;
        let title = format!("{}, arrays for 5,000 connections", counted(threads, "reader"));
        Ok(Load { title, group: group(&point, CONNECTIONS)? })
    };
    scale.threads(&[Threads::CoresLess(1)]).into_iter().map(load).collect()
}

fn judge(loads: &[Measured<'_>]) -> Judgement {
    let mut claims = Vec::new();
    let mut now = Vec::new();
    for load in loads {
        let row = |snapshot| load.row(snapshot, OFF);
        for (array, other) in [(ORIGINAL, SINCE), (ORIGINAL, CSN), (REUSE, OFFSETS), (REUSE, LIST)]
        {
            claims.push(Claim::new(
                format!("{array} keeps less of its throughput than {other} while the transaction is open: the intervals part"),
                format!(
                    "{} and {}; a snapshot and its tests took {} and {} while it was open",
                    open(row(array)),
                    open(row(other)),
                    lengthened(row(array)),
                    lengthened(row(other))
                ),
                dips_more(row(array), row(other)),
            ));
        }
        let kept = |snapshot| row(snapshot).and_then(|row| row.while_open);
        let kept = |snapshot| kept(snapshot).map_or("-".into(), |times| format!("{times:.2}"));
        now.push(format!(
            "open: array {}, 15.2 {}, csn {}; with reuse array {}, offsets {}",
            kept(ORIGINAL),
            kept(SINCE),
            kept(CSN),
            kept(REUSE),
            kept(OFFSETS)
        ));
    }
    Judgement {
        direction: "while open the array keeps less than each other",
        now: now.join("; "),
        claims,
    }
}
