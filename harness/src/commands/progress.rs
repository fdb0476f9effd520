//! The progress of all subcommands: a bar on a terminal, elsewhere a line from time to time.
//!
//! ```text
//!  terminal   ██████░░░░░░░░░ 340/1400  3m left  page-scan csn × off                  drawn over
//!  log file   340 of 1400, 24%, 3m left  page-scan csn × off                          one more every 10 s
//! ```
//!
//! Both are one [`ProgressBar`]: what differs is where it draws. [`Lines`] is a terminal that has no cursor. It gathers what is
//! drawn on it, once a second or when something is measured, and lets a line through when one is due.

use std::{
    fmt,
    io::{self, Write},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{
    HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike,
};

/// A line stands in a log for so long before the next one comes.
const EVERY: Duration = Duration::from_secs(10);

/// A bar with an estimate of the time left, on standard error; lines where that is no terminal, or one that cannot be drawn over.
pub(super) fn progress(steps: u64) -> ProgressBar {
    let bar = ProgressBar::new(steps);
    if !bar.is_hidden() {
        bar.set_style(style("{bar:30} {pos}/{len}  {left}  {msg}"));
        bar.enable_steady_tick(Duration::from_millis(200));
        return bar;
    }
    let bar = lines(steps, Lines::new(io::stderr(), Instant::now));
    // A line is due also while one step takes long.
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// A bar whose lines go to this log.
fn lines(steps: u64, log: impl TermLike + 'static) -> ProgressBar {
    let target = ProgressDrawTarget::term_like(Box::new(log));
    let bar = ProgressBar::with_draw_target(Some(steps), target);
    bar.with_style(style("{pos} of {len}, {percent}%, {left}  {msg}"))
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("left", left)
}

/// How long it still takes, as far as the steps until now tell.
fn left(state: &ProgressState, out: &mut dyn fmt::Write) {
    // A failed write leaves the words out.
    let _ = match state.pos() {
        0 => write!(out, "time left unknown"),
        _ => write!(out, "{:#} left", HumanDuration(state.eta())),
    };
}

/// When the line after this one is due, if one is due now. Lines that were missed do not come late.
fn next(due: Instant, now: Instant) -> Option<Instant> {
    let late = now.checked_duration_since(due)?;
    let missed = late.as_nanos() / EVERY.as_nanos();
    Some(due + EVERY * u32::try_from(missed + 1).unwrap_or(1))
}

/// A log that only grows: of all that is drawn one line every [`EVERY`].
struct Lines<W, C> {
    log: Mutex<Log<W>>,
    clock: C,
}

struct Log<W> {
    out: W,
    /// What is being drawn.
    drawn: String,
    /// When the next line is due.
    due: Instant,
}

impl<W: Write, C: Fn() -> Instant> Lines<W, C> {
    fn new(out: W, clock: C) -> Self {
        let due = clock() + EVERY;
        Lines { log: Mutex::new(Log { out, drawn: String::new(), due }), clock }
    }
}

impl<W, C> fmt::Debug for Lines<W, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").finish_non_exhaustive()
    }
}

impl<W: Write + Send, C: Fn() -> Instant + Send + Sync> TermLike for Lines<W, C> {
    /// What is drawn is filled with blanks up to here, which are taken away again.
    fn width(&self) -> u16 {
        120
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).drawn.push_str(text);
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    /// All of it is drawn.
    fn flush(&self) -> io::Result<()> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let drawn = std::mem::take(&mut log.drawn);
        let line = drawn.trim_end();
        // The bar takes itself away before other output, and at its end.
        if line.is_empty() {
            return Ok(());
        }
        let Some(due) = next(log.due, (self.clock)()) else { return Ok(()) };
        log.due = due;
        log.out.write_all(format!("{line}\n").as_bytes())?;
        log.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    };

    use super::*;

    #[test]
    fn a_line_is_due_every_ten_seconds() {
        let begin = Instant::now();
        let at = |seconds: f64| begin + Duration::from_secs_f64(seconds);
        for (due, now, expected) in [
            (10.0, 0.0, None),
            (10.0, 9.999, None),
            (10.0, 10.0, Some(20.0)),
            (10.0, 11.0, Some(20.0)),
            (20.0, 19.5, None),
            (20.0, 29.75, Some(30.0)),
            // A step took that long, and nobody looked.
            (10.0, 95.0, Some(100.0)),
            (10.0, 100.0, Some(110.0)),
        ] {
            assert_eq!(next(at(due), at(now)), expected.map(at), "{now} s, due at {due} s");
        }
    }

    /// A log in memory, and a clock that is set.
    #[derive(Clone, Default)]
    struct Memory {
        text: Arc<Mutex<Vec<u8>>>,
        seconds: Arc<AtomicU64>,
    }

    impl Memory {
        fn bar(&self, steps: u64) -> ProgressBar {
            let (begin, seconds) = (Instant::now(), Arc::clone(&self.seconds));
            // Relaxed: one thread sets the clock and reads it.
            let clock = move || begin + Duration::from_secs(seconds.load(Relaxed));
            lines(steps, Lines::new(self.clone(), clock))
        }

        fn at(&self, seconds: u64) {
            // Relaxed: see above.
            self.seconds.store(seconds, Relaxed);
        }

        fn lines(&self) -> Vec<String> {
            let text = self.text.lock().expect("nobody panicked").clone();
            let text = String::from_utf8(text).expect("UTF-8");
            assert!(text.is_empty() || text.ends_with('\n'), "{text:?}");
            text.lines().map(String::from).collect()
        }
    }

    impl Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.text.lock().expect("nobody panicked").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_log_has_a_line_for_each_ten_seconds() {
        let log = Memory::default();
        let bar = log.bar(8);
        bar.tick();
        log.at(9);
        bar.set_message("page-scan csn × off");
        bar.tick();
        assert_eq!(log.lines(), [""; 0], "none is due");
        log.at(10);
        bar.tick();
        bar.tick();
        log.at(19);
        bar.inc(2);
        bar.tick();
        assert_eq!(log.lines(), ["0 of 8, 0%, time left unknown  page-scan csn × off"]);
        log.at(20);
        bar.suspend(|| ());
        log.at(30);
        bar.finish_and_clear();
        let lines = log.lines();
        assert_eq!(lines.len(), 2, "what takes the bar away is no line: {lines:?}");
        assert!(lines[1].starts_with("2 of 8, 25%, "), "{lines:?}");
        assert!(lines[1].ends_with(" left  page-scan csn × off"), "{lines:?}");
    }

    #[test]
    fn a_message_longer_than_a_terminal_is_one_line() {
        let log = Memory::default();
        let bar = log.bar(1);
        log.at(10);
        bar.set_message("x".repeat(500));
        assert_eq!(log.lines(), [format!("0 of 1, 0%, time left unknown  {}", "x".repeat(500))]);
    }
}
