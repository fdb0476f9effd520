//! The checker against plain search: it finds something forbidden if, and only if, no order of snapshots and commits explains
//! the history.
//!
//! Under snapshot isolation a transaction has two moments: it sees what was committed at the first, and its writes become
//! visible at the second, unless somebody else's of the same key did in between. The search tries every order of these moments that
//! agrees with time. Histories are small, and many are wrong: reads are any part of the final lists. Where the last transaction
//! reads them all both agree; without it, of what nobody has read no checker can tell the order, and it must not guess.

use proptest::prelude::*;

use crate::{
    checker::check,
    record::{Element, Fate, Key, Op, Transaction},
};

const KEYS: usize = 2;

/// What a transaction does: appends to a list, or reads so much of it.
#[derive(Clone, Copy, Debug)]
enum Ask {
    Append(usize),
    Read(usize, usize),
}

fn ask() -> impl Strategy<Value = Ask> {
    prop_oneof![
        (0..KEYS).prop_map(Ask::Append),
        (0..KEYS, 0_usize..4).prop_map(|(key, length)| Ask::Read(key, length)),
    ]
}

/// The lists as `order` mixes the appends, and what each transaction makes of them; then one that reads them all.
fn history(asks: &[Vec<Ask>], order: &[u8], times: &[u8]) -> Vec<Transaction> {
    let element = |place: usize, nth: usize| (place * 10 + nth) as Element;
    let mut lists = [const { Vec::new() }; KEYS];
    // A transaction's own appends stay in their order, and mostly together.
    let mut places: Vec<_> = (0..asks.len()).collect();
    places.sort_by_key(|&place| order[place]);
    for place in places {
        for (nth, ask) in asks[place].iter().enumerate() {
            if let Ask::Append(key) = ask {
                lists[*key].push((place, element(place, nth)));
            }
        }
    }
    let mut moments: Vec<_> = (0..2 * asks.len()).collect();
    moments.sort_by_key(|&moment| (times[moment], moment));
    let at = |moment| moments.iter().position(|&other| other == moment).unwrap_or(0) as u64;
    let mut history: Vec<_> = (asks.iter().enumerate())
        .map(|(place, asks)| {
            let mut own: Vec<(usize, Element)> = Vec::new();
            let op = |(nth, ask): (usize, &Ask)| match *ask {
                Ask::Append(key) => {
                    own.push((key, element(place, nth)));
                    Op::Append { key: key as Key, element: element(place, nth) }
                }
                Ask::Read(key, length) => {
                    let others = lists[key].iter().filter(|(writer, _)| *writer != place);
                    let others = others.map(|(_, element)| *element).take(length);
                    let mine = own.iter().filter(|(of, _)| *of == key).map(|(_, mine)| *mine);
                    Op::Read { key: key as Key, list: others.chain(mine).collect() }
                }
            };
            let ops = asks.iter().enumerate().map(op).collect();
            let (one, other) = (at(2 * place), at(2 * place + 1));
            let (began, ended) = (one.min(other), one.max(other));
            Transaction { began, ops, fate: Fate::Committed, ended }
        })
        .collect();
    let whole = |(key, list): (usize, &Vec<(usize, Element)>)| Op::Read {
        key: key as Key,
        list: list.iter().map(|(_, element)| *element).collect(),
    };
    let ops = lists.iter().enumerate().map(whole).collect();
    history.push(Transaction { began: 100, ops, fate: Fate::Committed, ended: 101 });
    history
}

type Lists = [Vec<Element>; KEYS];

/// How far a search has come.
#[derive(Clone)]
struct Search<'h> {
    history: &'h [Transaction],
    lists: Lists,
    /// What each one that has its snapshot, and has not committed, saw and makes of it.
    open: Vec<Option<(Lists, Lists)>>,
    committed: Vec<bool>,
}

impl Search<'_> {
    /// Whether some order from here on explains everything.
    fn succeeds(&self) -> bool {
        if self.committed.iter().all(|&done| done) {
            return true;
        }
        (0..self.history.len()).any(|place| {
            let next = match &self.open[place] {
                _ if self.committed[place] => None,
                None => self.begin(place),
                Some((before, after)) => self.commit(place, before, after),
            };
            next.is_some_and(|next| next.succeeds())
        })
    }

    fn begin(&self, place: usize) -> Option<Self> {
        let began = self.history[place].began;
        let mut others = self.history.iter().zip(&self.committed);
        if others.any(|(other, &committed)| !committed && other.ended < began) {
            return None;
        }
        let mut after = self.lists.clone();
        for op in &self.history[place].ops {
            match op {
                Op::Append { key, element } => after[*key as usize].push(*element),
                Op::Read { key, list } if after[*key as usize] == *list => {}
                _ => return None,
            }
        }
        let mut next = self.clone();
        next.open[place] = Some((self.lists.clone(), after));
        Some(next)
    }

    fn commit(&self, place: usize, before: &Lists, after: &Lists) -> Option<Self> {
        let mut next = self.clone();
        for key in 0..KEYS {
            if before[key] != after[key] {
                if self.lists[key] != before[key] {
                    return None;
                }
                next.lists[key].clone_from(&after[key]);
            }
        }
        next.committed[place] = true;
        Some(next)
    }
}

fn explainable(history: &[Transaction]) -> bool {
    let count = history.len();
    let (open, committed) = (vec![None; count], vec![false; count]);
    Search { history, lists: Default::default(), open, committed }.succeeds()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn forbidden_if_and_only_if_nothing_explains_it(
        asks in prop::collection::vec(prop::collection::vec(ask(), 1..4), 1..5),
        order in prop::collection::vec(any::<u8>(), 4),
        times in prop::collection::vec(any::<u8>(), 8),
        all_is_read in any::<bool>(),
    ) {
        let mut history = history(&asks, &order, &times);
        if !all_is_read {
            history.pop();
        }
        let findings = check(&history);
        let forbidden = findings.iter().find(|finding| !finding.anomaly.is_permitted());
        match (explainable(&history), forbidden) {
            (true, Some(finding)) => prop_assert!(false, "it can be explained, and yet {finding}"),
            (false, None) if all_is_read => prop_assert!(false, "nothing explains it, and nothing is found"),
            _ => {}
        }
    }
}
