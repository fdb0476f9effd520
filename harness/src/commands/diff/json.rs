//! The output of `diff` for programs: one object a line.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use serde::Serialize;

use crate::results::{Row, changes::Changes, row::Parameter};

/// A line of the JSON. The fields of a side are absent where its file lacks the row.
#[derive(Serialize)]
struct Line<'a> {
    found_in: &'static str,
    workload: &'a str,
    snapshot: &'a str,
    threshold: &'a str,
    threads: usize,
    parameters: &'a BTreeMap<String, Parameter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_over_old: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    intervals_part: Option<bool>,
    #[serde(flatten)]
    old: Option<Old>,
    #[serde(flatten)]
    new: Option<New>,
}

macro_rules! sides {
    ($($side:ident: $ops:ident, $ratio:ident, $low:ident, $high:ident, $noisy:ident;)*) => {$(
        #[derive(Serialize)]
        struct $side {
            $ops: f64,
            $ratio: f64,
            $low: f64,
            $high: f64,
            $noisy: bool,
        }

        impl $side {
            fn of(row: &Row) -> Self {
                $side {
                    $ops: row.ops_per_s,
                    $ratio: row.ratio,
                    $low: row.ratio_low,
                    $high: row.ratio_high,
                    $noisy: row.noisy,
                }
            }
        }
    )*};
}

sides! {
    Old: old_ops_per_s, old_ratio, old_ratio_low, old_ratio_high, old_noisy;
    New: new_ops_per_s, new_ratio, new_ratio_low, new_ratio_high, new_noisy;
}

impl<'a> Line<'a> {
    fn new(found_in: &'static str, row: &'a Row) -> Self {
        Line {
            found_in,
            workload: &row.workload,
            snapshot: &row.snapshot,
            threshold: &row.threshold,
            threads: row.threads,
            parameters: &row.parameters,
            new_over_old: None,
            intervals_part: None,
            old: None,
            new: None,
        }
    }
}

/// Prints the rows of both files that changed by so many percent, then those that one file alone has.
pub(super) fn print(out: &mut impl Write, changes: &Changes<'_>, percent: f64) -> io::Result<()> {
    let shown = changes.both.iter().filter(|change| change.is_at_least(percent));
    let both = shown.map(|change| Line {
        new_over_old: change.new_over_old(),
        intervals_part: Some(change.intervals_part()),
        old: Some(Old::of(change.old)),
        new: Some(New::of(change.new)),
        ..Line::new("both", change.new)
    });
    let only_old = changes.only_old.iter();
    let only_old = only_old.map(|row| Line { old: Some(Old::of(row)), ..Line::new("old", row) });
    let only_new = changes.only_new.iter();
    let only_new = only_new.map(|row| Line { new: Some(New::of(row)), ..Line::new("new", row) });
    for line in both.chain(only_old).chain(only_new) {
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(())
}
