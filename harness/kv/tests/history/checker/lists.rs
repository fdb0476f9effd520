//! What the lists tell by themselves: the order of versions of each key, who read which, and every anomaly that needs no cycle.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Anomaly, Finding};
use crate::record::{Element, Fate, History, Key, Op};

/// The index of a transaction in its history.
pub(crate) type Place = usize;

/// One key, as its committed readers and writers made it.
#[derive(Debug, Default)]
pub(crate) struct List {
    /// The longest read, what was not committed left out: the order of versions.
    pub(crate) order: Vec<Place>,
    /// Committed, and in nobody's read: it came after all that was read, else the longest read would have it.
    pub(crate) unobserved: Vec<Place>,
    /// Who read, and how many elements of `order` they found.
    pub(crate) readers: Vec<(Place, usize)>,
}

/// An element's story.
struct Origin {
    writer: Place,
    /// Committed with its transaction, and not rolled back before.
    committed: bool,
    /// No other append of the same transaction to the same key came later and stayed.
    last: bool,
}

/// What a transaction found in a list before it appended to it.
struct External<'h> {
    place: Place,
    key: Key,
    list: &'h [Element],
}

/// The lists of all keys, and what is wrong with them.
pub(crate) fn read(history: &History) -> (BTreeMap<Key, List>, Vec<Finding>) {
    let mut findings = Vec::new();
    let origins = origins(history);
    let externals = externals(history, &mut findings);
    let mut lists: BTreeMap<Key, List> = BTreeMap::new();
    for (key, reads) in by_key(&externals) {
        let longest = reads.iter().map(|read| read.list).max_by_key(|list| list.len());
        let longest = longest.unwrap_or_default();
        for read in &reads {
            judge(read, longest, &origins, &mut findings);
        }
        let is_committed = |element: &&Element| origins.get(element).is_some_and(|o| o.committed);
        let list = lists.entry(key).or_default();
        list.order = longest.iter().filter(is_committed).map(|e| origins[e].writer).collect();
        list.readers = (reads.iter())
            .filter(|read| longest.starts_with(read.list))
            .map(|read| (read.place, read.list.iter().filter(is_committed).count()))
            .collect();
    }
    let observed: HashSet<Element> = externals.iter().flat_map(|read| read.list).copied().collect();
    for (place, transaction) in history.iter().enumerate() {
        for op in &transaction.ops {
            if let Op::Append { key, element } = op
                && origins[element].committed
                && !observed.contains(element)
            {
                lists.entry(*key).or_default().unobserved.push(place);
            }
        }
    }
    lost_updates(history, &externals, &origins, &mut findings);
    (lists, findings)
}

/// Where each element comes from.
fn origins(history: &History) -> HashMap<Element, Origin> {
    let mut origins = HashMap::new();
    for (writer, transaction) in history.iter().enumerate() {
        let mut stands: Vec<(Key, Element)> = Vec::new();
        let mut savepoints = Vec::new();
        for op in &transaction.ops {
            match op {
                Op::Append { key, element } => {
                    origins.insert(*element, Origin { writer, committed: false, last: false });
                    stands.push((*key, *element));
                }
                Op::Savepoint => savepoints.push(stands.len()),
                Op::RollBack => stands.truncate(savepoints.pop().unwrap_or(0)),
                Op::Release => drop(savepoints.pop()),
                Op::Read { .. } => {}
            }
        }
        let mut keys = HashSet::new();
        for (key, element) in stands.into_iter().rev() {
            let committed = transaction.fate == Fate::Committed;
            origins.insert(element, Origin { writer, committed, last: keys.insert(key) });
        }
    }
    origins
}

/// What each transaction, if it has committed, read of others. Each has to read what it appended itself at the end of that.
fn externals<'h>(history: &'h History, findings: &mut Vec<Finding>) -> Vec<External<'h>> {
    let mut externals = Vec::new();
    for (place, transaction) in history.iter().enumerate() {
        let mut known: HashMap<Key, &[Element]> = HashMap::new();
        let mut own: Vec<(Key, Element)> = Vec::new();
        let mut savepoints = Vec::new();
        for op in &transaction.ops {
            let (key, list) = match op {
                Op::Append { key, element } => {
                    own.push((*key, *element));
                    continue;
                }
                Op::Savepoint => {
                    savepoints.push(own.len());
                    continue;
                }
                Op::RollBack => {
                    own.truncate(savepoints.pop().unwrap_or(0));
                    continue;
                }
                Op::Release => {
                    savepoints.pop();
                    continue;
                }
                Op::Read { key, list } => (*key, list),
            };
            let mine: Vec<_> = own.iter().filter(|(of, _)| *of == key).map(|(_, e)| *e).collect();
            let of_others = list.strip_suffix(&mine[..]);
            let fits = of_others.filter(|list| known.get(&key).is_none_or(|before| before == list));
            let Some(of_others) = fits else {
                let before = known.get(&key);
                let story = format!(
                    "T{place} reads {list:?} of {key}, having appended {mine:?} itself to {before:?}"
                );
                findings.push(Finding { anomaly: Anomaly::Internal, story });
                continue;
            };
            if known.insert(key, of_others).is_none() && transaction.fate == Fate::Committed {
                externals.push(External { place, key, list: of_others });
            }
        }
    }
    externals
}

fn by_key<'e, 'h>(externals: &'e [External<'h>]) -> BTreeMap<Key, Vec<&'e External<'h>>> {
    let mut keys: BTreeMap<Key, Vec<_>> = BTreeMap::new();
    for external in externals {
        keys.entry(external.key).or_default().push(external);
    }
    keys
}

/// What is wrong with one read.
fn judge(
    read: &External<'_>,
    longest: &[Element],
    origins: &HashMap<Element, Origin>,
    findings: &mut Vec<Finding>,
) {
    let External { place, key, list } = read;
    let mut found = |anomaly, what: String| {
        let story = format!("T{place} reads {list:?} of {key}{what}");
        findings.push(Finding { anomaly, story });
    };
    if !longest.starts_with(list) {
        found(Anomaly::IncompatibleOrder, format!(", somebody else {longest:?}"));
    }
    let mut seen = HashSet::new();
    for element in *list {
        if !seen.insert(element) {
            found(Anomaly::Duplicate, format!(": {element} twice"));
        }
        match origins.get(element) {
            None => found(Anomaly::Garbage, format!(": nobody appended {element}")),
            Some(Origin { writer, committed: false, .. }) => {
                found(Anomaly::G1a, format!(": T{writer} did not commit {element}"));
            }
            Some(_) => {}
        }
    }
    if let Some(Origin { writer, committed: true, last: false }) =
        list.last().and_then(|last| origins.get(last))
    {
        found(Anomaly::G1b, format!(": T{writer} appended more"));
    }
}

/// Two that read the same version of a key, and both appended to it.
fn lost_updates(
    history: &History,
    externals: &[External<'_>],
    origins: &HashMap<Element, Origin>,
    findings: &mut Vec<Finding>,
) {
    let mut updates: HashMap<(Key, &[Element]), Place> = HashMap::new();
    for &External { place, key, list } in externals {
        let appended = history[place].ops.iter().any(|op| {
            matches!(op, Op::Append { key: to, element } if *to == key && origins[element].committed)
        });
        if !appended {
            continue;
        }
        if let Some(other) = updates.insert((key, list), place) {
            let story =
                format!("T{other} and T{place} both read {list:?} of {key} and append to it");
            findings.push(Finding { anomaly: Anomaly::LostUpdate, story });
        }
    }
}
