//! `slow-standby`: every snapshot of a standby scans its array from end to end, while one old transaction is open.

use strategy_baseline::CompactionRule;

use super::{
    experiment::{Claim, Experiment, Judgement, Load, Measured},
    judge::{Verdict, Why, dips_more, is_more},
    points::{Scale, point},
    spans::{sized, widest},
    standby_cells::{BITMAP, CSN, LIST, OFF, OFFSETS, ORIGINAL, REUSE, SINCE, group},
    words::{counted, lengthened, open, percent},
};
use crate::{
    loads::{LoadError, Threads},
    tables::thousands,
};

const CONNECTIONS: usize = 100_000;

/// The experiment.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "slow-standby",
    about: "snapshots that scan a standby's array from end to end while one old transaction is open, max_connections 100,000",
    source: "Slow standby snapshot",
    report: "With max_connections 100,000 and one old transaction KnownAssignedXidsGetAndSetXmin took 73.92% of a standby's CPU, \
             and the replay fell behind. A bitmap \"does not help too much\"; a doubly linked list made it about 48% and gave \
             1,000 tps more.",
    report_in_short: "scan 73.92% of CPU, with a list 48%",
    real: "15.1 with max_connections 100,000, select-only on two cores beside 2,000 updates a second: 13.3 thousand tps, 5.2 with \
           one old transaction (0.39); the scan took 72.5-74.6% of user samples, over up to 318,800 places for 3-5 running ids. \
           15.18: a span of 133 at most, 0.6% of samples, no dip.",
    real_in_short: "15.1: 0.39 of the tps, scan 72.5-74.6%; 15.18: no dip",
    here: "standby-long-transaction with arrays for 100,000 connections: a reader beside a replayer of 400,000 transactions a \
           second, one transaction open for the middle third. \"open\" is the throughput in that third over that before and after.",
    limits: &[
        "The report's array fills for minutes, here for a fraction of a second under a replay that no server has: tens of \
         thousands of places, of which a reader walks over half on average, and not 318,800.",
        "A reader here does little but take snapshots. In the report a query's parsing, planning and reading stand beside each: \
         shares of CPU are not comparable, and a dip here is deeper than of tps there.",
        "One reader beside the replayer: what many readers' shared locks do to the replay takes more cores.",
        "This bitmap has a bit an id and is walked over by words; the report's stood in place of the array's flags. It may help \
         more here than there.",
    ],
    rounds: 5,
    loads,
    judge,
};

fn loads(scale: &Scale) -> Result<Vec<Load>, LoadError> {
    let load = |threads| {
        let point =
            point("standby-long-transaction", threads, scale.millis(480), &[("running", 4.0)])?;
        let title = format!("{}, arrays for 100,000 connections", counted(threads, "reader"));
        Ok(Load { title, group: group(&point, CONNECTIONS)? })
    };
    scale.threads(&[Threads::CoresLess(1)]).into_iter().map(load).collect()
}

fn judge(loads: &[Measured<'_>]) -> Judgement {
    let mut claims = vec![span()];
    let mut now = Vec::new();
    for load in loads {
        let row = |snapshot| load.row(snapshot, OFF);
        // What keeps its snapshot while nothing has ended, and what does not, each with its like.
        for (array, other) in [
            (ORIGINAL, SINCE),
            (ORIGINAL, BITMAP),
            (ORIGINAL, CSN),
            (REUSE, LIST),
            (REUSE, OFFSETS),
        ] {
            claims.push(Claim::new(
                format!("{array} keeps less of its throughput than {other} while the transaction is open: the intervals part"),
                format!("{} and {}", open(row(array)), open(row(other))),
                dips_more(row(array), row(other)),
            ));
        }
        let (original, since) = (row(ORIGINAL), row(SINCE));
        claims.push(Claim::new(
            format!("the share of time in take is more with {ORIGINAL} than with {SINCE}, 1.5 times and more"),
            format!(
                "{} and {}; a snapshot and its tests took {} and {} while it was open",
                percent(original, |row| row.shares.take),
                percent(since, |row| row.shares.take),
                lengthened(original),
                lengthened(since)
            ),
            is_more(original, since, |row| row.shares.take),
        ));
        let kept = |snapshot| row(snapshot).and_then(|row| row.while_open);
        let kept = |snapshot| kept(snapshot).map_or("-".into(), |times| format!("{times:.2}"));
        now.push(format!(
            "open: array {}, 15.2 {}, bitmap {}, csn {}; with reuse array {}, list {}",
            kept(ORIGINAL),
            kept(SINCE),
            kept(BITMAP),
            kept(CSN),
            kept(REUSE),
            kept(LIST)
        ));
    }
    Judgement {
        direction: "while open the array keeps less than each other",
        now: now.join("; "),
        claims,
    }
}

/// Spans are counted: 4 places a process under the original rule, a few ends' worth since 15.2.
fn span() -> Claim {
    const TRANSACTIONS: u64 = 450_000;
    let of = |rule, connections| widest(&sized(rule, connections), TRANSACTIONS);
    let spans = [
        of(CompactionRule::Original, CONNECTIONS),
        of(CompactionRule::Original, 5_000),
        of(CompactionRule::Since15_2, CONNECTIONS),
    ];
    let verdict = match spans {
        [Some(many), Some(few), Some(since)] if many > 10 * few && few > 100 * since => {
            Verdict::Held
        }
        [Some(_), Some(_), Some(_)] => Verdict::DidNotHold,
        _ => Verdict::CannotTell(Why::Missing),
    };
    let [many, few, since] =
        spans.map(|span| span.map_or("-".into(), |span| thousands(span as f64)));
    Claim::new(
        "places that a snapshot walks over, counted beside one open transaction and 450,000 others: the original rule lets them \
         grow to 4 a process, the rule of 15.2 does not (real servers: 318,800; 20,147 with 5,000 connections; 133)",
        format!(
            "{many} with 100,000 connections, {few} with 5,000, {since} under the rule of 15.2"
        ),
        verdict,
    )
}
