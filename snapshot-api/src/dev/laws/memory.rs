//! Law 11: memory is bounded by what snapshots need; and a take allocates nothing once everything has grown.

use std::thread;

use super::{
    START, fresh,
    law::Law,
    puppet::{Puppet, State, Stop},
};
use crate::{Memory, Restore, SessionId, Snapshot, SnapshotStrategy, Xid, dev::alloc::Account};

const BOUNDED: Law = Law::new("law 11", "bounded memory");
const FINISHED: Law = Law::new("case 19", "finished list is bounded");
const ALLOCATES: Law = Law::new("law 8", "a take allocates nothing once grown");

/// Transactions until memory has settled.
const SETTLE: u64 = 200_000;
/// Transactions that are watched afterwards. Should each of them leave one bit behind, it shows.
const WATCH: u64 = 1_000_000;
/// Transactions beside a reader that stands still inside `take`. Should each of them leave two bytes behind, it shows.
const BESIDE: u64 = 50_000;
/// What may come and go: a page, a chunk, a batch of garbage.
const SLACK: i64 = 64 << 10;
/// How many run at once.
const RUNNING: u64 = 8;

/// A stream of short transactions, which end in fours, the youngest first: so most of the time some run below xmax, where a take
/// comes to them.
struct Stream<'a, S> {
    subject: &'a S,
    /// How many have begun.
    begun: u64,
    next: u64,
    /// What runs, by session; at first nothing does.
    running: [Option<Xid>; RUNNING as usize],
}

impl<'a, S: SnapshotStrategy> Stream<'a, S> {
    fn new(subject: &'a S) -> Self {
        Stream { subject, begun: 0, next: START.get(), running: [None; RUNNING as usize] }
    }

    /// Beside an old transaction that stays open: every list has an id.
    fn beside_an_old_one(subject: &'a S) -> Self {
        let refused = subject.begin(SessionId::new(RUNNING as u32), START).err();
        assert_eq!(refused, None, "the first id");
        Stream { next: START.next().get(), ..Stream::new(subject) }
    }

    /// Ends what a session runs, if it does, and begins the next one in it.
    fn turn(&mut self) {
        // In every other pass over the sessions each four of them come in the opposite order, so that the last one that began is
        // always the first to end.
        let (pass, place) = (self.begun / RUNNING, self.begun % RUNNING);
        let session = place ^ (pass % 2 * 3);
        let (running, session) =
            (&mut self.running[session as usize], SessionId::new(session as u32));
        if let Some(ended) = running.take() {
            self.subject.end(session, &[ended]);
        }
        let xid = Xid::new(self.next);
        let refused = self.subject.begin(session, xid).err();
        assert_eq!(refused, None, "{RUNNING} ids run, one begins");
        *running = Some(xid);
        self.next += 1;
        self.begun += 1;
    }

    fn run(&mut self, transactions: u64) {
        for _ in 0..transactions {
            self.turn();
        }
    }
}

pub(super) fn account(law: Law) -> Account {
    law.check(Account::is_counting(), || {
        "cannot be decided: the test binary lacks snapshot_api::counting_allocator!()".into()
    });
    Account::open()
}

/// Case 19: nobody ever takes a snapshot, and what has finished leaves nothing behind (slatedb 1379).
pub fn finished_list_is_bounded<S: Restore>(config: &S::Config) {
    let account = account(FINISHED);
    account.enter(|| {
        let subject = fresh::<S>(config);
        let mut stream = Stream::new(&subject);
        stream.run(SETTLE);
        stays_bounded(FINISHED, account, &mut stream, |_| {});
    });
}

/// Law 11: with a reader stalled for ever, between its takes or inside one, growth is bounded by what its snapshot needs;
/// or facts say that it is not inside one, and memory returns to its base afterwards.
pub fn bounded_memory<S: Restore>(config: &S::Config) {
    let account = account(BOUNDED);
    account.enter(|| {
        reader_keeps_a_snapshot::<S>(config, account);
        reader_stands_still_inside_take::<S>(config, account);
    });
}

fn stays_bounded<S: SnapshotStrategy>(
    law: Law,
    account: Account,
    stream: &mut Stream<'_, S>,
    mut beside: impl FnMut(u64),
) {
    let settled = account.bytes();
    for turn in 0..WATCH {
        stream.turn();
        beside(turn);
    }
    let grown = account.bytes() - settled;
    law.check(grown <= SLACK, || {
        format!("{WATCH} transactions, {RUNNING} at once, left {grown} bytes behind")
    });
}

