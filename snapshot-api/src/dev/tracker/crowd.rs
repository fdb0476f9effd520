//! [`crowd`]: threads that run freely, until one of them finds something.
//!
//! For code of which nobody knows the steps. There are more threads than cores, so that some are always interrupted in the
//! middle of something, and what they do is short, so that the middle of an operation is where they mostly are.

use std::{
    panic::resume_unwind,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use super::puppet::Random;

/// What one thread does in a turn; what is wrong is its error.
pub(super) type Turn<'a> = &'a (dyn Fn(&mut Random) -> Result<(), String> + Sync);

/// `turns` times `turn` on each of `threads` threads, while each of `beside` runs without pause on a thread of its own.
/// The first finding ends it.
pub(super) fn crowd(
    seed: u64,
    (threads, turns): (usize, usize),
    turn: Turn<'_>,
    beside: &[Turn<'_>],
) -> Result<(), String> {
    let finding = OnceLock::new();
    let left = AtomicUsize::new(threads);
    // One turn; false when there is a finding.
    let goes_on = |turn: Turn<'_>, random: &mut Random| {
        if let Err(what) = turn(random) {
            // The first one counts.
            let _ = finding.set(what);
        }
        finding.get().is_none()
    };
    thread::scope(|scope| {
        let (left, goes_on) = (&left, &goes_on);
        let of = |thread: usize| seed * 64 + thread as u64;
        let limited = (0..threads).map(|thread| {
            scope.spawn(move || {
                let _gone = Countdown(left);
                let mut random = Random::new(of(thread));
                let _ = (0..turns).all(|_| goes_on(turn, &mut random));
            })
        });
        let limited: Vec<_> = limited.collect();
        let endless = beside.iter().enumerate().map(|(place, &turn)| {
            scope.spawn(move || {
                let mut random = Random::new(of(threads + place));
                // Relaxed: nothing hangs on it but the end.
                while left.load(Ordering::Relaxed) > 0 && goes_on(turn, &mut random) {}
            })
        });
        let endless: Vec<_> = endless.collect();
        for thread in limited.into_iter().chain(endless) {
            if let Err(cause) = thread.join() {
                resume_unwind(cause);
            }
        }
    });
    finding.into_inner().map_or(Ok(()), Err)
}

/// Takes a little time, now and then. On purpose not by giving way: beside a busy program whoever gives way waits for
/// milliseconds, and a thread that is interrupted here shows the others the same.
pub(super) fn linger(random: &mut Random) {
    for _ in 0..random.below(64) {
        std::hint::spin_loop();
    }
}

/// Counts a thread down when it goes, also by a panic.
struct Countdown<'a>(&'a AtomicUsize);

impl Drop for Countdown<'_> {
    fn drop(&mut self) {
        // Relaxed: as above.
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs `operation` on `tracker` on a thread of its own, and waits no longer than anything correct can take: a thread that
/// waits for ever is left behind. What is wrong is the error.
pub(super) fn comes_back<T: Send + Sync + 'static>(
    tracker: &Arc<T>,
    operation: impl FnOnce(&T) -> Result<(), String> + Send + 'static,
) -> Result<(), String> {
    const LONG: Duration = Duration::from_secs(20);
    let (tell, news) = channel::<()>();
    let own = Arc::clone(tracker);
    let thread = thread::spawn(move || {
        let _ends = tell;
        operation(&own)
    });
    if news.recv_timeout(LONG) == Err(RecvTimeoutError::Timeout) {
        return Err("the next operation waits for ever".into());
    }
    thread.join().unwrap_or_else(|cause| {
        let text = cause.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
        Err(format!("the next operation panics: {}", text.unwrap_or("without a message")))
    })
}
