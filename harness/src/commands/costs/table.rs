//! The tables of `harness costs`.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};

use crate::costs::{
    Outcome, Plan,
    operation::{OF_SNAPSHOTS, OF_THRESHOLDS, Operation, UNIFORM},
    rows::Row,
    run::Skipped,
};
use crate::tables::thousands;

/// Tables by operation, then what the words mean.
pub(super) fn print(out: &mut impl Write, outcome: &Outcome, plan: &Plan) -> io::Result<()> {
    for operation in OF_SNAPSHOTS {
        for (yardstick, goal) in operation.against {
            let rows = rows_of(&outcome.rows, &operation, yardstick);
            if !rows.is_empty() {
                heading(out, &operation, &rows, *goal)?;
                writeln!(out, "{}", by_window(&rows, plan).trim_fmt())?;
                best(out, &rows)?;
            }
        }
    }
    for operation in OF_THRESHOLDS {
        for (yardstick, goal) in operation.against {
            let rows = rows_of(&outcome.rows, &operation, yardstick);
            if !rows.is_empty() {
                heading(out, &operation, &rows, *goal)?;
                writeln!(out, "{}\n", of_thresholds(&rows).trim_fmt())?;
            }
        }
    }
    for skipped in &outcome.skipped {
        writeln!(out, "{}", not_measured(skipped))?;
    }
    legend(out, outcome, plan)
}

/// One line about a place that is missing.
pub(super) fn not_measured(skipped: &Skipped) -> String {
    let Skipped { strategy, window, distribution, why } = skipped;
    format!("{strategy}, {distribution}, window {}: not measured: {why}", counted(*window))
}

fn rows_of<'a>(rows: &'a [Row], operation: &Operation, yardstick: &str) -> Vec<&'a Row> {
    let is_it = |row: &&Row| row.operation == operation.name && row.yardstick == yardstick;
    rows.iter().filter(is_it).collect()
}

/// What is below, and what it is compared with.
fn heading(
    out: &mut impl Write,
    operation: &Operation,
    rows: &[&Row],
    goal: Option<&str>,
) -> io::Result<()> {
    let yardstick = rows.first().map_or("", |row| row.yardstick);
    let times = || rows.iter().map(|row| row.yardstick_ns);
    let (low, high) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
    writeln!(out, "{}: {}", operation.name, operation.what)?;
    write!(out, "ratio to: {yardstick}, {} to {} ns", short(low), short(high))?;
    match goal {
        Some(goal) => writeln!(out, "; goal: {goal}"),
        None => writeln!(out),
    }
}

fn by_window(rows: &[&Row], plan: &Plan) -> Table {
    let windows: Vec<u64> = plan
        .windows
        .iter()
        .copied()
        .filter(|window| rows.iter().any(|row| row.window == Some(*window)))
        .collect();
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let over = |unit: &str| {
        let head = |window: &u64| format!("{unit}\n{}", counted(*window));
        windows.iter().map(head).collect::<Vec<_>>()
    };
    let mut header = vec!["strategy\n".to_owned(), "ids\nwindow".to_owned()];
    header.extend(over("ns"));
    header.extend(over("ratio"));
    // Whether a random id is in the cache depends on it.
    let with_bytes =
        rows.iter().any(|row| row.operation == UNIFORM.name && row.bytes_held.is_some());
    if with_bytes {
        header.extend(over("MB held"));
    }
    table.set_header(header);
    for strategy in names(rows) {
        for distribution in ["clustered", "uniform"] {
            let find = |window: &u64| {
                rows.iter().find(|row| {
                    row.strategy == strategy
                        && row.distribution == Some(distribution)
                        && row.window == Some(*window)
                })
            };
            let cells = |text: fn(&Row) -> String| {
                windows.iter().map(move |window| find(window).map_or("-".into(), |row| text(row)))
            };
            let name = if distribution == "clustered" { strategy } else { "" };
            let mut line = vec![name.to_owned(), distribution.to_owned()];
            line.extend(cells(|row| short(row.ns)));
            line.extend(cells(ratio));
            if with_bytes {
                line.extend(cells(megabytes));
            }
            table.add_row(line);
        }
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn of_thresholds(rows: &[&Row]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(["strategy", "ns", "ratio"]);
    for row in rows {
        table.add_row([row.strategy.to_owned(), short(row.ns), ratio(row)]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Each name once, in the order of the rows.
fn names(rows: &[&Row]) -> Vec<&'static str> {
    let mut names: Vec<&str> = rows.iter().map(|row| row.strategy).collect();
    names.dedup();
    names
}

/// The strategy whose worst place is the best, of those that were measured at all places.
fn best(out: &mut impl Write, rows: &[&Row]) -> io::Result<()> {
    let ratios = |strategy: &str| -> Vec<f64> {
        rows.iter().filter(|row| row.strategy == strategy).map(|row| row.ratio).collect()
    };
    let all: Vec<(&str, Vec<f64>)> =
        names(rows).into_iter().map(|name| (name, ratios(name))).collect();
    let places = all.iter().map(|(_, ratios)| ratios.len()).max().unwrap_or(0);
    let most = |ratios: &[f64]| ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = |ratios: &[f64]| ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let complete = all.iter().filter(|(_, ratios)| ratios.len() == places);
    match complete.min_by(|(_, a), (_, b)| most(a).total_cmp(&most(b))) {
        Some((name, ratios)) => {
            writeln!(out, "best: {name}, {} to {}\n", short(least(ratios)), short(most(ratios)))
        }
        None => writeln!(out),
    }
}

fn megabytes(row: &Row) -> String {
    row.bytes_held.map_or("-".into(), |bytes| format!("{:.2}", bytes as f64 / 1e6))
}

fn ratio(row: &Row) -> String {
    format!("{}{}", short(row.ratio), if row.noisy { "~" } else { "" })
}

/// Three digits, or all that stand before the point.
fn short(number: f64) -> String {
    match number.abs() {
        small if small < 9.995 => format!("{number:.2}"),
        middle if middle < 99.95 => format!("{number:.1}"),
        _ => thousands(number),
    }
}

fn counted(window: u64) -> String {
    match window {
        millions if millions.is_multiple_of(1_000_000) => format!("{}M", window / 1_000_000),
        _ => thousands(window as f64),
    }
}

fn legend(out: &mut impl Write, outcome: &Outcome, plan: &Plan) -> io::Result<()> {
    writeln!(
        out,
        "ns: nanoseconds a call. ratio: that as a multiple of the yardstick, measured in turn with it; the round in the\n\
         middle of {} is shown, bounds are in --json. window: ids from the oldest running to the newest. clustered: a few old\n\
         ids and the rest recent; uniform: evenly spread. About 200 ids run, 64 in a window of 256. best: whose highest ratio is\n\
         the lowest, of those at all windows. Clock reads are subtracted.",
        plan.rounds
    )?;
    let noisy = outcome.rows.iter().filter(|row| row.noisy).count();
    if noisy > 0 {
        writeln!(
            out,
            "~ the machine was busy: {noisy} of {} rows. Measure again when it is idle.",
            outcome.rows.len()
        )?;
    }
    Ok(())
}
