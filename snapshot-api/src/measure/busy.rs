//! [`Busy`]: an instance with a full window, and each operation on it as one timed batch.

use std::{
    error::Error,
    fmt,
    hint::black_box,
    time::{Duration, Instant},
};

use super::churn::{Churn, Distribution, Turn};
use crate::{BeginError, Restore, RestoreError, Snapshot, SnapshotStrategy, Xid};

/// The first id of every load.
const FIRST: Xid = Xid::new(1_000);
/// Turns that are planned at once where nothing is timed.
const BATCH: u64 = 256;

/// A strategy cannot be measured: it refuses, or it is wrong. A time of a wrong answer is worth nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// No empty instance could be made.
    Restore(RestoreError),
    /// A transaction of the load was refused.
    Refused(Xid, BeginError),
    /// A snapshot differs from what runs.
    Wrong(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Restore(why) => write!(f, "cannot be set up: {why}"),
            Fault::Refused(xid, why) => write!(f, "refuses id {xid}: {why}"),
            Fault::Wrong(what) => write!(f, "wrong answer: {what}"),
        }
    }
}

impl Error for Fault {}

/// The load, planned ahead so that nothing but the strategy is timed.
#[derive(Clone, Debug)]
pub struct Stream {
    churn: Churn,
    script: Vec<Turn>,
}

impl Stream {
    /// Works out the next turns.
    pub fn plan(&mut self, turns: u64) {
        self.script.clear();
        self.script.extend(self.churn.by_ref().take(turns as usize));
    }

    /// Plays the planned turns, each followed by `then`.
    ///
    /// # Errors
    ///
    /// A transaction is refused.
    #[inline]
    pub fn play<S: SnapshotStrategy>(
        &self,
        subject: &S,
        mut then: impl FnMut(),
    ) -> Result<(), Fault> {
        for Turn { begin: (session, xid), end } in &self.script {
            subject.begin(*session, *xid).map_err(|why| Fault::Refused(*xid, why))?;
            if let Some((session, xid)) = end {
                subject.end(*session, &[*xid]);
            }
            then();
        }
        Ok(())
    }
}

/// An instance, the [`Churn`] that keeps its window full, and a snapshot value.
pub struct Busy<S: Restore> {
    subject: S,
    stream: Stream,
    value: S::Snapshot,
    many: Vec<S::Snapshot>,
    list: Vec<Xid>,
}

impl<S: Restore> Busy<S> {
    /// An instance in which nothing has begun. [`turns`](Self::turns) fill its window.
    ///
    /// # Errors
    ///
    /// [`Fault::Restore`].
    pub fn new(
        config: &S::Config,
        window: u64,
        running: u64,
        distribution: Distribution,
    ) -> Result<Self, Fault> {
        let subject = S::restore(config, FIRST.prev(), &[]).map_err(Fault::Restore)?;
        let churn = Churn::new(FIRST, window, running, distribution);
        let value = subject.snapshot();
        let stream = Stream { churn, script: Vec::new() };
        Ok(Busy { subject, stream, value, many: Vec::new(), list: Vec::new() })
    }

    /// Plays so many turns; nothing is timed.
    ///
    /// # Errors
    ///
    /// A transaction is refused.
    pub fn turns(&mut self, turns: u64) -> Result<(), Fault> {
        let mut left = turns;
        while left > 0 {
            let now = left.min(BATCH);
            self.stream.plan(now);
            self.stream.play(&self.subject, || {})?;
            left -= now;
        }
        Ok(())
    }

    /// Takes a snapshot and sees that it is right.
    ///
    /// # Errors
    ///
    /// [`Fault::Wrong`] says what differs.
    pub fn check(&mut self) -> Result<(), Fault> {
        self.subject.take(&mut self.value);
        let xmax = self.value.xmax();
        let right: Vec<Xid> = self.stream.churn.running().filter(|&xid| xid < xmax).collect();
        let wrong = |what: String| Err(Fault::Wrong(what));
        if !self.value.running().eq(right.iter().copied()) {
            let found = self.value.running().count();
            return wrong(format!("{found} ids run below {xmax}, not the {} that do", right.len()));
        }
        match right.iter().find(|&&xid| !self.value.is_running(xid)) {
            Some(xid) => wrong(format!("id {xid} runs and is in the list, but is not seen")),
            None => Ok(()),
        }
    }

    /// The strategy.
    pub fn subject(&self) -> &S {
        &self.subject
    }

    /// What was taken last.
    pub fn value(&self) -> &S::Snapshot {
        &self.value
    }

    /// Bytes that the load holds itself, for who counts those of the strategy.
    pub fn load_bytes(&self) -> usize {
        self.stream.script.capacity() * size_of::<Turn>()
    }

    /// The ids that run in what was taken last.
    pub fn running(&self) -> Vec<Xid> {
        self.value.running().collect()
    }

    /// The strategy, its load and a value, for several threads.
    pub fn parts(&mut self) -> (&S, &mut Stream, &mut S::Snapshot) {
        (&self.subject, &mut self.stream, &mut self.value)
    }

    /// Time of so many transactions that begin and end, each followed by a take; and of as many without it.
    ///
    /// # Errors
    ///
    /// A transaction is refused.
    pub fn fresh(&mut self, turns: u64) -> Result<(Duration, Duration), Fault> {
        let Busy { subject, stream, value, .. } = self;
        stream.plan(turns);
        let start = Instant::now();
        stream.play(subject, || {
            subject.take(value);
            black_box(value.xmax());
        })?;
        let with = start.elapsed();
        Ok((with, self.begin_end(turns)?))
    }

    /// Time of so many transactions that begin and end.
    ///
    /// # Errors
    ///
    /// A transaction is refused.
    pub fn begin_end(&mut self, turns: u64) -> Result<Duration, Fault> {
        self.stream.plan(turns);
        let start = Instant::now();
        self.stream.play(&self.subject, || {})?;
        Ok(start.elapsed())
    }

    /// One transaction begins and one ends, then a take into each of so many values: the time of the takes.
    ///
    /// # Errors
    ///
    /// A transaction is refused.
    pub fn into_many(&mut self, values: usize) -> Result<Duration, Fault> {
        let subject = &self.subject;
        self.many.resize_with(values, || subject.snapshot());
        self.stream.plan(1);
        self.stream.play(subject, || {})?;
        let start = Instant::now();
        for value in &mut self.many {
            subject.take(value);
            black_box(value.xmax());
        }
        Ok(start.elapsed())
    }

    /// Time of so many takes into a value after which nothing has ended.
    pub fn unchanged(&mut self, times: u64) -> Duration {
        self.subject.take(&mut self.value);
        let start = Instant::now();
        for _ in 0..times {
            black_box(&self.subject).take(black_box(&mut self.value));
        }
        start.elapsed()
    }

    /// Time of so many exports of the running list.
    pub fn export(&mut self, times: u64) -> Duration {
        let start = Instant::now();
        for _ in 0..times {
            self.list.clear();
            self.list.extend(black_box(&self.value).running());
            black_box(self.list.as_slice());
        }
        start.elapsed()
    }

    /// Time of a visibility test of each of these ids, and how many of them run.
    pub fn visibility(&self, probes: &[Xid]) -> (Duration, usize) {
        let start = Instant::now();
        let hits = probes.iter().filter(|&&xid| black_box(&self.value).is_running(xid)).count();
        (start.elapsed(), hits)
    }
}

impl<S: Restore> fmt::Debug for Busy<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Busy").field("churn", &self.stream.churn).finish_non_exhaustive()
    }
}
