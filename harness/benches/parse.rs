//! How fast events are read, beside counting the lines of the same text with memchr.
//!
//! Text in memory, unzipped before; the ways take turns (A B C A B C …). The median of the paired ratios counts; on a
//! busy machine the best against the best is steadier.

use std::{
    hint::black_box,
    io::Read,
    time::{Duration, Instant},
};

use flate2::read::MultiGzDecoder;
use harness::{
    locked_set::LockedSet,
    standby::{Machine, Options},
    trace::TraceReader,
};

const ROUNDS: usize = 41;

fn main() {
    // `cargo test --benches` only wants to know that it runs.
    let rounds = if std::env::args().any(|arg| arg == "--bench") { ROUNDS } else { 1 };
    let events = include_bytes!("../recordings/big_300k/events.txt.gz");
    let dump = include_bytes!("../recordings/pg_waldump_raw/w4_prepared.pg_waldump.txt.gz");
    for (name, gzip) in [("events.txt", &events[..]), ("pg_waldump", &dump[..])] {
        let text: &'static [u8] = Vec::leak(unzip(gzip));
        measure(name, text, rounds);
    }
    let text: &'static [u8] = Vec::leak(unzip(events));
    let (applied, duration) = timed(|| apply(text));
    println!("applied to locked-set: {:.1} million events/s", per_second(applied, duration) / 1e6);
}

fn measure(name: &str, text: &'static [u8], rounds: usize) {
    let (mut walks, mut counts, mut parses) = (Vec::new(), Vec::new(), Vec::new());
    let mut lines = 0;
    for _ in 0..rounds {
        let (walked, duration) = timed(|| walk(text));
        walks.push(duration.as_secs_f64());
        let (counted, duration) = timed(|| memchr::memchr_iter(b'\n', text).count() as u64);
        counts.push(duration.as_secs_f64());
        assert_eq!(walked, counted);
        let (events, duration) = timed(|| parse(text));
        parses.push(duration.as_secs_f64());
        assert!(events > 0);
        lines = walked;
    }
    let best = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    let paired = |times: &[f64]| {
        let mut ratios: Vec<f64> = times.iter().zip(&parses).map(|(a, b)| a / b).collect();
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    };
    let lines = lines as f64;
    println!("{name}: {lines} lines of {:.1} bytes", text.len() as f64 / lines);
    for (way, times) in [("from line end to line end", &walks), ("count of line ends", &counts)] {
        println!(
            "  parsing at {:.3} of the speed of memchr, {way}: median of the pairs; {:.3}: best against best ({:.1} and {:.1} ns a line)",
            paired(times),
            best(times) / best(&parses),
            best(times) * 1e9 / lines,
            best(&parses) * 1e9 / lines,
        );
    }
}

/// The yardstick: finds each line, and looks at its length.
fn walk(text: &[u8]) -> u64 {
    let (mut lines, mut start, mut longest) = (0, 0, 0);
    while let Some(length) = memchr::memchr(b'\n', &text[start..]) {
        lines += 1;
        longest = longest.max(length);
        start += length + 1;
    }
    black_box(longest);
    lines
}

fn parse(text: &'static [u8]) -> u64 {
    let mut reader = TraceReader::new(text, "bench").expect("text in memory can be read");
    let mut events = 0;
    while let Some(event) = reader.next_event().expect("the recording is right") {
        black_box(&event);
        events += 1;
    }
    events
}

fn apply(text: &'static [u8]) -> u64 {
    let mut reader = TraceReader::new(text, "bench").expect("text in memory can be read");
    let mut machine = Machine::<LockedSet>::new((), Options::default()).expect("starts");
    let mut events = 0;
    while let Some(event) = reader.next_event().expect("the recording is right") {
        machine.apply(&event).expect("the recording is right");
        events += 1;
    }
    events
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let begin = Instant::now();
    let value = black_box(run());
    (value, begin.elapsed())
}

fn per_second(count: u64, duration: Duration) -> f64 {
    count as f64 / duration.as_secs_f64()
}

fn unzip(gzip: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    MultiGzDecoder::new(gzip).read_to_end(&mut text).expect("the recording is right");
    text
}
