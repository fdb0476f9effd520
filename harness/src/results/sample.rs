//! Made-up headers and rows for the tests of the modules here.

use super::{
    FORMAT, Header, Row, VERSION, Wrong,
    row::{Latency, Shares},
};

pub(crate) fn header() -> Header {
    Header {
        format: FORMAT.into(),
        version: VERSION,
        program_version: "0.1.0".into(),
        command: vec!["compare".into(), "--seed".into(), "1".into()],
        date: Some("2023-02-17T06:30:00Z".into()),
        os: "linux".into(),
        arch: "x86_64".into(),
        kernel: Some("6.1.0".into()),
        cpu: Some("Some CPU".into()),
        cores: 2,
        pinned: true,
        rounds: 7,
        rounds_done: 7,
        seed: 1,
        reference_snapshot: "boolean-array(original)".into(),
        reference_threshold: "off".into(),
    }
}

/// A row of `page-scan` whose interval is a twentieth of the ratio to each side.
pub(crate) fn row(snapshot: &str, threshold: &str, ratio: f64) -> Row {
    Row {
        workload: "page-scan".into(),
        snapshot: snapshot.into(),
        threshold: threshold.into(),
        threads: 2,
        parameters: Default::default(),
        millis: 120,
        ops_per_s: 1e6 * ratio,
        rounds: vec![1e6 * ratio; 7],
        ratio,
        ratio_low: ratio * 0.95,
        ratio_high: ratio * 1.05,
        shares: Shares {
            take: 0.5,
            visibility: 0.25,
            threshold: 0.125,
            other: 0.125,
            ..Shares::default()
        },
        lock_waits: 0.0,
        latency: Latency {
            mean_ns: 120.0,
            stddev_ns: 10.0,
            p50_ns: 100,
            p95_ns: 150,
            p99_ns: 200,
            p999_ns: 300,
            max_ns: 400,
        },
        histogram: Vec::new(),
        intended: None,
        late: None,
        skipped: None,
        fairness: 1.0,
        ops_by_thread: vec![100, 100],
        bytes: None,
        lag_ms: None,
        beside_per_s: None,
        too_old: None,
        while_open: None,
        while_open_interval: None,
        series: Vec::new(),
        peer: false,
        breaks: Vec::new(),
        noisy: false,
        core_speed: None,
        is_reference: false,
        itself: None,
    }
}

/// The same under the other load.
pub(crate) fn standby(snapshot: &str, threshold: &str, ratio: f64) -> Row {
    Row {
        workload: "standby-long-transaction".into(),
        threads: 1,
        while_open: Some(0.9),
        while_open_interval: Some([0.85, 0.95]),
        ..row(snapshot, threshold, ratio)
    }
}

/// A pairing that was wrong where [`row`] is.
pub(crate) fn wrong(snapshot: &str, threshold: &str) -> Wrong {
    Wrong {
        workload: "page-scan".into(),
        snapshot: snapshot.into(),
        threshold: threshold.into(),
        threads: 2,
        parameters: Default::default(),
        what: "id 7 is visible".into(),
    }
}
