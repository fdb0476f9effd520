//! Models of group clear: the array itself, then the queue alone with its wrong orders.

use super::*;
use snapshot_api::sync::{AtomicU32, spin_loop};

const THREE: SessionId = SessionId::new(2);

/// Ids 7, 8 and 9 run, each in a session of its own; the last has a subtransaction 10.
fn three_sessions(reuse: bool) -> Arc<ProcArray> {
    let config = ProcArrayConfig { sessions: 3, layout: Layout::Dense, reuse, group_clear: true };
    let array = ProcArray::restore(&config, Xid::new(6), &[]).expect("nothing is bounded");
    for (session, id) in [(ONE, 7), (TWO, 8), (THREE, 9), (THREE, 10)] {
        begin(&array, session, id);
    }
    Arc::new(array)
}

fn ending<const N: usize>(
    array: &Arc<ProcArray>,
    session: SessionId,
    tree: [u64; N],
) -> thread::JoinHandle<()> {
    let array = Arc::clone(array);
    thread::spawn(move || {
        // A value from before: with reuse it is kept without the lock, unless the end is counted.
        let mut snapshot = array.snapshot();
        array.take(&mut snapshot);
        array.end(session, &ids(tree));
        let seen = take(&*array, &mut snapshot);
        assert!(!tree.iter().any(|id| seen.1.contains(id)), "its own end is missed");
        assert!(tree.iter().all(|&id| id < seen.0), "its own end is beyond xmax");
    })
}

/// Three that end one id each, so that two may wait behind one.
#[test]
fn proc_array_a_group_of_ids_ends_whole() {
    every(|| {
        let array = three_sessions(true);
        let others = [ending(&array, TWO, [8]), ending(&array, THREE, [9])];
        array.end(ONE, &ids([7]));
        for other in others {
            other.join().expect("no panic");
        }
        assert_eq!(take(&*array, &mut array.snapshot()), (10, vec![]));
    });
}

/// Two that end trees while a third has the turn, to begin.
#[test]
fn proc_array_a_group_of_trees_ends_whole() {
    every(|| {
        let array = three_sessions(false);
        begin(&*array, TWO, 11);
        let others = [ending(&array, TWO, [8, 11]), ending(&array, THREE, [9, 10])];
        begin(&*array, ONE, 12);
        for other in others {
            other.join().expect("no panic");
        }
        assert_eq!(take(&*array, &mut array.snapshot()), (12, vec![7]));
    });
}

/// Two that end beside a reader, who sees a chain of states.
#[test]
fn proc_array_a_group_beside_a_reader() {
    every(|| {
        let array = three_sessions(true);
        let others = [ending(&array, ONE, [7]), ending(&array, TWO, [8])];
        let mut snapshot = array.snapshot();
        let mut ended = (false, false);
        for _ in 0..2 {
            let (xmax, running) = take(&*array, &mut snapshot);
            let now = (!running.contains(&7) && xmax > 7, !running.contains(&8) && xmax > 8);
            assert!(now.0 >= ended.0 && now.1 >= ended.1, "back from {ended:?} to {now:?}");
            ended = now;
        }
        for other in others {
            other.join().expect("no panic");
        }
        // 9 and 10 are beyond xmax.
        assert_eq!(take(&*array, &mut snapshot), (9, vec![]));
    });
}

/// How the leader of the reduced queue goes about it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Right,
    /// It reads the head, and empties it in a second step.
    EmptyLater,
    /// It tells a member before it has served it.
    TellFirst,
    /// It tells a member before it has read its link.
    LinkLater,
}

const NOBODY: u32 = u32::MAX;

/// Two places and a gate; what is served is a count under no lock of its own.
struct Queue {
    head: AtomicU32,
    next: [AtomicU32; 2],
    done: [AtomicU32; 2],
    served: [AtomicU32; 2],
    gate: Mutex<()>,
    order: Order,
}

impl Queue {
    fn new(order: Order) -> Arc<Self> {
        let pair = |value| [AtomicU32::new(value), AtomicU32::new(value)];
        Arc::new(Queue {
            head: AtomicU32::new(NOBODY),
            next: pair(NOBODY),
            done: pair(0),
            served: pair(0),
            gate: Mutex::new(()),
            order,
        })
    }

