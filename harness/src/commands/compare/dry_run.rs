//! What would be measured, and how long it would take.

use std::{
    io::{self, Write},
    time::Duration,
};

use crate::{
    commands::results::table,
    compare::run::{Group, Plan, estimate},
    results::row::Parameter,
};

pub(super) fn print(out: &mut impl Write, groups: &[Group], plan: &Plan) -> io::Result<()> {
    let mut rows = table(&["workload", "parameters", "threads", "ms", "pairings"], 2);
    for Group { point, cells } in groups {
        let parameters: Vec<String> = point
            .parameters
            .iter()
            .map(|(name, value)| format!("{name}={}", text(value)))
            .collect();
        rows.add_row([
            point.name.clone(),
            parameters.join(" "),
            point.threads.to_string(),
            point.millis.to_string(),
            cells.len().to_string(),
        ]);
    }
    let cells: usize = groups.iter().map(|group| group.cells.len()).sum();
    let seconds = Duration::as_secs_f64(&estimate(groups, plan));
    writeln!(out, "{}", rows.trim_fmt())?;
    writeln!(
        out,
        "\n{cells} pairings under a load, {} rounds: about {:.0} s. Nothing was measured.",
        plan.rounds, seconds
    )
}

fn text(value: &Parameter) -> String {
    match value {
        Parameter::Number(number) => number.to_string(),
        Parameter::Text(text) => text.clone(),
    }
}
