//! How fast events are read, beside counting the lines of the same text with memchr.
//!
//! Text in memory, unzipped before; the ways take turns (A B C A B C …). The median of the paired ratios counts; on a
//! busy machine the best against the best is steadier.

use std::{
    convert::Infallible,
    hint::black_box,
    io::Read,
    ops::ControlFlow,
    sync::Arc,
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
        measure(name, &Arc::new(unzip(gzip)), rounds);
    }
    let text = Arc::new(unzip(events));
    let (applied, duration) = timed(|| apply(&text));
    println!("applied to locked-set: {:.1} million events/s", per_second(applied, duration) / 1e6);
}

fn measure(name: &str, text: &Arc<Vec<u8>>, rounds: usize) {
    let [mut walks, mut counts, mut parses, mut pulls] = [const { Vec::new() }; 4];
    let mut lines = 0;
    for _ in 0..rounds {
        let (walked, duration) = timed(|| walk(text));
        walks.push(duration.as_secs_f64());
        let (counted, duration) = timed(|| memchr::memchr_iter(b'\n', text).count() as u64);
        counts.push(duration.as_secs_f64());
        assert_eq!(walked, counted);
        let (events, duration) = timed(|| parse(text));
        parses.push(duration.as_secs_f64());
        let (pulled, duration) = timed(|| pull(text));
        pulls.push(duration.as_secs_f64());
        assert!(events > 0 && events == pulled);
        lines = walked;
    }
    let best = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    let paired = |by: &[f64], times: &[f64]| {
        let mut ratios: Vec<f64> = by.iter().zip(times).map(|(by, time)| by / time).collect();
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    };
    let lines = lines as f64;
    println!("{name}: {lines} lines of {:.1} bytes", text.len() as f64 / lines);
    for (way, times) in [("all handed out", &parses), ("one by one", &pulls)] {
        for (by, yardstick) in [("from end to end", &walks), ("counting ends", &counts)] {
            println!(
                "  {way}: {:.3} of the speed of memchr, {by}: median of the pairs; {:.3}: best against best ({:.1} and {:.1} ns a line)",
                paired(yardstick, times),
                best(yardstick) / best(times),
                best(times) * 1e9 / lines,
                best(yardstick) * 1e9 / lines,
            );
        }
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

/// What is measured: all events are handed out.
fn parse(text: &Arc<Vec<u8>>) -> u64 {
    let mut reader = TraceReader::of_text(Arc::clone(text), "bench");
    let mut events = 0;
    let end: ControlFlow<Infallible> = reader
        .each(|event| {
            black_box(event);
            events += 1;
            ControlFlow::Continue(())
        })
        .expect("the recording is right");
    assert!(end.is_continue());
    events
}

/// The same, asking for one event after the other.
fn pull(text: &Arc<Vec<u8>>) -> u64 {
    let mut reader = TraceReader::of_text(Arc::clone(text), "bench");
    let mut events = 0;
    while let Some(event) = reader.next_event().expect("the recording is right") {
        black_box(&event);
        events += 1;
    }
    events
}

fn apply(text: &Arc<Vec<u8>>) -> u64 {
    let mut reader = TraceReader::of_text(Arc::clone(text), "bench");
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
