//! What would be measured, and how long it would take.

use std::io::{self, Write};

use crate::{
    commands::results::table,
    compare::plan::{Group, Plan},
    results::row::LoadKey,
};

pub(super) fn print(out: &mut impl Write, groups: &[Group], plan: &Plan) -> io::Result<()> {
    let mut rows = table(&["workload", "parameters", "threads", "ms", "pairings"], 2);
    for Group { point, cells } in groups {
        let load = LoadKey::new(&point.name, &point.parameters, point.threads);
        rows.add_row([
            load.workload,
            load.parameters,
            load.threads.to_string(),
            point.millis.to_string(),
            cells.len().to_string(),
        ]);
    }
    let cells: usize = groups.iter().map(|group| group.cells.len()).sum();
    let seconds = plan.estimate(groups).as_secs_f64();
    writeln!(out, "{}", rows.trim_fmt())?;
    let (rounds, how_long) = match plan.until {
        None => (format!("{} rounds", plan.rounds), "about"),
        Some(_) => (format!("{} rounds and more", plan.rounds), "at most about"),
    };
    writeln!(
        out,
        "\n{cells} pairings under a load, {rounds}: {how_long} {seconds:.0} s. Nothing was measured."
    )
}
