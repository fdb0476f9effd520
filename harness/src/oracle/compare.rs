//! [`compare`]: a strategy's snapshot against the one that the real standby computed.

use std::fmt;

use snapshot_api::{FullXid, Snapshot, Xid};

use super::Row;
use crate::{standby::View, trace::Lsn};

/// A snapshot that is not what the real standby computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Where in the log.
    pub lsn: Lsn,
    /// What differs.
    pub what: &'static str,
    /// What the standby computed.
    pub expected: String,
    /// What the strategy says.
    pub got: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: {}: expected {}, got {}", self.lsn, self.what, self.expected, self.got)
    }
}

/// The first difference between what the strategy says and what the real standby computed, if there is one: bounds,
/// list, overflow flag, next id, then every id between the bounds, hidden subtransactions among them.
pub fn compare<P: Snapshot>(view: &View<'_, P>, row: &Row) -> Option<Mismatch> {
    let snapshot = view.snapshot();
    let scalar = |what, expected: &dyn fmt::Display, got: &dyn fmt::Display| {
        Some(Mismatch { lsn: row.lsn, what, expected: expected.to_string(), got: got.to_string() })
    };
    if snapshot.xmax() != row.xmax {
        return scalar("xmax", &printed(row.xmax), &printed(snapshot.xmax()));
    }
    if !snapshot.running().eq(row.xip.iter().copied()) {
        let got: Vec<Xid> = snapshot.running().collect();
        let (expected, got) = difference(&row.xip, &got);
        return scalar("running ids", &expected, &got);
    }
    if snapshot.xmin() != row.xmin {
        return scalar("xmin", &printed(row.xmin), &printed(snapshot.xmin()));
    }
    if view.suboverflowed() != row.suboverflowed {
        return scalar("suboverflowed", &row.suboverflowed, &view.suboverflowed());
    }
    if view.next().dense() != row.next {
        return scalar("nextXid", &printed(row.next), &view.next());
    }
    match &row.hidden {
        Some(hidden) => {
            let ids = (row.xmin.get().saturating_sub(2)..row.xmax.get() + 2).map(Xid::new);
            let mut listed = row.xip.iter().peekable();
            let mut hidden = hidden.iter().peekable();
            for xid in ids {
                let expected = listed.next_if_eq(&&xid).is_some()
                    | hidden.next_if_eq(&&xid).is_some()
                    | (xid >= row.xmax);
                if let Some(wrong) = visibility(view, row.lsn, xid, expected) {
                    return Some(wrong);
                }
            }
            None
        }
        None => {
            let below = row.xmin.prev();
            let outside = [(below, false), (row.xmax, true), (row.xmax.next(), true)];
            let listed = row.xip.iter().map(|&xid| (xid, true));
            listed.chain(outside).find_map(|(xid, running)| visibility(view, row.lsn, xid, running))
        }
    }
}

fn visibility<P: Snapshot>(
    view: &View<'_, P>,
    lsn: Lsn,
    xid: Xid,
    expected: bool,
) -> Option<Mismatch> {
    let word = |running| if running { "in progress" } else { "over" };
    let got = view.is_in_progress(xid);
    (got != expected).then(|| Mismatch {
        lsn,
        what: "visibility",
        expected: format!("{} {}", printed(xid), word(expected)),
        got: word(got).into(),
    })
}

/// A dense id as PostgreSQL prints it; as it is where no id stands for it.
pub(crate) fn printed(xid: Xid) -> String {
    match FullXid::from_dense(xid) {
        Some(full) => full.to_string(),
        None => format!("dense id {xid}"),
    }
}

/// Two lists as text, shortened to what stands around the first difference.
pub(crate) fn difference(expected: &[Xid], got: &[Xid]) -> (String, String) {
    let at = expected.iter().zip(got).take_while(|(a, b)| a == b).count();
    (around(expected, at), around(got, at))
}

fn around(ids: &[Xid], at: usize) -> String {
    const BESIDE: usize = 2;
    let from = at.saturating_sub(BESIDE);
    let to = (at + BESIDE + 1).min(ids.len());
    let mut text = format!("{} ids", ids.len());
    if from < to {
        let shown: Vec<String> = ids[from..to].iter().map(|&xid| printed(xid)).collect();
        let (before, after) =
            (if from > 0 { "… " } else { "" }, if to < ids.len() { " …" } else { "" });
        text += &format!(", from number {} on: {before}{}{after}", from + 1, shown.join(" "));
    }
    text
}
