//! What one thread writes down: [`Part`] of those that are measured, [`Beside`] of the others.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use super::{books::Books, course::Course};

/// Where the time of the operations went that were looked at, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spent {
    /// In `take`.
    pub take: f64,
    /// In visibility tests.
    pub visibility: f64,
    /// In looks at the threshold.
    pub threshold: f64,
    /// In the rest.
    pub other: f64,
}

impl Spent {
    /// Adds another.
    pub fn add(&mut self, more: Spent) {
        self.take += more.take;
        self.visibility += more.visibility;
        self.threshold += more.threshold;
        self.other += more.other;
    }

    /// All of it.
    pub fn all(&self) -> f64 {
        self.take + self.visibility + self.threshold + self.other
    }
}

/// One part of the time.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Operations in it.
    pub ops: u64,
    /// Times of some of them.
    pub latency: Histogram<u64>,
}

/// What one thread that is measured has to say.
#[derive(Clone, Debug)]
pub struct Part {
    /// Operations done.
    pub ops: u64,
    /// Those done in each third of the time.
    pub thirds: [u64; 3],
    /// Those done in each part of the time.
    pub slices: Vec<Slice>,
    /// Where the time went, of the operations that were looked at.
    pub spent: Spent,
    /// Time of single operations, from start to end.
    pub latency: Histogram<u64>,
    /// From when they were due to their end; nothing where they were not.
    pub intended: Histogram<u64>,
    /// Operations that began more than a millisecond late.
    pub late: u64,
    /// Operations that were due and never began.
    pub skipped: u64,
    /// How long the thread waited for its next operation to be due.
    pub idle: Duration,
    /// How far a replayer was behind its schedule at worst, in milliseconds; none without one.
    pub lag_ms: Option<f64>,
    /// Scans that began, and those that were told that they are too old.
    pub scans: [u64; 2],
    /// The first wrong answer.
    pub wrong: Option<String>,
    /// Share of the time asleep, and ready without a core; where the system tells.
    pub waiting: Option<[f64; 2]>,
    checked: bool,
    /// When the time began that counts, and what the system's books said then; none in the warm-up.
    began: Option<(Instant, Option<Books>)>,
    /// Whether there is a warm-up that does not count.
    warms_up: bool,
    /// Operations that stand in a slice and a third already.
    told: u64,
    third: usize,
    slice: usize,
}

/// Longest time of one operation that the histogram tells apart; longer ones count as this.
const LONGEST_NS: u64 = 60_000_000_000;

impl Part {
    pub(super) fn new(course: &Course) -> Self {
        Part {
            ops: 0,
            thirds: [0; 3],
            slices: vec![Slice { ops: 0, latency: latencies(1) }; course.intervals()],
            spent: Spent::default(),
            latency: latencies(2),
            intended: latencies(2),
            late: 0,
            skipped: 0,
            idle: Duration::ZERO,
            lag_ms: None,
            scans: [0; 2],
            wrong: None,
            waiting: None,
            checked: course.settings().checked,
            began: None,
            warms_up: !course.settings().warm_up.is_zero(),
            told: 0,
            third: 0,
            slice: 0,
        }
    }

    /// One that counts what is done in the warm-up too.
    pub(super) fn of_the_whole(course: &Course) -> Self {
        Part { warms_up: false, ..Part::new(course) }
    }

    /// Enters an operation's time, at this moment of the course, and where it went; in the warm-up nothing. What was done before
    /// the first moment after that does not count.
    pub fn took(&mut self, course: &Course, since_start: Duration, time: Duration, spent: Spent) {
        let Some(counted) = course.counted(since_start) else { return };
        if self.warms_up && self.began.is_none() {
            self.forget();
            self.began = Some((Instant::now(), Books::of_this_thread()));
            return;
        }
        self.tell();
        self.third = course.part_of(counted, 3);
        self.slice = course.part_of(counted, self.slices.len());
        let time = nanos(time).max(1);
        self.latency.saturating_record(time);
        self.slices[self.slice].latency.saturating_record(time);
        self.spent.add(spent);
    }

