//! What a reader that stands still keeps, and for how long.

use super::*;

/// A reader stands still: everything that ends stays linked. It goes on: all of it is given back.
#[test]
fn a_reader_inside_keeps_what_ends_and_no_longer() {
    const ENDS: u64 = 10_000;
    let list = EpochList::restore(&(), Xid::new(9), &[Xid::new(7)]).expect("nothing is bounded");
    let session = SessionId::new(0);
    let run = |first: u64| {
        for id in first..first + ENDS {
            list.begin(session, Xid::new(id)).expect("in order");
            list.end(session, &[Xid::new(id)]);
        }
    };
    let mut stalled = ListSnapshot::new();
    let reader = list.nodes.enter();
    let (number, xmax) = list.numbers.read();
    run(10);
    let counts = list.node_counts();
    assert_eq!(counts.running, 1);
    assert!(counts.ended as u64 >= ENDS, "all are linked: {counts:?}");
    let walked = reader.walk().filter(|node| node.ran_at(number) && node.xid() < xmax);
    assert!(walked.map(nodes::Node::xid).eq([Xid::new(7)]), "what it set out to find");
    list.take(&mut stalled);
    drop(reader);

    run(10 + ENDS);
    let counts = list.node_counts();
    assert!(counts.ended + counts.unlinked + counts.spare < 1_000, "given back: {counts:?}");
}

/// Law 7 for a reader between two ends of one id: it ended with the first.
#[test]
fn an_id_that_ends_again_keeps_its_number() {
    let list =
        EpochList::restore(&(), Xid::new(9), &[7, 8].map(Xid::new)).expect("nothing is bounded");
    let session = SessionId::new(0);
    list.end(session, &[Xid::new(7)]);
    let reader = list.nodes.enter();
    let (number, _) = list.numbers.read();
    list.end(session, &[Xid::new(7), Xid::new(10)]);
    list.forget(&[Xid::new(7)]);
    list.prune(Xid::new(8));
    assert!(list.numbers.number() > number, "latest completed has risen");
    let running = reader.walk().filter(|node| node.ran_at(number)).map(nodes::Node::xid);
    assert!(running.eq([Xid::new(8)]));
}

/// A change without an effect leaves kept snapshots current.
#[test]
fn what_changes_nothing_gets_no_number() {
    let list = EpochList::restore(&(), Xid::new(9), &[Xid::new(7)]).expect("nothing is bounded");
    let session = SessionId::new(0);
    list.end(session, &[Xid::new(6)]);
    list.forget(&[Xid::new(6), Xid::INVALID]);
    list.prune(Xid::new(7));
    list.complete(Xid::new(9));
    list.begin(session, Xid::new(10)).expect("in order");
    assert_eq!(list.numbers.number(), 0);
}
