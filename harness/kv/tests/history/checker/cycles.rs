//! Cycles in the graph of a history, and what they are called.
//!
//! A kind of cycle is an edge that it goes through, and what it may take to come back. Only of one kind is that not all: where rw
//! may come again and again, but never twice in a row, a walk has a state, whether its last edge was rw, and the cycle is looked
//! for in the product of node and state:
//!
//! ```text
//!   through   back by           with time too
//!   ww        ww                G0-realtime              rw ─► (T, after rw) ─┐
//!   wr        ww, wr            G1c-realtime                                  │ no rw from here
//!   rw        ww, wr            G-single-realtime        other ─► (T, –) ◄────┘
//! ```
//!
//! Components come first: no cycle leaves one, and in a history that is right those with time, and no two rw in a row, are single
//! nodes, so that nothing is left to look at. `kosaraju_scc` and not `tarjan_scc`: that one recurses, as deep as
//! the chain of moments is long.

use std::{
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    iter::successors,
};

use petgraph::{
    algo::kosaraju_scc,
    graph::{DiGraph, NodeIndex},
    visit::EdgeRef,
};

use super::{
    Anomaly, Finding,
    graph::{Edge, Graph, Node},
};
use crate::record::History;

/// A set of edges.
type Edges = fn(Edge) -> bool;

fn ww(edge: Edge) -> bool {
    matches!(edge, Edge::Ww(_))
}

fn wr(edge: Edge) -> bool {
    matches!(edge, Edge::Wr(_))
}

fn rw(edge: Edge) -> bool {
    matches!(edge, Edge::Rw(_))
}

fn any(_: Edge) -> bool {
    true
}

/// A kind of cycle: its name, an edge that it has, and what may lead back from there.
type Kind = (Anomaly, Edges, Edges);

/// Without time, and with it. A history that has the plain kind is not told of the other.
const KINDS: [[Kind; 2]; 3] = [
    [(Anomaly::G0, ww, ww), (Anomaly::G0Realtime, ww, |edge| ww(edge) || edge == Edge::Time)],
    [(Anomaly::G1c, wr, |edge| ww(edge) || wr(edge)), (Anomaly::G1cRealtime, wr, |edge| !rw(edge))],
    [
        (Anomaly::GSingle, rw, |edge| ww(edge) || wr(edge)),
        (Anomaly::GSingleRealtime, rw, |edge| !rw(edge)),
    ],
];

pub(crate) fn find(history: &History, graph: &Graph) -> Vec<Finding> {
    let finding =
        |anomaly, cycle: Vec<NodeIndex>| Finding { anomaly, story: tell(history, graph, &cycle) };
    let mut findings = Vec::new();
    let suspects = suspects(graph);
    if !suspects.is_empty() {
        let part = Part { graph, members: suspects.clone() };
        for kinds in KINDS {
            let found = kinds.into_iter().find_map(|(anomaly, through, back)| {
                Some(finding(anomaly, part.cycle(through, back)?))
            });
            findings.extend(found);
        }
        if findings.is_empty() {
            let plain = nonadjacent(graph, |edge| edge != Edge::Time);
            let plain = plain.map(|cycle| finding(Anomaly::GNonadjacent, cycle));
            let timed = || Some(finding(Anomaly::GNonadjacentRealtime, nonadjacent(graph, any)?));
            findings.extend(plain.or_else(timed));
        }
    }
    let write_skew = components(graph, |edge| edge != Edge::Time)
        .into_iter()
        .find(|component| !component.iter().any(|node| suspects.contains(node)));
    if let Some(members) = write_skew {
        let part = Part { graph, members: members.into_iter().collect() };
        let cycle = part.cycle(rw, |edge| edge != Edge::Time);
        findings.extend(cycle.map(|cycle| finding(Anomaly::G2Item, cycle)));
    }
    findings
}

/// The nodes of all cycles that have no two rw in a row.
fn suspects(graph: &Graph) -> HashSet<NodeIndex> {
    let product = apart(graph, any);
    let components = components(&product, any);
    components.into_iter().flatten().map(|node| product[node]).collect()
}

