//! Clients that append to lists and read them, in every way that the store has, while the collector never stops.
//!
//! The lists move on: a list is in use for a while, then nobody touches it again, so that none gets long. In the end one transaction
//! reads them all: what was committed is in somebody's read, or lost.

mod asks;

use std::{
    collections::VecDeque,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use fastrand::Rng;
use snapshot_api::{Restore, SharedSnapshot, ThresholdStrategy};
use snapshot_kv::{Connection, Error, Store};

use crate::record::{Element, Fate, History, Key, Op, Stopwatch, Transaction};
use asks::Asks;

pub(crate) type Lists<S, T> = Store<Key, Vec<Element>, S, T>;

/// Lists that are in use at once.
const LISTS: u64 = 6;

/// Snapshots that are kept for others at once.
const SHARED: usize = 3;

/// So many transactions until the oldest of them gives way to a new one.
const LIFE: u64 = 40;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) clients: u64,
    /// Of each client.
    pub(crate) transactions: u64,
    pub(crate) seed: u64,
    /// A new snapshot before each read: read committed, and not what is promised.
    pub(crate) refresh: bool,
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Course {
    pub(crate) history: History,
    pub(crate) conflicts: u64,
    pub(crate) too_old: u64,
    pub(crate) prepared: u64,
    pub(crate) collected: usize,
}

impl Course {
    pub(crate) fn committed(&self) -> usize {
        self.history.iter().filter(|transaction| transaction.fate == Fate::Committed).count()
    }

    fn add(&mut self, other: Course) {
        self.history.extend(other.history);
        self.conflicts += other.conflicts;
        self.too_old += other.too_old;
        self.prepared += other.prepared;
    }
}

/// What all clients share.
struct Common<'s, S: Restore, T: ThresholdStrategy> {
    store: &'s Lists<S, T>,
    load: Load,
    watch: Stopwatch,
    begun: AtomicU64,
    next_element: AtomicU64,
    /// To be settled by whoever comes by.
    prepared: Mutex<Vec<(String, u64, Vec<Op>)>>,
    /// Snapshots that outlive their transactions, and when those began: that is when the transactions count as begun that
    /// read by them.
    shared: Mutex<VecDeque<(SharedSnapshot<S, T>, u64)>>,
}

pub(crate) fn run<S: Restore, T: ThresholdStrategy>(store: &Lists<S, T>, load: Load) -> Course {
    let common = Common {
        store,
        load,
        watch: Stopwatch::default(),
        begun: AtomicU64::new(0),
        next_element: AtomicU64::new(1),
        prepared: Mutex::default(),
        shared: Mutex::default(),
    };
    let over = AtomicBool::new(false);
    let mut course = Course::default();
    thread::scope(|scope| {
        let common = &common;
        let clients: Vec<_> = (0..load.clients)
            .map(|client| scope.spawn(move || Client::new(common, client).run()))
            .collect();
        let collector = scope.spawn(|| {
            let mut collected = 0;
            while !over.load(Ordering::Relaxed) {
                store.manager().tick();
                collected += store.collect().versions;
                store.manager().tick();
                collected += store.prune().versions;
                thread::yield_now();
            }
            collected
        });
        let courses: Vec<_> = clients.into_iter().map(thread::ScopedJoinHandle::join).collect();
        over.store(true, Ordering::Relaxed);
        course.collected = collector.join().expect("the collector goes on");
        for client in courses {
            course.add(client.expect("a client goes on"));
        }
    });
    let mut last = Client::new(&common, load.clients);
    while last.settle() {}
    last.read_all();
    course.add(last.course);
    course
}

struct Client<'c, S: Restore, T: ThresholdStrategy> {
    common: &'c Common<'c, S, T>,
    connection: Connection<Key, Vec<Element>, S, T>,
    random: Rng,
    number: u64,
    course: Course,
}

impl<'c, S: Restore, T: ThresholdStrategy> Client<'c, S, T> {
    fn new(common: &'c Common<'c, S, T>, number: u64) -> Self {
        Client {
            common,
            connection: common.store.connect().expect("a place for each client"),
            random: Rng::with_seed(common.load.seed.wrapping_mul(1_000).wrapping_add(number)),
            number,
            course: Course::default(),
        }
    }

