use super::{
    EXPERIMENTS, Experiment,
    experiment::{Claim, Judgement, Load, Measured},
    judge::{Verdict, Why},
    points::Scale,
};
use crate::{
    loads::Threads,
    results::{
        Row,
        row::{LoadKey, Parameter},
        sample,
    },
};

fn scale() -> Scale {
    Scale { threads: None, millis: None, rounds: None, quick: false, seed: 1, cores: 2 }
}

fn loads(experiment: &Experiment) -> Vec<Load> {
    (experiment.loads)(&scale()).expect("its own values suit it")
}

/// The judgement on rows that are alike but for what `change` does.
fn judged(experiment: &Experiment, change: impl Fn(&mut Row)) -> Judgement {
    let loads = loads(experiment);
    let mut rows = Vec::new();
    for cell in loads.iter().flat_map(|load| &load.group.cells) {
        let mut row = Row {
            workload: cell.point.name.clone(),
            parameters: cell.point.parameters.clone(),
            threads: cell.point.threads,
            ..sample::standby(cell.snapshot, cell.threshold, 1.0)
        };
        change(&mut row);
        rows.push(row);
    }
    let measured: Vec<Measured<'_>> =
        loads.iter().map(|load| Measured::of(&load.group, &rows)).collect();
    (experiment.judge)(&measured)
}

fn is_old(row: &Row) -> bool {
    row.threshold.starts_with("mutex")
        || row.snapshot.contains("original")
        || row.snapshot == "proc-array(scattered)"
}

fn throughput(row: &mut Row, ratio: f64) {
    (row.ratio, row.ratio_low, row.ratio_high) = (ratio, ratio * 0.97, ratio * 1.03);
}

/// What the reports are about is slow, and nothing else.
fn as_reported(row: &mut Row) {
    let old = is_old(row);
    let work = match row.parameters.get("page-work") {
        Some(Parameter::Number(work)) => *work,
        _ => 61.0,
    };
    // The sessions' reference is the old design.
    let slow = match row.snapshot.starts_with("csn") && old {
        true => 0.2 + work / 1_000.0,
        false => 1.0,
    };
    let others = if row.workload == "select-only" { 1.4 } else { 1.0 };
    throughput(row, if old { slow } else { others });
    row.lock_waits = if old { 900.0 } else { 0.0 };
    row.latency.stddev_ns = if old { 900.0 } else { 10.0 };
    row.shares.threshold = if old { 0.6 } else { 0.1 };
    row.shares.take = if old { 0.74 } else { 0.48 };
    let open = if old { 0.39 } else { 0.95 };
    (row.while_open, row.while_open_interval) = (Some(open), Some([open - 0.02, open + 0.02]));
}

/// What the reports are about is best.
fn turned_round(row: &mut Row) {
    let old = is_old(row);
    let reference = row.workload == "page-scan" && row.threshold == "off";
    throughput(row, if old || reference { 1.0 } else { 0.5 });
    if row.threshold.starts_with("mutex") {
        throughput(row, 1.5);
    }
    row.latency.stddev_ns = if old { 10.0 } else { 900.0 };
    row.lock_waits = if old { 0.0 } else { 900.0 };
    row.shares.threshold = if old { 0.1 } else { 0.6 };
    row.shares.take = if old { 0.1 } else { 0.6 };
    let open = if old { 0.95 } else { 0.39 };
    (row.while_open, row.while_open_interval) = (Some(open), Some([open - 0.02, open + 0.02]));
}

fn with(judgement: &Judgement, verdict: impl Fn(Verdict) -> bool) -> Vec<&Claim> {
    judgement.claims.iter().filter(|claim| verdict(claim.verdict)).collect()
}

#[test]
fn all_hold_where_rows_are_as_reported() {
    for experiment in EXPERIMENTS {
        let judgement = judged(experiment, as_reported);
        assert_eq!(judgement.verdict(), Verdict::Held, "{}", experiment.name);
        assert_eq!(with(&judgement, |verdict| verdict != Verdict::Held).len(), 0);
        assert!(judgement.claims.len() >= 4 && !judgement.now.contains("- "), "{}", judgement.now);
    }
}

