//! What a reader that stands still keeps, and for how long.

use std::{sync::mpsc::channel, thread};

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

/// A ticket is for what had ended when it was asked for: what ends while it is awaited stays for who entered since.
#[test]
fn what_ends_while_a_ticket_is_awaited_stays() {
    let list =
        EpochList::restore(&(), Xid::new(9), &[7, 8].map(Xid::new)).expect("nothing is bounded");
    let session = SessionId::new(0);
    let run = |first: u64| {
        for id in first..first + 64 {
            list.begin(session, Xid::new(id)).expect("in order");
            list.end(session, &[Xid::new(id)]);
        }
    };
    thread::scope(|scope| {
        // On a thread of its own: one thread's pins are one.
        let ((leave, wait), (entered, is_inside)) = (channel::<()>(), channel());
        // A thread's first pin helps the epoch on; the second does not. The ticket is to be asked for in the epoch of the
        // first reader, so that the second one, in the next epoch, does not hold it up as well.
        let nodes = &list.nodes;
        drop(nodes.enter());
        let before = scope.spawn(move || {
            drop(nodes.enter());
            let reader = nodes.enter();
            entered.send(()).expect("the test goes on");
            // Until the other end is dropped.
            assert!(wait.recv().is_err());
            drop(reader);
        });
        is_inside.recv().expect("it enters");
        run(10);
        let since = nodes.enter();
        let (number, _) = list.numbers.read();
        list.end(session, &[Xid::new(7)]);
        assert_eq!(list.node_counts().ended, 65, "all wait for the first reader");
        drop(leave);
        before.join().expect("no panic");
        run(100);
        assert!(list.node_counts().ended < 100, "it has left");
        let running = since.walk().filter(|node| node.ran_at(number) && node.xid() < Xid::new(10));
        assert!(running.map(nodes::Node::xid).eq([7, 8].map(Xid::new)));
    });
}
