//! What the commands share that read files of results: which rows are wanted, and tables.

use std::io;

use comfy_table::{CellAlignment, Table, presets};

use crate::{
    cli::Failure,
    results::{
        Wrong,
        names::{Filter, Wanted},
    },
};

/// Which rows are wanted; all where none is given.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Rows {
    /// Only these loads: a name or a regular expression; may be given more than once
    #[arg(long = "workload", value_name = "NAME|REGEX")]
    workloads: Vec<String>,

    /// Only these snapshot strategies: a name, a name without its variant, or a regular expression; may be given more than
    /// once
    #[arg(long = "snapshot", value_name = "NAME|REGEX")]
    snapshots: Vec<String>,

    /// Only these threshold strategies: a name or a regular expression; may be given more than once
    #[arg(long = "threshold", value_name = "NAME|REGEX")]
    thresholds: Vec<String>,
}

impl Rows {
    pub(super) fn filter(&self) -> Filter<'_> {
        Filter {
            workloads: &self.workloads,
            snapshots: &self.snapshots,
            thresholds: &self.thresholds,
        }
    }
}

/// A table whose first columns are text, the others numbers.
pub(super) fn table(header: &[&str], texts: usize) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header);
    for column in table.column_iter_mut().skip(texts) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// That some of the cells that are wanted have no row, in one line; none where all have.
pub(super) fn left_out(wrong: &[Wrong], wanted: &Wanted<'_>) -> Option<String> {
    let mut wrong = wrong.iter().filter(|wrong| wanted.has(*wrong));
    let first = wrong.next()?;
    Some(match wrong.count() {
        0 => format!("1 cell was left out for a wrong answer: {first}"),
        more => format!("{} cells were left out for wrong answers, the first {first}", more + 1),
    })
}

/// Numbers from one to another.
pub(super) fn interval(low: f64, high: f64) -> String {
    format!("{low:.2}–{high:.2}")
}

/// A reader that closed the pipe has seen what it wanted; the verdict, and so the exit code, is the same without it.
pub(super) fn unless_pipe_closed(printed: io::Result<()>) -> Result<(), Failure> {
    match printed {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => Ok(printed?),
    }
}