    fn run(mut self) -> Course {
        for _ in 0..self.common.load.transactions {
            if self.random.u8(..4) == 0 {
                self.settle();
            }
            self.transact();
        }
        self.course
    }

    /// Ends a transaction that somebody has prepared, if there is one.
    fn settle(&mut self) -> bool {
        let next = self.common.prepared.lock().expect("no panic in here").pop();
        let Some((name, began, ops)) = next else { return false };
        let manager = self.common.store.manager();
        let fate = if self.random.u8(..4) == 0 {
            manager.abort_prepared(&name).expect("nobody else has it");
            Fate::Aborted
        } else {
            manager.commit_prepared(&name).expect("nobody else has it");
            Fate::Committed
        };
        self.course.prepared += 1;
        self.write_down(began, ops, fate);
        true
    }

    fn write_down(&mut self, began: u64, ops: Vec<Op>, fate: Fate) {
        let ended = self.common.watch.moment();
        self.course.history.push(Transaction { began, ops, fate, ended });
    }

    /// Now and then, a snapshot that somebody has shared.
    fn shared_one(&mut self) -> Option<(SharedSnapshot<S, T>, u64)> {
        let shared = self.common.shared.lock().expect("no panic in here");
        let one = shared.get(self.random.usize(..32))?;
        Some((one.0.clone(), one.1))
    }

    fn transact(&mut self) {
        let Common { load, watch, begun, prepared, .. } = self.common;
        let oldest = begun.fetch_add(1, Ordering::Relaxed) / LIFE;
        let mut began = watch.moment();
        let shared = self.shared_one();
        let tx = match &shared {
            Some((snapshot, taken)) => {
                began = *taken;
                self.connection.begin_with(snapshot).expect("of the same store")
            }
            None => self.connection.begin(),
        };
        drop(shared);
        let mut asks = Asks {
            tx,
            slow: self.random.u8(..16) == 0,
            random: &mut self.random,
            next_element: &self.common.next_element,
            keys: oldest..oldest + LISTS,
            watch,
            refresh: load.refresh,
            ops: Vec::new(),
        };
        let result = asks.some();
        let (how, shares) = (asks.random.u8(..40), asks.random.u8(..16) == 0);
        let (mut tx, ops) = asks.end();
        if shares && !load.refresh {
            let mut shared = self.common.shared.lock().expect("no panic in here");
            shared.push_back((tx.share(), began));
            if shared.len() > SHARED {
                shared.pop_front();
            }
        }
        let fate = match result {
            Err(why) => {
                drop(tx);
                match why {
                    Error::Conflict { .. } => self.course.conflicts += 1,
                    Error::TooOld(_) => self.course.too_old += 1,
                    other => panic!("{other}"),
                }
                Fate::Aborted
            }
            Ok(()) if how < 33 => {
                tx.commit();
                Fate::Committed
            }
            Ok(()) if how < 35 => {
                tx.abort();
                Fate::Aborted
            }
            Ok(()) if how < 37 => {
                drop(tx);
                Fate::Aborted
            }
            Ok(()) => {
                let name = format!("{} {began}", self.number);
                match tx.prepare(&name) {
                    Ok(_) => {
                        let mut prepared = prepared.lock().expect("no panic in here");
                        prepared.push((name, began, ops));
                        return;
                    }
                    Err((tx, _)) => tx.abort(),
                }
                Fate::Aborted
            }
        };
        self.write_down(began, ops, fate);
    }

    /// Reads every list that there was, under one snapshot.
    fn read_all(&mut self) {
        let lists = self.common.begun.load(Ordering::Relaxed) / LIFE + LISTS;
        let began = self.common.watch.moment();
        let mut tx = self.connection.begin();
        let list = |key| {
            let list = tx.get(&key).expect("it is young").unwrap_or_default();
            Op::Read { key, list }
        };
        let ops = (0..lists).map(list).collect();
        tx.commit();
        self.write_down(began, ops, Fate::Committed);
    }
}
