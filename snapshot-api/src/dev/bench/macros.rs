//! One line that turns the benchmarks into a bench file.

/// The whole bench file of a snapshot strategy: yardsticks, then each variant. Ends with a table.
///
/// ```no_run
/// use snapshot_api::dev::models::{LockedSet, NumberLog};
///
/// snapshot_api::snapshot_benches!(LockedSet = (), NumberLog = ());
/// ```
///
/// A function that adds rows of its own comes last, after a semicolon: `snapshot_benches!(MyStrategy = config; my_rows)`
/// with `fn my_rows(bench: &mut snapshot_api::dev::bench::Bench)`.
#[macro_export]
macro_rules! snapshot_benches {
    ($($strategy:ty = $config:expr),* $(,)? $(; $more:path)?) => {
        fn main() {
            let mut bench = $crate::dev::bench::Bench::new();
            $($crate::dev::bench::snapshot::<$strategy>(&mut bench, &$config);)*
            $($more(&mut bench);)?
            bench.finish();
        }
    };
}

/// The whole bench file of thresholds: yardsticks, then each instance. Ends with a table.
///
/// ```no_run
/// use snapshot_api::{Off, dev::models::LockedThreshold};
///
/// snapshot_api::threshold_benches!(Off, LockedThreshold::default());
/// ```
#[macro_export]
macro_rules! threshold_benches {
    ($($threshold:expr),* $(,)? $(; $more:path)?) => {
        fn main() {
            let mut bench = $crate::dev::bench::Bench::new();
            $($crate::dev::bench::threshold(&mut bench, &$threshold);)*
            $($more(&mut bench);)?
            bench.finish();
        }
    };
}
