//! Any bytes as a trace, and as snapshots: events or an error, never a panic, the same one by one and all at once. What
//! was read is printed and read again.
#![no_main]

use std::{convert::Infallible, io::Cursor, ops::ControlFlow, sync::Arc};

use harness::{oracle::RowReader, trace::TraceReader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut printed = String::new();
    let mut reader = TraceReader::new(Cursor::new(bytes.to_vec()), "fuzz").expect("in memory");
    let error = loop {
        match reader.next_event() {
            Ok(Some(event)) => printed += &format!("{event}\n"),
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    let mut at_once = String::new();
    let end: Result<ControlFlow<Infallible>, _> =
        TraceReader::of_text(Arc::new(bytes.to_vec()), "fuzz").each(|event| {
            at_once += &format!("{event}\n");
            ControlFlow::Continue(())
        });
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        assert_eq!((printed.as_str(), error), (at_once.as_str(), end.err().map(|e| e.to_string())));
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
