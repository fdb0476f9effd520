//! What would be measured, and how long it would take.

use std::io::{self, Write};

use crate::{
    commands::results::table,
    compare::run::{Group, Plan, estimate},
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
    let seconds = estimate(groups, plan).as_secs_f64();
    writeln!(out, "{}", rows.trim_fmt())?;
    writeln!(
        out,
        "\n{cells} pairings under a load, {} rounds: about {:.0} s. Nothing was measured.",
        plan.rounds, seconds
    )
}
