//! Which rows of files are wanted, by names on the command line.

use crate::{
    names::{Unknown, chosen_here},
    registry::{THRESHOLDS, snapshots},
};

use super::Row;

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
    /// What the words mean among the names in these rows. A strategy's name means that strategy also where no row has it.
    ///
    /// # Errors
    ///
    /// The first word that means no name in the rows: a typing error must not look like a strategy that was not measured.
    pub fn among<'r>(
        &self,
        rows: impl Iterator<Item = &'r Row> + Clone,
    ) -> Result<Wanted<'r>, Unknown> {
        let chosen = |kind, words: &[String], elsewhere: &[&str], of: fn(&Row) -> &str| {
            let mut known: Vec<&str> = Vec::new();
            for name in rows.clone().map(of) {
                if !known.contains(&name) {
                    known.push(name);
                }
            }
            chosen_here(kind, words, &known, elsewhere)
                .map_err(|unknown| unknown.where_none("there are no rows"))
        };
        Ok(Wanted {
            workloads: chosen("workload", self.workloads, &[], |row| &row.workload)?,
            snapshots: chosen("snapshot strategy", self.snapshots, &snapshots(), |row| {
                &row.snapshot
            })?,
            thresholds: chosen("threshold strategy", self.thresholds, THRESHOLDS, |row| {
                &row.threshold
            })?,
        })
    }
}

/// The names whose rows are wanted.
#[derive(Clone, Debug)]
pub struct Wanted<'r> {
    workloads: Vec<&'r str>,
    snapshots: Vec<&'r str>,
    thresholds: Vec<&'r str>,
}

impl Wanted<'_> {
    /// Whether this row is among them.
    pub fn has(&self, row: &Row) -> bool {
        self.workloads.contains(&&*row.workload)
            && self.snapshots.contains(&&*row.snapshot)
            && self.thresholds.contains(&&*row.threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sample::row;

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
                    .filter(|row| wanted.has(row))
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
        let unknown = filter.among([].iter()).expect_err("no rows");
        assert_eq!(
            unknown.to_string(),
            "no workload is called or matches \"page-scan\"; there are no rows"
        );
    }
}