    /// Enters the time of one that was due before.
    pub fn was_due(&mut self, due: Instant, began: Instant, ended: Instant) {
        const LATE: Duration = Duration::from_millis(1);
        self.intended.saturating_record(nanos(ended - due).max(1));
        self.late += u64::from(began - due > LATE);
    }

    /// What is written down in the warm-up: nothing of it stands in a part of the time yet. A wrong answer stays.
    fn forget(&mut self) {
        (self.ops, self.late, self.skipped, self.scans) = (0, 0, 0, [0; 2]);
        (self.spent, self.idle) = (Spent::default(), Duration::ZERO);
        self.intended.reset();
    }

    /// Operations since the last call belong to the part of the time that was current then.
    fn tell(&mut self) {
        let new = self.ops - self.told;
        self.thirds[self.third] += new;
        self.slices[self.slice].ops += new;
        self.told = self.ops;
    }

    /// Remembers a wrong answer, if it is the first.
    pub fn is_wrong(&mut self, what: impl FnOnce() -> String) {
        if self.checked {
            self.wrong.get_or_insert_with(what);
        }
    }

    /// The thread has started and ended at these moments; its books were these at the start. Returns from when on it counts.
    pub(super) fn book(
        &mut self,
        before: Option<Books>,
        (start, end): (Instant, Instant),
    ) -> Instant {
        if self.warms_up && self.began.is_none() {
            self.forget();
        }
        self.tell();
        let (start, before) = self.began.unwrap_or((start, before));
        let (now, wall) = (Books::of_this_thread(), end - start);
        self.waiting = before.zip(now).map(|(before, now)| {
            let Books { on_core, off_core } = now.since(before);
            let all = wall.saturating_sub(self.idle).as_secs_f64().max(f64::MIN_POSITIVE);
            let asleep = wall.saturating_sub(on_core + off_core + self.idle);
            [asleep, off_core].map(|time| (time.as_secs_f64() / all).min(1.0))
        });
        start
    }
}

/// What a thread has to say that is not measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Beside {
    /// What it did: transactions, snapshots.
    pub done: u64,
    /// The same a second, when it has ended.
    pub per_s: f64,
    /// How far it was behind its schedule at worst, in milliseconds; none without one.
    pub lag_ms: Option<f64>,
    /// The first wrong answer.
    pub wrong: Option<String>,
}

impl Beside {
    /// Adds another thread's.
    pub fn add(&mut self, more: Beside) {
        self.done += more.done;
        self.per_s += more.per_s;
        self.wrong = self.wrong.take().or(more.wrong);
        self.lag_ms = self.lag_ms.into_iter().chain(more.lag_ms).reduce(f64::max);
    }

    /// It has ended after so long.
    pub(super) fn lasted(&mut self, time: Duration) {
        self.per_s = self.done as f64 / time.as_secs_f64().max(f64::MIN_POSITIVE);
    }

    /// It is so far behind.
    pub fn is_behind(&mut self, ms: f64) {
        self.lag_ms = Some(self.lag_ms.map_or(ms, |worst| worst.max(ms)));
    }
}

/// A histogram of times in nanoseconds with so many digits.
pub(super) fn latencies(digits: u8) -> Histogram<u64> {
    // The bounds are constants that are right.
    Histogram::new_with_bounds(1, LONGEST_NS, digits)
        .unwrap_or_else(|_| unreachable!("1 < 60 s, few digits"))
}

