//! Judgements on rows: whether a direction holds, does not, or cannot be told.
//!
//! ```text
//!  A/A, the reference against itself        ├────┤
//!  less than it, beyond chance      ├──┤                 held
//!  perhaps                             ├────┤            cannot be told here: the intervals overlap
//!  more                                          ├──┤    did not hold
//! ```
//!
//! A direction holds or fails where two 95% intervals part, and nowhere else. A row that the machine was busy during proves
//! no failure: a busy machine takes throughput from anybody, and widens intervals, but does not part them the right way round.

use crate::results::Row;

/// What came of a direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It holds, beyond chance.
    Held,
    /// The opposite holds, beyond chance.
    DidNotHold,
    /// Neither.
    CannotTell(Why),
}

/// Why a direction cannot be told here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// The intervals overlap.
    Overlap,
    /// The machine was busy.
    Busy,
    /// The reference against itself differs by more than what is to be told.
    Coarse,
    /// It takes more cores.
    Cores,
    /// It has not been measured: stopped before, or the pairing was wrong.
    Missing,
}

impl Verdict {
    /// In words.
    pub fn says(self) -> &'static str {
        match self {
            Verdict::Held => "held",
            Verdict::DidNotHold => "did not hold",
            Verdict::CannotTell(_) => "cannot be told here",
        }
    }

    /// Why it cannot be told, in words.
    pub fn why(self) -> Option<&'static str> {
        Some(match self {
            Verdict::CannotTell(Why::Overlap) => "the intervals overlap",
            Verdict::CannotTell(Why::Busy) => "the machine was busy",
            Verdict::CannotTell(Why::Coarse) => "the reference differs from itself by more",
            Verdict::CannotTell(Why::Cores) => "too few cores",
            Verdict::CannotTell(Why::Missing) => "not measured",
            _ => return None,
        })
    }

    /// Both of two: a failure counts most, then what cannot be told.
    pub fn and(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::DidNotHold, _) | (_, Verdict::DidNotHold) => Verdict::DidNotHold,
            (Verdict::CannotTell(why), _) | (_, Verdict::CannotTell(why)) => {
                Verdict::CannotTell(why)
            }
            _ => Verdict::Held,
        }
    }

    /// A failure on a busy machine is none.
    fn unless_busy(self, rows: &[&Row]) -> Verdict {
        match self {
            Verdict::DidNotHold if rows.iter().any(|row| row.noisy) => {
                Verdict::CannotTell(Why::Busy)
            }
            verdict => verdict,
        }
    }
}

/// A median with its 95% interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Span {
    /// Lower end.
    pub low: f64,
    /// The middle.
    pub median: f64,
    /// Upper end.
    pub high: f64,
}

impl Span {
    /// The throughput over the reference's; of the reference itself, A/A.
    pub fn ratio(row: &Row) -> Self {
        Span { low: row.ratio_low, median: row.ratio, high: row.ratio_high }
    }

    /// The throughput while the long transaction is open over that before and after.
    pub fn while_open(row: &Row) -> Option<Self> {
        let [low, high] = row.while_open_interval?;
        Some(Span { low, median: row.while_open?, high })
    }

    /// Whether it lies below another, as a whole.
    fn is_below(self, other: Span) -> bool {
        self.high < other.low
    }
}

/// `one` lies below `other`, as a whole.
fn below(one: Span, other: Span) -> Verdict {
    match (one.is_below(other), other.is_below(one)) {
        (true, _) => Verdict::Held,
        (_, true) => Verdict::DidNotHold,
        _ => Verdict::CannotTell(Why::Overlap),
    }
}

/// `row` does less than `other`, both over the same reference; or than the reference itself.
pub fn does_less(row: Option<&Row>, other: Option<&Row>) -> Verdict {
    match (row, other) {
        (Some(row), Some(other)) => {
            below(Span::ratio(row), Span::ratio(other)).unless_busy(&[row, other])
        }
        _ => Verdict::CannotTell(Why::Missing),
    }
}

/// `row` dips more than `other` while the long transaction is open.
pub fn dips_more(row: Option<&Row>, other: Option<&Row>) -> Verdict {
    match (row, other) {
        (Some(row), Some(other)) => match (Span::while_open(row), Span::while_open(other)) {
            (Some(one), Some(two)) => below(one, two).unless_busy(&[row, other]),
            _ => Verdict::CannotTell(Why::Missing),
        },
        _ => Verdict::CannotTell(Why::Missing),
    }
}

/// How much of the reference's throughput may be lost where nothing should be.
pub const ALLOWED: f64 = 0.05;

/// `row` keeps the reference's throughput: it loses 5% at most, or no more than the reference loses against itself; where that
/// is more than 10% nothing can be told.
pub fn keeps(row: Option<&Row>, reference: Option<&Row>) -> Verdict {
    let (Some(row), Some(reference)) = (row, reference) else {
        return Verdict::CannotTell(Why::Missing);
    };
    let floor = (1.0 - ALLOWED).min(reference.ratio_low);
    let least = 1.0 - 2.0 * ALLOWED;
    match Span::ratio(row) {
        span if span.low >= floor.max(least) => Verdict::Held,
        span if span.high < floor => Verdict::DidNotHold.unless_busy(&[row, reference]),
        _ if floor < least => Verdict::CannotTell(Why::Coarse),
        _ => Verdict::CannotTell(Why::Overlap),
    }
}

/// Some caller had to wait for another.
pub fn waits(row: Option<&Row>) -> Verdict {
    match row {
        Some(row) if row.lock_waits > 0.0 => Verdict::Held,
        // One at a time never meets another.
        Some(row) if row.threads == 1 => Verdict::CannotTell(Why::Cores),
        Some(row) => Verdict::DidNotHold.unless_busy(&[row]),
        None => Verdict::CannotTell(Why::Missing),
    }
}

/// No caller ever had to.
pub fn never_waits(row: Option<&Row>) -> Verdict {
    match row {
        Some(row) if row.lock_waits == 0.0 => Verdict::Held,
        Some(_) => Verdict::DidNotHold,
        None => Verdict::CannotTell(Why::Missing),
    }
}

/// A number without an interval counts as more than another where it is so many times as much.
pub const CLEARLY: f64 = 1.5;

/// A number of `row` is more than that of `other`: held from [`CLEARLY`] on, in between nothing can be told.
pub fn is_more(row: Option<&Row>, other: Option<&Row>, of: fn(&Row) -> f64) -> Verdict {
    let (Some(row), Some(other)) = (row, other) else {
        return Verdict::CannotTell(Why::Missing);
    };
    let (one, two) = (of(row), of(other));
    match () {
        () if one >= two * CLEARLY => Verdict::Held,
        () if two >= one * CLEARLY => Verdict::DidNotHold.unless_busy(&[row, other]),
        () => Verdict::CannotTell(Why::Overlap),
    }
}

#[cfg(test)]
mod tests;