/// All but what is counted and the sweep of a report, where both ends are the same here.
#[test]
fn none_holds_where_rows_are_turned_round() {
    for experiment in EXPERIMENTS {
        let judgement = judged(experiment, turned_round);
        assert_eq!(judgement.verdict(), Verdict::DidNotHold, "{}", experiment.name);
        let others = with(&judgement, |verdict| verdict != Verdict::DidNotHold);
        for claim in others {
            let known = ["counted beside one open transaction", "the less work between two looks"];
            assert!(known.iter().any(|known| claim.direction.contains(known)), "{claim:?}");
        }
    }
}

#[test]
fn a_busy_machine_proves_no_failure() {
    let busy = |row: &mut Row| {
        turned_round(row);
        (row.lock_waits, row.noisy) = (0.0, true);
    };
    for experiment in EXPERIMENTS {
        let judgement = judged(experiment, busy);
        assert_ne!(judgement.verdict(), Verdict::DidNotHold, "{}", experiment.name);
        assert!(with(&judgement, |verdict| verdict == Verdict::CannotTell(Why::Busy)).len() >= 2);
    }
}

#[test]
fn nothing_is_told_where_all_are_alike_or_nothing_was_measured() {
    let alike = |row: &mut Row| {
        row.lock_waits = if is_old(row) { 1.0 } else { 0.0 };
    };
    for experiment in EXPERIMENTS {
        let judgement = judged(experiment, alike);
        assert_eq!(with(&judgement, |verdict| verdict == Verdict::DidNotHold).len(), 0);
        let loads = loads(experiment);
        let nothing: Vec<Measured<'_>> =
            loads.iter().map(|load| Measured::of(&load.group, &[])).collect();
        let judgement = (experiment.judge)(&nothing);
        let told = with(&judgement, |verdict| verdict != Verdict::CannotTell(Why::Missing));
        let counted = usize::from(experiment.name == "slow-standby");
        assert_eq!(told.len(), counted, "{told:?}");
    }
}

#[test]
fn one_failure_is_one_and_what_cannot_be_told_counts_where_nothing_held() {
    let of = |verdicts: &[Verdict]| {
        let claims = verdicts.iter().map(|verdict| Claim::new("", "", *verdict)).collect();
        Judgement { claims, ..Judgement::default() }.verdict()
    };
    let open = Verdict::CannotTell(Why::Overlap);
    assert_eq!(of(&[open, Verdict::Held, Verdict::Held]), Verdict::Held);
    assert_eq!(of(&[open, Verdict::Held, Verdict::DidNotHold]), Verdict::DidNotHold);
    assert_eq!(of(&[open, open]), open);
    assert_eq!(of(&[]), Verdict::CannotTell(Why::Missing));
}

/// Rows are found by the load that they are of.
#[test]
fn no_two_loads_of_an_experiment_are_the_same() {
    let sweeps = [None, Some(vec![Threads::Number(2), Threads::CoresLess(0), Threads::Number(8)])];
    for (experiment, threads) in
        EXPERIMENTS.iter().flat_map(|one| sweeps.iter().map(move |threads| (one, threads)))
    {
        let loads = (experiment.loads)(&Scale { threads: threads.clone(), ..scale() });
        let mut keys = Vec::new();
        for Load { group, .. } in loads.expect("they fit") {
            let point = group.point;
            let key = LoadKey::new(&point.name, &point.parameters, point.threads);
            assert!(!keys.contains(&key), "{}: {key:?}", experiment.name);
            keys.push(key);
        }
    }
}

#[test]
fn a_first_look_takes_fewer_rounds_and_the_command_line_has_the_last_word() {
    assert_eq!(scale().plan(7).rounds, 7);
    assert_eq!(Scale { quick: true, ..scale() }.plan(7).rounds, 3);
    assert_eq!(Scale { quick: true, rounds: Some(9), ..scale() }.plan(7).rounds, 9);
    let loads = (EXPERIMENTS[0].loads)(&Scale { millis: Some(5), ..scale() }).expect("they fit");
    assert!(loads.iter().all(|load| load.group.point.millis == 5));
}
