//! Made-up headers and rows for the tests of the modules here.

use super::{FORMAT, Header, Row, VERSION};

pub(super) fn header() -> Header {
    Header {
        format: FORMAT.into(),
        version: VERSION,
        program_version: "0.1.0".into(),
        date: Some("2023-02-17T06:30:00Z".into()),
        os: "linux".into(),
        arch: "x86_64".into(),
        cpu: Some("Some CPU".into()),
        cores: 2,
        rounds: 7,
        rounds_done: 7,
        millis: 120,
        seed: 1,
        reference_snapshot: "boolean-array(original)".into(),
        reference_threshold: "off".into(),
    }
}

/// A row of `page-scan` whose interval is a twentieth of the ratio to each side.
pub(super) fn row(snapshot: &str, threshold: &str, ratio: f64) -> Row {
    Row {
        workload: "page-scan".into(),
        snapshot: snapshot.into(),
        threshold: threshold.into(),
        threads: 2,
        ops_per_s: 1e6 * ratio,
        ratio,
        ratio_low: ratio * 0.95,
        ratio_high: ratio * 1.05,
        take_share: 0.5,
        lock_waits: 0.0,
        p50_ns: 100,
        p99_ns: 200,
        while_open: None,
        noisy: false,
    }
}

/// The same under the other load.
pub(super) fn standby(snapshot: &str, threshold: &str, ratio: f64) -> Row {
    Row {
        workload: "standby-long-transaction".into(),
        threads: 1,
        while_open: Some(0.9),
        ..row(snapshot, threshold, ratio)
    }
}
