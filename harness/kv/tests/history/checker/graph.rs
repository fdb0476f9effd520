//! The graph of a history: its committed transactions, and why one must have come before another.
//!
//! Time would be an edge for almost every pair. A chain of moments says the same with few:
//!
//! ```text
//!   T1                   T2 begins after T1 has ended
//!    │ ended 7            ▲ began 9
//!    ▼                    │
//!   moment 7 ─► 8 ─► moment 9 ─► …
//! ```

use std::collections::BTreeMap;

use petgraph::graph::{DiGraph, NodeIndex};

use super::lists::{List, Place};
use crate::record::{Fate, History, Key};

/// Why one comes before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Edge {
    /// Its version replaced the other's.
    Ww(Key),
    /// It read the other's version.
    Wr(Key),
    /// The other one replaced what it had read.
    Rw(Key),
    /// The other one had returned before it began; to a moment, from a moment, from one to the next.
    Time,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    Transaction(Place),
    Moment,
}

pub(crate) type Graph = DiGraph<Node, Edge>;

pub(crate) fn build(history: &History, lists: &BTreeMap<Key, List>) -> Graph {
    let mut graph = Graph::new();
    let mut nodes: Vec<Option<NodeIndex>> = vec![None; history.len()];
    for (place, transaction) in history.iter().enumerate() {
        if transaction.fate == Fate::Committed {
            nodes[place] = Some(graph.add_node(Node::Transaction(place)));
        }
    }
    add_time(history, &nodes, &mut graph);
    let mut link = |from: Place, to: Place, edge| {
        if from != to
            && let (Some(from), Some(to)) = (nodes[from], nodes[to])
        {
            graph.add_edge(from, to, edge);
        }
    };
    for (&key, List { order, unobserved, readers }) in lists {
        for pair in order.windows(2) {
            link(pair[0], pair[1], Edge::Ww(key));
        }
        if let Some(&last) = order.last() {
            unobserved.iter().for_each(|&next| link(last, next, Edge::Ww(key)));
        }
        for &(reader, found) in readers {
            if let Some(&writer) = found.checked_sub(1).and_then(|last| order.get(last)) {
                link(writer, reader, Edge::Wr(key));
            }
            match order.get(found) {
                Some(&next) => link(reader, next, Edge::Rw(key)),
                None => unobserved.iter().for_each(|&next| link(reader, next, Edge::Rw(key))),
            }
        }
    }
    graph
}

fn add_time(history: &History, nodes: &[Option<NodeIndex>], graph: &mut Graph) {
    let mut moments = Vec::new();
    for (transaction, &node) in history.iter().zip(nodes) {
        if let Some(node) = node {
            moments.push((transaction.began, node, true));
            moments.push((transaction.ended, node, false));
        }
    }
    // Several may have begun at one moment, by a snapshot that they share.
    moments.sort_by_key(|(moment, ..)| *moment);
    let mut last = None;
    for (_, node, begins) in moments {
        let moment = graph.add_node(Node::Moment);
        if let Some(last) = last.replace(moment) {
            graph.add_edge(last, moment, Edge::Time);
        }
        let (from, to) = if begins { (moment, node) } else { (node, moment) };
        graph.add_edge(from, to, Edge::Time);
    }
}
