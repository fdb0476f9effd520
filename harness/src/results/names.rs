//! Which rows of files are wanted, by names on the command line.

use crate::{
    names::{Unknown, chosen_here},
    registry::{THRESHOLDS, snapshots},
};

use super::{Row, Wrong};

/// The names of a row, or of a cell that has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Names<'a> {
    /// The load.
    pub workload: &'a str,
    /// The snapshot strategy.
    pub snapshot: &'a str,
    /// The threshold strategy.
    pub threshold: &'a str,
}

impl<'a> From<&'a Row> for Names<'a> {
    fn from(row: &'a Row) -> Self {
        let Row { workload, snapshot, threshold, .. } = row;
        Names { workload, snapshot, threshold }
    }
}

impl<'a> From<&'a Wrong> for Names<'a> {
    fn from(wrong: &'a Wrong) -> Self {
        let Wrong { workload, snapshot, threshold, .. } = wrong;
        Names { workload, snapshot, threshold }
    }
}

/// Which rows are wanted, by words of each kind; all where none is given. What a word means: [`names`](crate::names).
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
    /// What the words mean among these names. A strategy's name means that strategy also where none of them is it.
    ///
    /// # Errors
    ///
    /// The first word that means none of the names: a typing error must not look like a strategy that was not measured.
    pub fn among<'r, N: Into<Names<'r>>>(
        &self,
        names: impl Iterator<Item = N> + Clone,
    ) -> Result<Wanted<'r>, Unknown> {
        let chosen = |kind, words: &[String], elsewhere: &[&str], of: fn(Names<'r>) -> &'r str| {
            let mut known: Vec<&str> = Vec::new();
            for name in names.clone().map(|names| of(names.into())) {
                if !known.contains(&name) {
                    known.push(name);
                }
            }
            chosen_here(kind, words, &known, elsewhere)
                .map_err(|unknown| unknown.where_none("there are no rows"))
        };
        Ok(Wanted {
            workloads: chosen("workload", self.workloads, &[], |names| names.workload)?,
            snapshots: chosen("snapshot strategy", self.snapshots, &snapshots(), |names| {
                names.snapshot
            })?,
            thresholds: chosen("threshold strategy", self.thresholds, THRESHOLDS, |names| {
                names.threshold
            })?,
        })
    }
}

/// The names that are wanted.
#[derive(Clone, Debug)]
pub struct Wanted<'r> {
    workloads: Vec<&'r str>,
    snapshots: Vec<&'r str>,
    thresholds: Vec<&'r str>,
}

impl Wanted<'_> {
    /// Whether the names of this row, or of this cell that has none, are among them.
    pub fn has<'n>(&self, names: impl Into<Names<'n>>) -> bool {
        let Names { workload, snapshot, threshold } = names.into();
        self.workloads.contains(&workload)
            && self.snapshots.contains(&snapshot)
            && self.thresholds.contains(&threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sample::{row, wrong};

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).into()).collect()
    }

    #[test]
    fn words_mean_what_they_mean_elsewhere() {
        let rows =
            ["csn", "csn(rising)", "csn-like", "array(15.2)"].map(|name| row(name, "off", 1.0));
        let wanted = |snapshots: &[&str], thresholds: &[&str]| {
            let (snapshots, thresholds) = (names(snapshots), names(thresholds));
            let filter = Filter { workloads: &[], snapshots: &snapshots, thresholds: &thresholds };
            filter.among(rows.iter()).map(|wanted| {
                rows.iter()
                    .filter(|row| wanted.has(*row))
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
            "no snapshot strategy is called or matches \"aray\"; nearest: array(15.2); known: csn, csn(rising), csn-like, array(15.2)"
        );
        assert_eq!(
            wanted(&["^csn", r"5\.2"], &["of"]).expect("found"),
            ["csn", "csn(rising)", "csn-like", "array(15.2)"]
        );
        assert!(wanted(&[], &["on"]).is_err());
        assert!(wanted(&["("], &[]).is_err());
    }

    /// A strategy that was wrong everywhere has no row, and was measured all the same.
    #[test]
    fn names_of_cells_without_rows_are_names_too() {
        let (rows, wrongs) = ([row("bitmap", "off", 1.0)], [wrong("new-array", "off")]);
        let snapshots = names(&["new"]);
        let filter = Filter { workloads: &[], snapshots: &snapshots, thresholds: &[] };
        assert!(filter.among(rows.iter()).is_err());
        let all = rows.iter().map(Names::from).chain(wrongs.iter().map(Names::from));
        let wanted = filter.among(all).expect("it was measured");
        assert_eq!((wanted.has(&rows[0]), wanted.has(&wrongs[0])), (false, true));
    }

    /// Who asks for `mutex` is not shown `mutex-os` because the file has no other.
    #[test]
    fn a_strategy_without_rows_is_not_another_one() {
        let rows = [row("shared-cache(csn(rising))", "mutex-os", 1.0)];
        let wanted = |snapshots: &[&str], thresholds: &[&str]| {
            let (snapshots, thresholds) = (names(snapshots), names(thresholds));
            let filter = Filter { workloads: &[], snapshots: &snapshots, thresholds: &thresholds };
            filter.among(rows.iter()).map(|wanted| wanted.has(&rows[0]))
        };
        assert_eq!(wanted(&["cache"], &["mutex."]), Ok(true));
        assert!(wanted(&["csn"], &[]).is_err());
        assert!(wanted(&[], &["mutex"]).is_err());
    }

    #[test]
    fn where_nothing_is_known_there_is_no_nearest() {
        let workloads = names(&["page-scan"]);
        let filter = Filter { workloads: &workloads, snapshots: &[], thresholds: &[] };
        let unknown = filter.among(std::iter::empty::<&Row>()).expect_err("no rows");
        assert_eq!(
            unknown.to_string(),
            "no workload is called or matches \"page-scan\"; there are no rows"
        );
    }
}
