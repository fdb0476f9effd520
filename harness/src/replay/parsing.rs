//! [`Parsing`]: how fast the text of a trace is read.

use std::{
    convert::Infallible,
    hint::black_box,
    ops::ControlFlow,
    time::{Duration, Instant},
};

use super::Input;
use crate::trace::TraceError;

/// How fast text is parsed, beside finding its line ends with memchr. The fastest of several rounds in which the three
/// take turns, all over the same text in memory.
#[derive(Clone, Copy, Debug)]
pub struct Parsing {
    /// Bytes of text, unzipped.
    pub bytes: usize,
    /// Lines of it.
    pub lines: u64,
    /// Handing out every event.
    pub parse: Duration,
    /// From line end to line end with memchr: each line is found.
    pub walk: Duration,
    /// Counting line ends with memchr: no line is found, only how many there are.
    pub count: Duration,
}

/// Rounds: at least the first number; up to the second one within the time.
const ROUNDS: (u32, u32, Duration) = (3, 41, Duration::from_millis(400));

impl Parsing {
    /// Measures.
    ///
    /// # Errors
    ///
    /// A line that is not as it should be.
    pub fn measure(input: &Input) -> Result<Self, TraceError> {
        let text = input.text();
        let most = Duration::MAX;
        let mut best =
            Parsing { bytes: text.len(), lines: 0, parse: most, walk: most, count: most };
        let (least, up_to, within) = ROUNDS;
        let begin = Instant::now();
        let mut rounds = 0;
        while rounds < least || (rounds < up_to && begin.elapsed() < within) {
            rounds += 1;
            let start = Instant::now();
            black_box(walk(text));
            best.walk = best.walk.min(start.elapsed());
            let start = Instant::now();
            best.lines = black_box(memchr::memchr_iter(b'\n', text).count() as u64);
            best.count = best.count.min(start.elapsed());
            let mut reader = input.reader();
            let start = Instant::now();
            let _: ControlFlow<Infallible> = reader.each(|event| {
                black_box(event);
                ControlFlow::Continue(())
            })?;
            best.parse = best.parse.min(start.elapsed());
        }
        Ok(best)
    }

    /// Millions of bytes a second.
    pub fn mb_per_s(&self) -> f64 {
        self.bytes as f64 / self.parse.as_secs_f64() / 1e6
    }

    /// Nanoseconds for a line.
    pub fn ns_per_line(&self) -> f64 {
        self.parse.as_secs_f64() * 1e9 / self.lines as f64
    }

    /// Speed of parsing by that of going from line end to line end.
    pub fn to_walk(&self) -> f64 {
        self.walk.as_secs_f64() / self.parse.as_secs_f64()
    }

    /// Speed of parsing by that of counting line ends.
    pub fn to_count(&self) -> f64 {
        self.count.as_secs_f64() / self.parse.as_secs_f64()
    }
}

fn walk(text: &[u8]) -> usize {
    let (mut start, mut longest) = (0, 0);
    while let Some(length) = memchr::memchr(b'\n', &text[start..]) {
        longest = longest.max(length);
        start += length + 1;
    }
    longest
}
