//! [`Pacer`]: operations that come at a rate, whether the last one is over or not.
//!
//! A loop that begins an operation when the last one is over asks a slow strategy less often, and so hides what its users would
//! wait. Here each operation is due at a time that was fixed before: a thread that was held up finds a queue, and the time of
//! an operation is also taken from when it was due (coordinated omission).

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{course::Course, part::Part};

/// Sleeps end so much late, at most times.
const OVERSLEPT: Duration = Duration::from_micros(80);

/// One thread's schedule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    start: Instant,
    /// Nanoseconds from one operation to the next.
    every: f64,
    /// When the next one is due, in nanoseconds after the start.
    next: f64,
}

impl Pacer {
    /// The schedule of one of the threads, which do `weight` operations at a time; none where there is no rate. The threads
    /// take turns.
    pub(super) fn new(
        course: &Course,
        number: usize,
        start: Instant,
        weight: usize,
    ) -> Option<Self> {
        let settings = course.settings();
        settings.rate.map(|rate| {
            let each = 1e9 * weight as f64 / rate;
            let every = each * settings.threads as f64;
            Pacer { start, every, next: each * number as f64 }
        })
    }

    /// Waits until the next one is due, and says when that was; none where the time is up.
    pub(super) fn wait(&mut self, course: &Course, part: &mut Part) -> Option<Instant> {
        let due = self.start + Duration::from_nanos(self.next as u64);
        let mut now = Instant::now();
        let waited = now;
        while now < due && !course.is_over() {
            match (due - now).checked_sub(OVERSLEPT) {
                Some(long) => thread::sleep(long.min(Duration::from_millis(50))),
                None => thread::yield_now(),
            }
            now = Instant::now();
        }
        part.idle += now - waited;
        if course.is_over() {
            return None;
        }
        self.next += self.every;
        Some(due)
    }

    /// Enters what was due in the course's time and never began.
    pub(super) fn end(&self, course: &Course, part: &mut Part) {
        let left = course.settings().duration.as_nanos() as f64 - self.next;
        if left > 0.0 {
            part.skipped += (left / self.every).ceil() as u64;
        }
    }
}
