//! No threshold: it ages nobody, whatever it is told, and every error says what and how many.

use snapshot_api::{
    BeginError, CapacityExceeded, Off, RestoreError, Threshold, ThresholdStrategy, Timestamp, Xid,
};

#[test]
fn off_ages_nobody() {
    let off = Off;
    off.advance(Threshold { timestamp: Timestamp::from_micros(u64::MAX), xid: Xid::LAST_NORMAL });
    assert_eq!(
        (off.timestamp(), off.load(), off.lock_waits()),
        (Timestamp::ZERO, Threshold::NONE, 0)
    );
}

#[test]
fn errors_say_what_and_how_many() {
    let full = CapacityExceeded { what: "session slots", limit: 1_000 };
    assert_eq!(BeginError::from(full).to_string(), "all 1000 session slots are in use");
    assert_eq!(
        RestoreError::from(full).to_string(),
        "cannot restore: all 1000 session slots are in use"
    );
    assert_eq!(
        BeginError::OutOfOrder { xid: Xid::new(5), last: Xid::new(9) }.to_string(),
        "id 5 is out of order: 9 was begun or completed before"
    );
    assert_eq!(
        BeginError::NotNormal(Xid::FROZEN).to_string(),
        "id 2 is no transaction's: reserved or beyond the last"
    );
}
