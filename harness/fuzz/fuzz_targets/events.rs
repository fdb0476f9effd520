//! Any bytes as a trace, and as snapshots: events or an error, never a panic. What was read is printed and read again.
#![no_main]

use std::io::Cursor;

use harness::{oracle::RowReader, trace::TraceReader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut printed = String::new();
    if let Ok(mut reader) = TraceReader::new(Cursor::new(bytes.to_vec()), "fuzz") {
        while let Ok(Some(event)) = reader.next_event() {
            printed += &format!("{event}\n");
        }
    }
    let mut again = String::new();
    let mut reader = TraceReader::new(Cursor::new(printed.clone()), "printed").expect("in memory");
    while let Some(event) = reader
        .next_event()
        .or_else(|error| if printed.is_empty() { Ok(None) } else { Err(error) })
        .expect("what was printed is right")
    {
        again += &format!("{event}\n");
    }
    assert_eq!(printed, again);
    if let Ok(mut rows) = RowReader::new(Cursor::new(bytes.to_vec()), "fuzz") {
        while let Ok(Some(_)) = rows.next_row() {}
    }
});
