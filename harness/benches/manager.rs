//! What the transaction manager costs: a reader's way in and out, a writer's, the collector's look at a thousand sessions.
//!
//! `cargo bench -p harness --bench manager --features engines` has two engines beside it that a Rust user would take: the same
//! step of theirs, in the same run.

use std::{hint::black_box, time::Duration};

use criterion::{BenchmarkGroup, Criterion, measurement::WallTime};
use snapshot_api::{
    ManagerOptions, NumberedManager, Off, Restore, Session, Snapshot, ThresholdStrategy,
    TransactionManager, Xid,
};
use strategy_atomic_threshold::SeqlockThreshold;
use strategy_bitmap::HierarchicalBitmap;
use strategy_csn::CsnLog;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
        .sample_size(20)
        .without_plots()
        .configure_from_args();
    read(&mut criterion);
    write(&mut criterion);
    horizon(&mut criterion);
    criterion.final_summary();
}

fn manager<S: Restore, T: ThresholdStrategy>(threshold: T) -> TransactionManager<S, T> {
    let options = ManagerOptions::new().sessions(1_024);
    TransactionManager::restore(&S::Config::default(), Xid::FROZEN, &[], threshold, options)
        .expect("an empty state")
}

/// Begin, a snapshot, drop: nothing else.
fn read(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("begin+snapshot+drop");
    read_by::<CsnLog, _>(&mut group, "csn", Off);
    read_by::<CsnLog, _>(&mut group, "csn, checked by seqlock", SeqlockThreshold::default());
    read_by::<HierarchicalBitmap, _>(&mut group, "hierarchical-bitmap", Off);
    let numbers = NumberedManager::new(manager::<CsnLog, _>(Off));
    let mut session = numbers.session().expect("a place");
    group.bench_function("csn, by number", |bencher| {
        bencher.iter(|| black_box(session.begin().number()));
    });
    #[cfg(feature = "engines")]
    engines::read(&mut group);
    group.finish();
}

fn read_by<S: Restore, T: ThresholdStrategy>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    threshold: T,
) {
    let manager = manager::<S, T>(threshold);
    let mut session = manager.session().expect("a place");
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            let mut transaction = session.begin();
            let snapshot = transaction.snapshot();
            assert!(snapshot.check().is_ok());
            black_box(snapshot.xmax())
        });
    });
}

/// Begin, an id, commit.
fn write(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("begin+id+commit");
    write_by::<CsnLog>(&mut group, "csn");
    write_by::<HierarchicalBitmap>(&mut group, "hierarchical-bitmap");
    group.finish();
}

fn write_by<S: Restore>(group: &mut BenchmarkGroup<'_, WallTime>, name: &str) {
    let manager = manager::<S, _>(Off);
    let mut session = manager.session().expect("a place");
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            let mut transaction = session.begin();
            transaction.id().expect("no limit");
            transaction.commit()
        });
    });
}

/// The collector's look at a thousand sessions, each of which holds a snapshot, after something has ended.
fn horizon(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("horizon of 1,000 sessions");
    for (name, held) in [("all hold a snapshot", 1_000), ("none holds one", 0)] {
        let manager = manager::<CsnLog, _>(Off);
        let mut sessions: Vec<_> =
            (0..1_000).map(|_| manager.session().expect("a place")).collect();
        let mut writer = manager.session().expect("a place");
        let reading = |session| {
            let mut transaction = Session::begin(session);
            transaction.snapshot();
            transaction
        };
        let kept: Vec<_> = sessions.iter_mut().take(held).map(reading).collect();
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                || {
                    let mut transaction = writer.begin();
                    transaction.id().expect("no limit");
                    transaction.commit();
                },
                |()| black_box(manager.horizon()),
                criterion::BatchSize::PerIteration,
            );
        });
        group.bench_function(format!("{name}, nothing has ended"), |bencher| {
            bencher.iter(|| black_box(manager.horizon()));
        });
        drop(kept);
    }
    group.finish();
}

#[cfg(feature = "engines")]
mod engines {
    use std::hint::black_box;

    use criterion::{BenchmarkGroup, measurement::WallTime};

    /// A snapshot of an empty database of each, dropped at once.
    pub(super) fn read(group: &mut BenchmarkGroup<'_, WallTime>) {
        let folder = tempfile::tempdir().expect("a place for files");
        let database = fjall::Database::builder(folder.path().join("fjall"));
        let database = database.open().expect("an empty database");
        group.bench_function("fjall: Database::snapshot", |bencher| {
            bencher.iter(|| drop(black_box(database.snapshot())));
        });
        let redb = redb::Database::create(folder.path().join("redb")).expect("an empty database");
        group.bench_function("redb: Database::begin_read", |bencher| {
            bencher.iter(|| drop(black_box(redb::ReadableDatabase::begin_read(&redb))));
        });
    }
}
