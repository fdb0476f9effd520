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
        let left = course.whole().as_nanos() as f64 - self.next;
        if left > 0.0 {
            part.skipped += (left / self.every).ceil() as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::course::Settings;

    /// 1,000 a second for a tenth of a second, by two threads.
    fn course() -> Course {
        let settings = Settings::new(Duration::from_millis(100), 2, 1);
        Course::new(Settings { rate: Some(1_000.0), ..settings }, 2)
    }

    #[test]
    fn threads_take_turns_and_what_never_begins_is_counted() {
        let (course, start) = (course(), Instant::now());
        let mut skipped = 0;
        for number in 0..2 {
            let mut part = Part::new(&course);
            let mut pacer = Pacer::new(&course, number, start, 1).expect("there is a rate");
            let due: Vec<u128> = (0..3)
                .filter_map(|_| pacer.wait(&course, &mut part))
                .map(|due| (due - start).as_micros())
                .collect();
            assert_eq!(due, [0, 2_000, 4_000].map(|micros| micros + 1_000 * number as u128));
            pacer.end(&course, &mut part);
            skipped += part.skipped;
        }
        assert_eq!(skipped, 100 - 6);
    }

    #[test]
    fn without_a_rate_there_is_no_schedule() {
        let settings = Settings::new(Duration::from_millis(100), 2, 1);
        assert!(Pacer::new(&Course::new(settings, 2), 0, Instant::now(), 1).is_none());
    }

    #[test]
    fn several_operations_at_a_time_come_so_much_less_often() {
        let (course, start) = (course(), Instant::now());
        let mut part = Part::new(&course);
        let mut pacer = Pacer::new(&course, 1, start, 10).expect("there is a rate");
        let due = pacer.wait(&course, &mut part).map(|due| (due - start).as_millis());
        assert_eq!(due, Some(10));
        pacer.end(&course, &mut part);
        assert_eq!(part.skipped, 4, "at 30, 50, 70 and 90 ms");
        let warm_up = Duration::from_millis(20);
        let later = Course::new(Settings { warm_up, ..course.settings() }, 2);
        pacer.end(&later, &mut part);
        assert_eq!(part.skipped, 4 + 5, "at 110 ms too");
    }
}
