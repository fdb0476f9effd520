//! [`Column`]: what can be told of one row in one cell of a table, and what its name means.

use super::thousands;
use crate::results::Row;

/// A column of numbers. It is shown where a row has something to say.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What that means.
    pub says: &'static str,
    of: fn(&Row) -> Option<String>,
}

const fn column(name: &'static str, says: &'static str, of: fn(&Row) -> Option<String>) -> Column {
    Column { name, says, of }
}

/// Where the time went, and how long an operation took.
pub(super) const TIMES: &[Column] = &[
    column("take%", "share of the threads' time in take", |row| percent(row.shares.take)),
    column("vis%", "in visibility tests", |row| percent(row.shares.visibility)),
    column("thr%", "in looks at the threshold", |row| percent(row.shares.threshold)),
    column("wait%", "asleep in a lock that another thread holds", |row| {
        percent(row.shares.waiting?)
    }),
    column("p50 ns", "half of the operations take no longer", |row| nanos(row.latency.p50_ns)),
    column("p99 ns", "99 of 100 operations take no longer", |row| nanos(row.latency.p99_ns)),
];

/// What else is measured in each load.
pub(super) const ALWAYS: &[Column] = &[
    column("fair", "Jain's index of the threads' operations, 1 where all did the same", |row| {
        Some(format!("{:.2}", row.fairness))
    }),
    column("waits", "how often a caller had to wait for another, in a measurement", |row| {
        Some(thousands(row.lock_waits))
    }),
];

pub(super) const OPEN: Column = column(
    "open",
    "throughput while the long transaction is open over that before and after",
    |row| row.while_open.map(|times| format!("{times:.2}")),
);

pub(super) const LAG: Column =
    column("lag ms", "how far the replayer was behind its schedule at worst", |row| {
        row.lag_ms.map(|millis| format!("{millis:.1}"))
    });

pub(super) const INTENDED: Column = column(
    "intended p99",
    "99 of 100 operations end no later than so many ns after they were due",
    |row| row.intended.and_then(|times| nanos(times.p99_ns)),
);

/// What some loads have.
pub(super) const SOMETIMES: &[Column] = &[
    OPEN,
    LAG,
    column("old%", "scans that were told that their snapshot is too old", |row| {
        percent(row.too_old?)
    }),
    column("beside/s", "what the threads did a second that are not measured", |row| {
        row.beside_per_s.map(thousands)
    }),
    INTENDED,
    column(
        "late",
        "operations of a measurement that began more than 1 ms after they were due",
        |row| row.late.map(thousands),
    ),
    column("skipped", "operations of a measurement that were due and never began", |row| {
        row.skipped.map(thousands)
    }),
    column("KiB", "what the strategies hold at the end of a measurement", |row| {
        row.bytes.map(|bytes| format!("{:.1}", bytes as f64 / 1024.0))
    }),
];

impl Column {
    /// What it says of this row.
    pub(super) fn of(&self, row: &Row) -> Option<String> {
        (self.of)(row)
    }

    /// Those of `columns` that say something of one of these rows.
    pub(super) fn used<'a>(
        columns: impl IntoIterator<Item = &'a Column>,
        rows: &[&Row],
    ) -> Vec<Column> {
        let used = |column: &&Column| rows.iter().any(|row| column.of(row).is_some());
        columns.into_iter().filter(used).copied().collect()
    }
}

fn percent(part: f64) -> Option<String> {
    Some(format!("{:.0}", part * 100.0))
}

fn nanos(nanos: u64) -> Option<String> {
    Some(thousands(nanos as f64))
}
