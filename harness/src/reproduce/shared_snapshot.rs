//! `shared-snapshot`: "GetSnapshotData round two": many sessions compute one and the same snapshot from scattered slots.

use super::{
    experiment::{Claim, Experiment, Judgement, Load, Measured},
    judge::does_less,
    points::{Scale, group, point},
    words::{counted, interval, ratio, times},
};
use crate::loads::{LoadError, Threads};

const OFF: &str = "off";
const SCATTERED: &str = "proc-array(scattered)";
const DENSE: &str = "proc-array(dense)";
const REUSE: &str = "proc-array(dense+reuse)";
const SHARED: &str = "shared-cache(boolean-array(15.2))";
const CSN: &str = "csn";
/// Sessions that are in use besides those that are measured: 192 of the report, about.
const SESSIONS: f64 = 160.0;
/// max_connections, swept up to the most.
const SLOTS: [f64; 4] = [200.0, 400.0, 600.0, 800.0];
const MOST_SLOTS: f64 = 1_000.0;

/// The experiment.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "shared-snapshot",
    about: "one snapshot computed by every session from slots scattered over max_connections: \"GetSnapshotData round two\"",
    source: "GetSnapshotData round two(for me)",
    report: "A shared snapshot gave 25% more on 48 cores. 192 clients of select-only on two sockets did 648,398 tps with \
             max_connections 950 and 1,237,271 with 700: 1.91x, up and down with a period of about 400.",
    report_in_short: "+25%; 648k to 1,237k tps (1.91x)",
    real: "Not measured on real servers for this project: the report needs two sockets.",
    real_in_short: "-",
    here: "select-only with 160 sessions in use besides the readers, among 200 to 1,000 slots: the process array scattered as up to \
           13, dense and with reuse as since 14, a cache that all share, a number log. The same beside one session that writes.",
    limits: &[
        "25% on 48 cores is of whole queries, whose snapshots read lines that other cores keep dirtying. Here snapshots are \
         almost alone, and two cores dirty little: a factor here says nothing about that one.",
        "The swing of 1.91x with max_connections is seen on two sockets alone (the report says so): memory here is one node, and \
         1,000 slots fit a core's own cache. The swing told is this \
         machine's spread.",
    ],
    rounds: 7,
    loads,
    judge,
};

fn loads(scale: &Scale) -> Result<Vec<Load>, LoadError> {
    let all = [SCATTERED, DENSE, REUSE, SHARED, CSN].map(|snapshot| (snapshot, OFF));
    let layouts = [SCATTERED, DENSE].map(|snapshot| (snapshot, OFF));
    let mut loads = Vec::new();
    let threads = scale.threads(&[Threads::CoresLess(0)]);
    for &threads in &threads {
        for writers in [0.0, 1.0] {
            let parameters = [("slots", MOST_SLOTS), ("running", SESSIONS), ("writers", writers)];
            let point = point("select-only", threads, scale.millis(60), &parameters)?;
            let group = group(&point, &all)?;
            loads.push(Load {
                title: format!(
                    "{}, {}, 1,000 slots",
                    counted(threads, "reader"),
                    counted(writers as usize, "writer")
                ),
                group,
            });
        }
    }
    for (slots, &threads) in
        SLOTS.into_iter().flat_map(|slots| threads.first().map(|threads| (slots, threads)))
    {
        let parameters = [("slots", slots), ("running", SESSIONS)];
        let point = point("select-only", threads, scale.millis(60), &parameters)?;
        let group = group(&point, &layouts)?;
        loads.push(Load {
            title: format!("{}, 0 writers, {slots} slots", counted(threads, "reader")),
            group,
        });
    }
    Ok(loads)
}

fn judge(loads: &[Measured<'_>]) -> Judgement {
    let (whole, swept) = loads.split_at(loads.len().saturating_sub(SLOTS.len()));
    let mut claims = Vec::new();
    let mut now = Vec::new();
    for load in whole {
        let row = |snapshot| load.row(snapshot, OFF);
        let writers = load.parameter("writers").unwrap_or_default();
        let (threads, array) = (load.threads, row(SCATTERED));
        for better in [SHARED, REUSE, DENSE, CSN] {
            claims.push(Claim::new(
                format!(
                    "{}, {}: {SCATTERED} does less than {better}, beyond the A/A interval",
                    counted(threads, "reader"),
                    counted(writers as usize, "writer")
                ),
                format!("{better} {}, A/A {}", ratio(row(better)), interval(array)),
                does_less(array, row(better)),
            ));
        }
        now.push(format!(
            "{} beside {}",
            times(row(SHARED).map(|row| row.ratio)),
            counted(writers as usize, "writer")
        ));
    }
    for load in swept {
        let slots = load.parameter("slots").unwrap_or_default();
        let (array, dense) = (load.reference(), load.row(DENSE, OFF));
        claims.push(Claim::new(
            format!("{slots} slots: {SCATTERED} does less than {DENSE}, beyond the A/A interval"),
            format!("{}, A/A {}", ratio(dense), interval(array)),
            does_less(array, dense),
        ));
    }
    // The first load is the sweep's last point.
    let all = || swept.iter().chain(whole.first());
    let speeds = || all().filter_map(|load| Some(load.reference()?.ops_per_s));
    let swing =
        speeds().reduce(f64::max).zip(speeds().reduce(f64::min)).map(|(most, least)| most / least);
    Judgement {
        direction: "scattered < dense, reuse, shared, csn",
        now: format!("shared {}; slots swing {}", now.join(", "), times(swing)),
        claims,
    }
}
