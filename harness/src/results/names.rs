//! Names on the command line that stand in files, not in the registry: rows are filtered by them, baselines are found by them.

use std::{error::Error, fmt};

use super::Row;

/// Nothing of this kind has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoSuch {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) known: Vec<String>,
    /// Said where nothing is known.
    pub(super) none: String,
}

impl NoSuch {
    /// The known name that is most like it, with or without its variant; the first of the most alike.
    pub fn nearest(&self) -> Option<&str> {
        let likeness = |known: &&String| {
            let like = |known| strsim::normalized_damerau_levenshtein(&self.name, known);
            like(known).max(like(base(known)))
        };
        let known = self.known.iter().rev();
        known.max_by(|a, b| likeness(a).total_cmp(&likeness(b))).map(String::as_str)
    }
}

impl fmt::Display for NoSuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} is called {:?}", self.kind, self.name)?;
        match self.nearest() {
            Some(nearest) => write!(f, "; nearest: {nearest}; known: {}", self.known.join(", ")),
            None => write!(f, "; {}", self.none),
        }
    }
}

impl Error for NoSuch {}

/// Which rows are wanted, by names of each kind; all where none is given. A name without its variant means every variant.
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a> {
    /// Loads.
    pub workloads: &'a [String],
    /// Snapshot strategies.
    pub snapshots: &'a [String],
    /// Threshold strategies.
    pub thresholds: &'a [String],
}

impl Filter<'_> {
    /// Refuses a name that none of the rows has: a typing error must not look like a strategy that was not measured.
    ///
    /// # Errors
    ///
    /// The first such name.
    pub fn check<'r>(&self, rows: impl Iterator<Item = &'r Row> + Clone) -> Result<(), NoSuch> {
        let all = |kind, names: &[String], of: fn(&Row) -> &str| {
            let mut known: Vec<String> = Vec::new();
            for row in rows.clone().map(of) {
                if !known.iter().any(|name| name == row) {
                    known.push(row.into());
                }
            }
            let unknown = names.iter().find(|name| !known.iter().any(|known| means(name, known)));
            match unknown.cloned() {
                Some(name) => Err(NoSuch { kind, name, known, none: "there are no rows".into() }),
                None => Ok(()),
            }
        };
        all("workload", self.workloads, |row| &row.workload)?;
        all("snapshot strategy", self.snapshots, |row| &row.snapshot)?;
        all("threshold strategy", self.thresholds, |row| &row.threshold)
    }

    /// Whether this row is wanted.
    pub fn wants(&self, row: &Row) -> bool {
        let any = |names: &[String], of: &str| {
            names.is_empty() || names.iter().any(|name| means(name, of))
        };
        any(self.workloads, &row.workload)
            && any(self.snapshots, &row.snapshot)
            && any(self.thresholds, &row.threshold)
    }
}

fn means(name: &str, known: &str) -> bool {
    name == known || name == base(known)
}

/// A name without its variant.
fn base(name: &str) -> &str {
    name.split_once('(').map_or(name, |(base, _)| base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sample::row;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).into()).collect()
    }

    #[test]
    fn names_without_their_variant_mean_all_of_them() {
        let rows =
            ["csn", "csn(rising)", "csn-like", "array(15.2)"].map(|name| row(name, "off", 1.0));
        let wanted = |snapshots: &[&str], thresholds: &[&str]| {
            let (snapshots, thresholds) = (names(snapshots), names(thresholds));
            let filter = Filter { workloads: &[], snapshots: &snapshots, thresholds: &thresholds };
            filter.check(rows.iter()).map(|()| {
                rows.iter()
                    .filter(|row| filter.wants(row))
                    .map(|row| row.snapshot.as_str())
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(
            wanted(&[], &[]).expect("no name is wrong"),
            ["csn", "csn(rising)", "csn-like", "array(15.2)"]
        );
        assert_eq!(wanted(&["csn"], &["off"]).expect("known"), ["csn", "csn(rising)"]);
        assert_eq!(
            wanted(&["csn(rising)", "array"], &[]).expect("known"),
            ["csn(rising)", "array(15.2)"]
        );
        let unknown = wanted(&["csn", "aray"], &[]).expect_err("nothing is called that");
        assert_eq!(
            unknown.to_string(),
            "no snapshot strategy is called \"aray\"; nearest: array(15.2); known: csn, csn(rising), csn-like, array(15.2)"
        );
        assert!(wanted(&[], &["of"]).is_err());
    }

    #[test]
    fn where_nothing_is_known_there_is_no_nearest() {
        let workloads = names(&["page-scan"]);
        let filter = Filter { workloads: &workloads, snapshots: &[], thresholds: &[] };
        let unknown = filter.check([].iter()).expect_err("no rows");
        assert_eq!(unknown.to_string(), "no workload is called \"page-scan\"; there are no rows");
    }
}