/// A duration in nanoseconds.
pub fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::course::Settings;

    #[test]
    fn operations_stand_in_the_part_of_the_time_that_they_were_done_in() {
        let course = Course::new(Settings::new(Duration::from_millis(120), 1, 1), 1);
        let mut part = Part::new(&course);
        let spent = Spent { take: 30.0, visibility: 20.0, threshold: 1.0, other: 49.0 };
        part.ops = 5;
        part.took(&course, Duration::from_millis(65), Duration::from_nanos(100), spent);
        part.ops = 9;
        let now = Instant::now();
        part.book(None, (now, now + Duration::from_millis(120)));
        let slices: Vec<u64> = part.slices.iter().map(|slice| slice.ops).collect();
        assert_eq!(slices, [5, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0]);
        assert_eq!(part.thirds, [5, 4, 0]);
        assert_eq!(part.latency.len(), 1);
        assert_eq!(part.slices[6].latency.len(), 1, "not where it was the time before");
        assert_eq!((part.spent, part.spent.all()), (spent, 100.0));
    }

    #[test]
    fn nothing_is_left_of_the_warm_up_but_a_wrong_answer() {
        let ms = Duration::from_millis;
        let settings = Settings { warm_up: ms(10), ..Settings::new(ms(120), 1, 1) };
        let course = Course::new(settings, 1);
        let (mut part, now) = (Part::new(&course), Instant::now());
        let spent = Spent { take: 30.0, ..Spent::default() };
        part.is_wrong(|| "wrong".into());
        part.spent.add(spent);
        (part.ops, part.skipped, part.scans, part.idle) = (7, 1, [3, 2], ms(1));
        part.was_due(now, now + ms(2), now + ms(3));
        part.took(&course, ms(9), ms(1), spent);
        assert_eq!((part.ops, part.late), (7, 1), "it is not over");
        part.took(&course, ms(11), ms(1), spent);
        let counts = (part.ops, part.late, part.skipped, part.scans, part.idle);
        assert_eq!(counts, (0, 0, 0, [0; 2], Duration::ZERO));
        assert_eq!((part.spent, part.latency.len(), part.intended.len()), (Spent::default(), 0, 0));
        assert_eq!(part.wrong.as_deref(), Some("wrong"));
        part.ops = 4;
        part.took(&course, ms(12), ms(1), spent);
        assert_eq!((part.ops, part.latency.len(), part.spent), (4, 1, spent));
        let from = part.book(None, (now, now + ms(130)));
        assert!(from >= now && part.slices[0].ops == 4, "from the end of the warm-up on");
    }

    #[test]
    fn a_wrong_answer_counts_once_and_only_where_answers_are_checked() {
        let settings = Settings::new(Duration::from_millis(120), 1, 1);
        let mut part = Part::new(&Course::new(settings, 1));
        part.is_wrong(|| "first".into());
        part.is_wrong(|| "second".into());
        assert_eq!(part.wrong.as_deref(), Some("first"));
        let mut part = Part::new(&Course::new(Settings { checked: false, ..settings }, 1));
        part.is_wrong(|| "known".into());
        assert_eq!(part.wrong, None);
    }

    #[test]
    fn what_is_due_is_late_after_a_millisecond() {
        let course = Course::new(Settings::new(Duration::from_millis(120), 1, 1), 1);
        let mut part = Part::new(&course);
        let due = Instant::now();
        for (began, ended) in [(900, 1_000), (1_100, 3_000)] {
            let after = |micros| due + Duration::from_micros(micros);
            part.was_due(due, after(began), after(ended));
        }
        assert_eq!(part.late, 1);
        assert!((2_900_000..3_100_000).contains(&part.intended.max()), "{}", part.intended.max());
    }

    #[test]
    fn the_worst_lag_of_all_counts() {
        let mut all = Beside::default();
        all.add(Beside { done: 2, ..Beside::default() });
        assert_eq!(all.lag_ms, None);
        for ms in [1.0, 3.0, 2.0] {
            let mut one = Beside { done: 1, ..Beside::default() };
            one.is_behind(ms);
            one.is_behind(0.5);
            all.add(one);
        }
        assert_eq!((all.done, all.lag_ms), (5, Some(3.0)));
    }

    #[test]
    fn others_have_a_rate_each_over_their_own_time() {
        let mut all = Beside::default();
        for seconds in [2, 5] {
            let mut one = Beside { done: 10, ..Beside::default() };
            one.lasted(Duration::from_secs(seconds));
            all.add(one);
        }
        assert_eq!((all.done, all.per_s), (20, 7.0));
    }
}