    /// True if the queue was empty.
    fn push(&self, number: usize) -> bool {
        let mut head = self.head.load(Relaxed);
        loop {
            self.next[number].store(head, Relaxed);
            match self.head.compare_exchange(head, number as u32, Release, Relaxed) {
                Ok(_) => return head == NOBODY,
                Err(other) => head = other,
            }
        }
    }

    /// One round of a member: it is served when this returns. Otherwise says what went wrong.
    fn join(&self, number: usize) {
        self.done[number].store(0, Relaxed);
        let before = self.served[number].load(Relaxed);
        let first = self.push(number);
        if !first && self.done[number].load(Acquire) == 0 {
            spin_loop();
        }
        if self.done[number].load(Acquire) == 0 {
            self.lead();
            assert!(self.done[number].load(Acquire) == 1, "broken queue: a member is lost");
        }
        assert!(self.served[number].load(Relaxed) > before, "told before it was served");
    }

    fn lead(&self) {
        let _gate = self.gate.lock();
        let mut at = if self.order == Order::EmptyLater {
            let head = self.head.load(Acquire);
            self.head.store(NOBODY, Relaxed);
            head
        } else {
            self.head.swap(NOBODY, Acquire)
        };
        while at != NOBODY {
            let number = at as usize;
            if self.order == Order::TellFirst {
                self.done[number].store(1, Release);
            }
            self.served[number].store(self.served[number].load(Relaxed) + 1, Relaxed);
            if self.order != Order::LinkLater {
                at = self.next[number].load(Relaxed);
            }
            self.done[number].store(1, Release);
            if self.order == Order::LinkLater {
                at = self.next[number].load(Relaxed);
            }
        }
    }
}

/// One member queues up twice, another once.
fn queue(order: Order) {
    every(move || {
        let queue = Queue::new(order);
        let other = thread::spawn({
            let queue = Arc::clone(&queue);
            move || queue.join(1)
        });
        queue.join(0);
        queue.join(0);
        other.join().expect("no panic");
        assert_eq!(queue.head.load(Relaxed), NOBODY, "broken queue: somebody is left");
        let served = [0, 1].map(|number: usize| queue.served[number].load(Relaxed));
        assert_eq!(served, [2, 1], "broken queue: served without being in it");
    });
}

#[test]
fn a_queue_taken_by_one_swap() {
    queue(Order::Right);
}

#[test]
#[should_panic(expected = "broken queue")]
fn a_queue_read_and_emptied_in_two_steps() {
    queue(Order::EmptyLater);
}

#[test]
#[should_panic(expected = "told before it was served")]
fn a_member_told_before_it_is_served() {
    queue(Order::TellFirst);
}

#[test]
#[should_panic(expected = "broken queue")]
fn a_link_read_after_its_owner_was_told() {
    queue(Order::LinkLater);
}

/// Members taken out one by one by two at once: the ABA problem. One takes the first of two; the other takes both out and
/// queues the first one up again.
#[test]
#[should_panic(expected = "taken out twice")]
fn members_taken_one_by_one() {
    every(|| {
        let queue = Queue::new(Order::Right);
        queue.push(1);
        queue.push(0);
        let pop = |queue: &Queue| {
            let head = queue.head.load(Acquire);
            let next = queue.next.get(head as usize)?.load(Relaxed);
            queue.head.compare_exchange(head, next, Acquire, Relaxed).ok()?;
            queue.served[head as usize].fetch_add(1, Relaxed);
            Some(head)
        };
        let other = thread::spawn({
            let queue = Arc::clone(&queue);
            move || {
                let first = pop(&queue);
                pop(&queue);
                if first == Some(0) {
                    queue.push(0);
                }
            }
        });
        pop(&queue);
        other.join().expect("no panic");
        while pop(&queue).is_some() {}
        assert!(queue.served[1].load(Relaxed) < 2, "taken out twice");
    });
}
