//! [`Wrong`]: a cell that has no row, since an answer was wrong.
//!
//! ```text
//!  {"format":…,"version":2,…,"wrong":[{"workload":"page-scan","snapshot":"csn",…,"what":"id 7 …"}]}     first line: the header
//!  {"workload":"page-scan","snapshot":"bitmap",…}                                                      a row
//! ```
//!
//! They stand in the header's line and not in lines of their own: who reads a file takes each further line for a row, and
//! passes over fields of the header that he does not know. So a program from before reads such a file as it always did.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use serde::{Deserialize, Serialize};

use super::row::{Key, LoadKey, Parameter};

/// A pairing that gave a wrong answer under a load, or could not be set up there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Wrong {
    /// Name of the load.
    pub workload: String,
    /// Name of the snapshot strategy.
    pub snapshot: String,
    /// Name of the threshold strategy.
    pub threshold: String,
    /// Threads that are measured.
    pub threads: usize,
    /// The load's other parameters, as in a row.
    pub parameters: BTreeMap<String, Parameter>,
    /// The first wrong answer.
    pub what: String,
}

impl Wrong {
    /// What it is about.
    pub fn key(&self) -> Key {
        Key {
            load: self.load_key(),
            snapshot: self.snapshot.clone(),
            threshold: self.threshold.clone(),
        }
    }

    /// The load.
    pub fn load_key(&self) -> LoadKey {
        LoadKey::new(&self.workload, &self.parameters, self.threads)
    }

    /// The first of each cell: one that goes wrong in each round is one.
    pub fn firsts(all: impl IntoIterator<Item = Wrong>) -> Vec<Wrong> {
        let mut seen = HashSet::new();
        all.into_iter().filter(|wrong| seen.insert(wrong.key())).collect()
    }
}

/// Load, pairing, and what was wrong.
impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { workload, snapshot, threshold, what, .. } = self;
        write!(f, "{workload} {snapshot} × {threshold}: {what}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sample::wrong;

    #[test]
    fn a_cell_that_goes_wrong_again_is_one() {
        let again = Wrong { what: "another id".into(), ..wrong("csn", "off") };
        let crowded = Wrong { threads: 64, ..again.clone() };
        let swept =
            Wrong { parameters: [("a".into(), Parameter::Number(1.0))].into(), ..again.clone() };
        let others = [wrong("csn", "rcu"), wrong("bitmap", "off"), crowded, swept];
        let all = [[wrong("csn", "off"), again].to_vec(), others.to_vec()].concat();
        assert_eq!(Wrong::firsts(all), [&[wrong("csn", "off")][..], &others].concat());
    }
}
