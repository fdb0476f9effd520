//! Any bytes behind the beginning of a line of `pg_waldump`: events or an error, never a panic.
#![no_main]

use std::io::Cursor;

use harness::trace::TraceReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut text = b"rmgr: ".to_vec();
    text.extend_from_slice(bytes);
    let mut reader = TraceReader::new(Cursor::new(text), "fuzz").expect("in memory");
    while let Ok(Some(event)) = reader.next_event() {
        assert!(!event.to_string().is_empty());
    }
});