fn reader_keeps_a_snapshot<S: Restore>(config: &S::Config, account: Account) {
    let subject = fresh::<S>(config);
    let mut stream = Stream::new(&subject);
    stream.run(RUNNING + 1);
    let mut kept = subject.snapshot();
    subject.take(&mut kept);
    let right: Vec<Xid> = kept.running().collect();
    let mut others: Vec<S::Snapshot> = (0..64).map(|_| subject.snapshot()).collect();
    // A take can cost as much as everything that ended since memory was last cleared: not one at each turn.
    let mut take_at = |turn: u64| {
        // An odd number, so that takes come at each moment of a four.
        if turn.is_multiple_of(17) {
            subject.take(&mut others[turn as usize / 17 % 64]);
        }
    };
    for turn in 0..SETTLE {
        stream.turn();
        take_at(turn);
    }
    stays_bounded(BOUNDED, account, &mut stream, take_at);
    BOUNDED.check(kept.running().eq(right.iter().copied()), || {
        format!(
            "a snapshot that was kept held {right:?}, now {:?}",
            kept.running().collect::<Vec<_>>()
        )
    });
}

/// How many of the steps inside a take are tried.
const STEPS: usize = 24;

fn reader_stands_still_inside_take<S: Restore>(config: &S::Config, account: Account) {
    let subject = fresh::<S>(config);
    let mut stream = Stream::new(&subject);
    let mut value = subject.snapshot();
    stream.run(SETTLE);
    let settled = account.bytes();
    for step in 0..STEPS {
        subject.take(&mut value);
        stream.run(RUNNING);
        let (over, grown) = thread::scope(|scope| {
            let stalled =
                Puppet::start(scope, Stop::At(step), || account.enter(|| subject.take(&mut value)));
            let over = stalled.state() == State::Done;
            let writer = Puppet::start(scope, Stop::Never, || {
                account.enter(|| stream.run(BESIDE));
                account.bytes() - settled
            });
            // Where writers wait for the reader nothing grows meanwhile.
            let beside = !writer.was_blocked();
            stalled.finish();
            (over, writer.finish().filter(|_| beside))
        });
        stream.run(BESIDE);
        let afterwards = account.bytes() - settled;
        let facts = subject.facts();
        if let (Memory::Bounded, Some(grown)) = (facts.memory, grown) {
            BOUNDED.check(grown <= SLACK, || {
                format!("{BESIDE} transactions beside a reader stalled at step {step} of a take left {grown} bytes")
            });
        }
        BOUNDED.check(afterwards <= SLACK, || {
            format!("{afterwards} bytes stayed after a reader that stalled at step {step} of a take had left")
        });
        if over {
            break;
        }
    }
}

/// Taking again and again into one value allocates nothing once it has grown, but for what facts allow per change.
pub fn takes_allocate_nothing<S: Restore>(config: &S::Config) {
    const TAKES: u64 = 1_000;
    let account = account(ALLOCATES);
    let subject = fresh::<S>(config);
    let allowed = u64::from(subject.facts().allocations_per_change);
    let mut stream = Stream::beside_an_old_one(&subject);
    let mut values = [subject.snapshot(), subject.snapshot()];
    let mut takes = |stream: &mut Stream<'_, S>, count: u64| {
        for _ in 0..count {
            stream.turn();
            for value in &mut values {
                account.enter(|| subject.take(value));
            }
        }
    };
    takes(&mut stream, 10 * RUNNING);
    let before = account.allocations();
    takes(&mut stream, TAKES);
    let made = account.allocations() - before;
    ALLOCATES.check(made <= allowed * TAKES, || {
        format!("{} takes after {TAKES} changes made {made} allocations, {allowed} a change are allowed", 2 * TAKES)
    });
    let before = account.allocations();
    for _ in 0..TAKES {
        for value in &mut values {
            account.enter(|| subject.take(value));
        }
    }
    let made = account.allocations() - before;
    ALLOCATES.check(made == 0, || {
        format!("{} takes with nothing changed made {made} allocations", 2 * TAKES)
    });
}
