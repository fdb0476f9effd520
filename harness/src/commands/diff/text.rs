//! The output of `diff` for people: a table for each load.

use std::io::{self, Write};

use comfy_table::Table;

use super::{
    super::results::{interval, table},
    label,
};
use crate::{
    results::{
        Labels, Results, Row,
        changes::{Change, Changes, Verdict, share_by_chance},
    },
    tables::thousands,
};

/// Prints the rows of both files that changed by so many percent, and those that one file alone has.
pub(super) fn print(
    out: &mut impl Write,
    [old, new]: [&Results; 2],
    changes: &Changes<'_>,
    labels: &Labels<'_>,
    percent: f64,
) -> io::Result<()> {
    writeln!(out, "old: {}: {}", old.file.display(), old.about())?;
    writeln!(out, "new: {}: {}\n", new.file.display(), new.about())?;
    let (shown, hidden): (Vec<&Change<'_>>, Vec<_>) =
        changes.both.iter().partition(|change| change.is_at_least(percent));
    let mut loads: Vec<String> = Vec::new();
    for load in shown.iter().map(|change| labels.of(change.new)) {
        if !loads.contains(&load) {
            loads.push(load);
        }
    }
    for load in loads {
        let of_load = shown.iter().filter(|change| labels.of(change.new) == load);
        writeln!(out, "{load}\n{}\n", changed(of_load.copied()).trim_fmt())?;
    }
    for (rows, file) in [(&changes.only_old, "old"), (&changes.only_new, "new")] {
        for row in rows {
            writeln!(out, "only in {file}: {}, ratio: {:.2}", label(labels, row), row.ratio)?;
        }
    }
    if !(changes.only_old.is_empty() && changes.only_new.is_empty()) {
        writeln!(out)?;
    }
    let count = |says| changes.both.iter().filter(|change| change.verdict() == says).count();
    writeln!(
        out,
        "{} rows in both: {} faster, {} slower, {} that may be chance. Only in old: {}, only in new: {}.",
        changes.both.len(),
        count(Verdict::Faster),
        count(Verdict::Slower),
        count(Verdict::MaybeChance),
        changes.only_old.len(),
        changes.only_new.len()
    )?;
    if !hidden.is_empty() {
        writeln!(out, "Not shown: {} that changed by less than {percent}%.", hidden.len())?;
    }
    writeln!(
        out,
        "old, new: throughput as a multiple of the reference's, beside it the 95% interval. faster, slower: the intervals\n\
         part; - they do not. ~ the machine was busy. ops/s hang on the machine's mood, ratios less."
    )?;
    let share = share_by_chance(old.header.rounds_done, new.header.rounds_done);
    share.map_or(Ok(()), |share| {
        writeln!(
            out,
            "By chance alone about {:.0} of the rows in both would part, neighbours together: they share a measurement of the\n\
             reference.",
            share * changes.both.len() as f64
        )
    })
}

fn changed<'a>(changes: impl Iterator<Item = &'a Change<'a>>) -> Table {
    let header = [
        "snapshot",
        "threshold",
        "new is",
        "threads",
        "old",
        "interval",
        "new",
        "interval",
        "new/old",
        "old ops/s",
        "new ops/s",
    ];
    let mut table = table(&header, 3);
    for change in changes {
        let Change { old, new } = change;
        let ratio = |row: &Row| format!("{:.2}{}", row.ratio, if row.noisy { "~" } else { "" });
        let says = match change.verdict() {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::MaybeChance => "-",
        };
        table.add_row([
            new.snapshot.clone(),
            new.threshold.clone(),
            says.into(),
            new.threads.to_string(),
            ratio(old),
            interval(old.ratio_low, old.ratio_high),
            ratio(new),
            interval(new.ratio_low, new.ratio_high),
            change.new_over_old().map_or_else(|| "-".into(), |times| format!("{times:.2}")),
            thousands(old.ops_per_s),
            thousands(new.ops_per_s),
        ]);
    }
    table
}
