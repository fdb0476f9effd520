//! Loads: the rows of each, and what to call it among the others.
//!
//! A load is a name with its parameters and its threads. Among others of its name it is called by what differs:
//!
//! ```text
//!  page-scan    page_work=1 slots=200   2 threads   ──►  page-scan page_work=1 threads=2
//!  page-scan    page_work=4 slots=200   2 threads   ──►  page-scan page_work=4 threads=2
//!  page-scan    page_work=4 slots=200  32 threads   ──►  page-scan page_work=4 threads=32
//!  cold-read    keys=1000               2 threads   ──►  cold-read
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    Row,
    row::{LoadKey, Parameter},
};

/// One load with its rows.
#[derive(Clone, Debug)]
pub struct Load<'a> {
    /// What it is called among the others, as in `page-scan page_work=4 threads=32`.
    pub label: String,
    /// Its rows, in the file's order; at least one.
    pub rows: Vec<&'a Row>,
}

impl<'a> Load<'a> {
    /// Its name.
    pub fn workload(&self) -> &'a str {
        &self.rows[0].workload
    }

    /// Its parameters.
    pub fn parameters(&self) -> &'a BTreeMap<String, Parameter> {
        &self.rows[0].parameters
    }

    /// Threads that are measured.
    pub fn threads(&self) -> usize {
        self.rows[0].threads
    }
}

/// All loads of these rows, in the order of their first ones.
pub fn loads<'a>(rows: impl IntoIterator<Item = &'a Row> + Clone) -> Vec<Load<'a>> {
    let labels = Labels::new(rows.clone());
    let mut places: HashMap<LoadKey, usize> = HashMap::new();
    let mut loads: Vec<Load<'a>> = Vec::new();
    for row in rows {
        let place = *places.entry(row.load_key()).or_insert(loads.len());
        match loads.get_mut(place) {
            Some(load) => load.rows.push(row),
            None => loads.push(Load { label: labels.of(row), rows: vec![row] }),
        }
    }
    loads
}

/// What tells the loads of one name apart, in a set of rows.
#[derive(Clone, Debug, Default)]
pub struct Labels<'a> {
    differing: BTreeMap<&'a str, Differing<'a>>,
}

/// What differs between the loads of one name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Differing<'a> {
    /// Names of parameters, sorted.
    pub parameters: Vec<&'a str>,
    /// Whether the numbers of threads do.
    pub threads: bool,
}

impl<'a> Labels<'a> {
    /// Finds out what differs among these rows.
    pub fn new(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        let mut by_name: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for row in rows {
            by_name.entry(&row.workload).or_default().push(row);
        }
        let differing = by_name.into_iter().map(|(name, rows)| (name, differing(&rows)));
        Labels { differing: differing.collect() }
    }

    /// What differs between the loads of this name.
    pub fn differing(&self, workload: &str) -> Option<&Differing<'a>> {
        self.differing.get(workload)
    }

    /// What this row's load is called.
    pub fn of(&self, row: &Row) -> String {
        match self.point(row) {
            point if point.is_empty() => row.workload.clone(),
            point => format!("{} {point}", row.workload),
        }
    }

    /// What tells this row's load from others of its name, as in `page_work=4 threads=32`; empty where nothing does.
    pub fn point(&self, row: &Row) -> String {
        self.point_of(&row.workload, &row.parameters, row.threads)
    }

    /// The same of a load that may have no row.
    pub fn point_of(
        &self,
        workload: &str,
        parameters: &BTreeMap<String, Parameter>,
        threads: usize,
    ) -> String {
        let Some(differing) = self.differing(workload) else { return String::new() };
        let value = |name: &&str| parameters.get(*name).map(|value| format!("{name}={value}"));
        let mut words: Vec<String> = differing.parameters.iter().filter_map(value).collect();
        if differing.threads {
            words.push(format!("threads={threads}"));
        }
        words.join(" ")
    }
}

fn differing<'a>(rows: &[&'a Row]) -> Differing<'a> {
    let names: BTreeSet<&str> =
        rows.iter().flat_map(|row| row.parameters.keys()).map(String::as_str).collect();
    let differs = |name: &&str| {
        rows.iter().any(|row| row.parameters.get(*name) != rows[0].parameters.get(*name))
    };
    Differing {
        parameters: names.into_iter().filter(differs).collect(),
        threads: rows.iter().any(|row| row.threads != rows[0].threads),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sample::{row, standby};

    fn with(parameters: &[(&str, f64)], threads: usize) -> Row {
        let parameters = parameters
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Parameter::Number(*value)))
            .collect();
        Row { parameters, threads, ..row("csn", "off", 1.0) }
    }

    fn labels(rows: &[Row]) -> Vec<String> {
        loads(rows).into_iter().map(|load| load.label).collect()
    }

    #[test]
    fn loads_are_called_by_what_differs() {
        assert_eq!(
            labels(&[row("csn", "off", 1.0), standby("csn", "off", 1.0)]),
            ["page-scan", "standby-long-transaction"]
        );
        let few = [with(&[("a", 1.0), ("b", 0.5)], 2), with(&[("a", 1.0), ("b", 4.0)], 2)];
        assert_eq!(labels(&few), ["page-scan b=0.5", "page-scan b=4"]);
        let crowd = [with(&[("a", 1.0)], 2), with(&[("a", 1.0)], 32)];
        assert_eq!(labels(&crowd), ["page-scan threads=2", "page-scan threads=32"]);
        assert_eq!(labels(&[with(&[], 2), with(&[("a", 1.0)], 2)]), ["page-scan", "page-scan a=1"]);
    }

    #[test]
    fn rows_of_a_load_are_together_in_the_order_of_the_file() {
        let rows = [with(&[], 2), with(&[], 4), standby("csn", "off", 1.0), with(&[], 2)];
        let loads = loads(&rows);
        let counts: Vec<_> = loads.iter().map(|load| (load.workload(), load.rows.len())).collect();
        assert_eq!(counts, [("page-scan", 2), ("page-scan", 1), ("standby-long-transaction", 1)]);
        assert!(std::ptr::eq(loads[0].rows[1], &rows[3]));
        assert_eq!((loads[1].threads(), loads[1].parameters().len()), (4, 0));
    }

    /// Different parameters have different texts, whatever they say.
    #[test]
    fn keys_are_told_apart() {
        let key = |name: &str, value: Parameter| {
            let parameters = BTreeMap::from([(name.to_owned(), value)]);
            Row { parameters, ..row("csn", "off", 1.0) }.key().load.parameters
        };
        let text = |text: &str| Parameter::Text(text.into());
        let keys = [
            key("a", Parameter::Number(1.0)),
            key("a", text("1")),
            key("a", text("1 b=2")),
            key("a", text("\"1\"")),
            key("a", text("")),
            key("a", text("nan")),
            key("a", Parameter::Number(0.1)),
            key("a", Parameter::Number(0.1 + f64::EPSILON)),
        ];
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len(), "{keys:?}");
        assert_eq!(keys[0], "a=1");
    }
}