/// Some cycle that has no two rw in a row.
fn nonadjacent(graph: &Graph, edges: Edges) -> Option<Vec<NodeIndex>> {
    let product = apart(graph, edges);
    let component = components(&product, any).into_iter().next()?;
    let (start, members) = (component[0], component.into_iter().collect());
    let way = Part { graph: &product, members }.way(start, start, any)?;
    Some(way.into_iter().map(|node| product[node]).collect())
}

/// Components of more than one node, by these edges.
fn components<N>(graph: &DiGraph<N, Edge>, edges: impl Fn(Edge) -> bool) -> Vec<Vec<NodeIndex>> {
    let part = graph.filter_map(|node, _| Some(node), |_, edge| edges(*edge).then_some(()));
    kosaraju_scc(&part).into_iter().filter(|component| component.len() > 1).collect()
}

/// Each node twice: reached by another edge, and by rw, from where no rw goes on.
fn apart(graph: &Graph, edges: Edges) -> DiGraph<NodeIndex, Edge> {
    let mut product = DiGraph::with_capacity(2 * graph.node_count(), 2 * graph.edge_count());
    for node in graph.node_indices() {
        product.add_node(node);
        product.add_node(node);
    }
    let other = |node: NodeIndex| NodeIndex::new(2 * node.index());
    let after_rw = |node: NodeIndex| NodeIndex::new(2 * node.index() + 1);
    for edge in graph.edge_references().filter(|edge| edges(*edge.weight())) {
        let (from, to, weight) = (edge.source(), edge.target(), *edge.weight());
        if rw(weight) {
            product.add_edge(other(from), after_rw(to), weight);
        } else {
            product.add_edge(other(from), other(to), weight);
            product.add_edge(after_rw(from), other(to), weight);
        }
    }
    product
}

/// Some nodes of a graph, and the edges between them.
struct Part<'g, N> {
    graph: &'g DiGraph<N, Edge>,
    members: HashSet<NodeIndex>,
}

impl<N> Part<'_, N> {
    /// A cycle of an edge, and the shortest way back. Both ends lie in one component, else there is none.
    fn cycle(&self, through: Edges, back: Edges) -> Option<Vec<NodeIndex>> {
        let components = components(self.graph, |edge| through(edge) || back(edge));
        let component: HashMap<_, _> = (components.iter().enumerate())
            .flat_map(|(number, nodes)| nodes.iter().map(move |&node| (node, number)))
            .filter(|(node, _)| self.members.contains(node))
            .collect();
        let inside =
            |from, to| component.get(&from).is_some_and(|of| component.get(&to) == Some(of));
        let edges = self.graph.edge_references();
        let mut edges = edges.filter(|edge| through(*edge.weight()));
        edges.find_map(|edge| {
            let (from, to) = (edge.source(), edge.target());
            let mut way = inside(from, to).then(|| self.way(to, from, back))??;
            way.push(to);
            Some(way)
        })
    }

    /// The shortest way by these edges; at least one.
    fn way(&self, from: NodeIndex, to: NodeIndex, edges: Edges) -> Option<Vec<NodeIndex>> {
        let mut came_from = HashMap::from([(from, from)]);
        let mut next = VecDeque::from([from]);
        while let Some(node) = next.pop_front() {
            for edge in self.graph.edges(node).filter(|edge| edges(*edge.weight())) {
                let target = edge.target();
                if target == to {
                    let back = |&at: &NodeIndex| (at != from).then(|| came_from[&at]);
                    let mut way: Vec<_> = successors(Some(node), back).collect();
                    way.reverse();
                    way.push(to);
                    return Some(way);
                }
                if self.members.contains(&target) && !came_from.contains_key(&target) {
                    came_from.insert(target, node);
                    next.push_back(target);
                }
            }
        }
        None
    }
}

/// The cycle in words, moments left out, and its transactions.
fn tell(history: &History, graph: &Graph, cycle: &[NodeIndex]) -> String {
    let (mut story, mut members) = (String::new(), BTreeSet::new());
    for pair in cycle.windows(2) {
        if let Node::Transaction(place) = graph[pair[0]] {
            members.insert(place);
            let edges = graph.edges_connecting(pair[0], pair[1]);
            let edges: Vec<_> = edges.map(|edge| format!("{:?}", edge.weight())).collect();
            story += &format!("T{place} ─{}─► ", edges.join("/"));
        }
    }
    story += "…";
    for place in members {
        story += &format!("\n    T{place}: {:?}", history[place]);
    }
    story
}
