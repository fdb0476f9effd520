//! [`Puppet`]: a thread that stops at a chosen step of an operation until it is told to go on.
//!
//! With a few of them a law plays out one particular interleaving, the same at every run: stop a reader at its fifth
//! access, let two transactions end, let the reader go on. Nothing sleeps and nothing is timed; a puppet that waits for
//! a lock says so itself, since the locks of [`crate::sync`] do.

use std::{
    panic,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread::{Scope, ScopedJoinHandle},
    time::Duration,
};

use crate::sync::steps::{self, Step};

/// Where a puppet stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// Before its step with this number, counted from 0.
    At(usize),
    /// Nowhere.
    Never,
    /// It panics before its step with this number.
    PanicAt(usize),
    /// It panics before it asks for its lock with this number.
    PanicAtLock(usize),
}

/// What a puppet did last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// It stands still where it was told to.
    Stalled,
    /// It waits for another thread.
    Blocked,
    /// Its operation is over.
    Done,
}

/// A thread with strings.
pub(crate) struct Puppet<'scope, R> {
    thread: ScopedJoinHandle<'scope, Result<R, ()>>,
    news: Receiver<State>,
    /// Where to stop next; gone once it may go on to the end.
    orders: Option<Sender<Stop>>,
    state: State,
    /// Whether it ever had to wait.
    blocked: bool,
}

/// More steps than anything that a correct strategy does in one of these tests.
const ENDLESS: usize = 100_000_000;

/// What an ordered panic carries.
struct Ordered;

impl<'scope, R: Send + 'scope> Puppet<'scope, R> {
    /// Starts `operation` and returns when it has stopped, waits, or is over.
    pub(crate) fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        stop: Stop,
        operation: impl FnOnce() -> R + Send + 'scope,
    ) -> Self {
        let (tell, news) = channel();
        let (orders, obey) = channel();
        let thread = scope.spawn(move || {
            let _last_words = LastWords(tell.clone());
            let outcome = panic::catch_unwind(panic::AssertUnwindSafe(|| {
                steps::with_plan(plan(stop, tell, obey), operation)
            }));
            match outcome {
                Ok(result) => Ok(result),
                Err(cause) if cause.is::<Ordered>() => Err(()),
                Err(cause) => panic::resume_unwind(cause),
            }
        });
        let mut puppet =
            Puppet { thread, news, orders: Some(orders), state: State::Blocked, blocked: false };
        puppet.listen();
        puppet
    }

    /// What it did last.
    pub(crate) fn state(&self) -> State {
        self.state
    }

    /// Whether it ever had to wait.
    pub(crate) fn was_blocked(&self) -> bool {
        self.blocked
    }

    /// Lets a stalled puppet go on to its next step; `None` where it is not stalled.
    pub(crate) fn next_step(&mut self) -> Option<State> {
        let orders = self.orders.as_ref().filter(|_| self.state == State::Stalled)?;
        // A puppet that is gone has told us so already.
        let _ = orders.send(Stop::At(0));
        self.listen();
        Some(self.state)
    }

    /// Lets it go on to the end, or to where it waits for another puppet. It stops no more, also where it waits now and
    /// would have stopped later.
    pub(crate) fn release(&mut self) {
        if self.orders.take().is_some() && self.state == State::Stalled {
            self.listen();
        }
    }

    /// Lets it go on to the end and returns what its operation returned; `None` if it panicked as ordered.
    pub(crate) fn finish(mut self) -> Option<R> {
        self.release();
        while self.state != State::Done {
            self.state = self.news.recv().unwrap_or(State::Done);
        }
        match self.thread.join() {
            Ok(result) => result.ok(),
            Err(cause) => panic::resume_unwind(cause),
        }
    }

    fn listen(&mut self) {
        self.state = match self.news.recv_timeout(Duration::from_secs(60)) {
            Ok(news) => news,
            Err(RecvTimeoutError::Disconnected) => State::Done,
            Err(RecvTimeoutError::Timeout) => panic!(
                "a thread neither goes on nor says that it waits: it waits for something that is not of \
                 snapshot_api::sync, or loops without calling snapshot_api::sync::spin_loop"
            ),
        };
        self.blocked |= self.state == State::Blocked;
    }
}

/// Tells of the end, also when the operation unwinds.
struct LastWords(Sender<State>);

impl Drop for LastWords {
    fn drop(&mut self) {
        // Nobody listens any more when the law has failed.
        let _ = self.0.send(State::Done);
    }
}

fn plan(mut stop: Stop, tell: Sender<State>, obey: Receiver<Stop>) -> impl FnMut(Step) {
    let (mut seen, mut locks, mut total, mut waiting) = (0, 0, 0, false);
    move |step| {
        if step == Step::Blocked {
            if !waiting {
                waiting = true;
                let _ = tell.send(State::Blocked);
            }
            std::thread::yield_now();
            return;
        }
        waiting = false;
        total += 1;
        assert!(total < ENDLESS, "{ENDLESS} steps: it never comes to an end");
        let order_to_panic = match stop {
            Stop::At(at) if at == seen => {
                let _ = tell.send(State::Stalled);
                // No order any more: the law has failed or is finishing.
                stop = obey.recv().unwrap_or(Stop::Never);
                seen = 0;
                return;
            }
            Stop::PanicAt(at) => at == seen,
            Stop::PanicAtLock(at) => step == Step::Lock && at == locks,
            Stop::At(_) | Stop::Never => false,
        };
        if order_to_panic {
            // Not `panic!`: nobody needs the message on the terminal.
            panic::resume_unwind(Box::new(Ordered));
        }
        seen += 1;
        locks += usize::from(step == Step::Lock);
    }
}

/// Lets this thread give way at random steps while it runs `f`, so that few cores see many interleavings.
pub(crate) fn with_random_yields<R>(seed: u64, f: impl FnOnce() -> R) -> R {
    let mut random = Random::new(seed);
    steps::with_plan(
        move |_| {
            if random.below(8) == 0 {
                std::thread::yield_now();
            }
        },
        f,
    )
}

/// A small random generator (xorshift64*, Vigna 2016), so that a history is the same at every run with its seed.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        // The high bits are the good ones.
        (self.next() >> 32) % bound
    }
}
