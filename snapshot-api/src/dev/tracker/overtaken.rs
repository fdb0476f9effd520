//! The famous race: a reader chooses its snapshot, the collector finds no reader and removes, the reader registers.

use super::{
    SnapshotTracker,
    crowd::{Turn, crowd, linger},
    held::Held,
    law::Law,
    scale,
    stage::Stage,
    stepped::{Act, Reader, between_all_steps, every_interleaving},
};

const LAW: Law = Law::new("tracker law", "the collector never overtakes a reader");

/// How many readers open snapshots at once, and whether there is a writer beside the collector. With many, some are always
/// interrupted between choosing and registering, and it is long until they go on; with one, no other holds the collector.
const CROWDS: [(usize, bool); 4] = [(8, false), (1, false), (4, true), (2, true)];
/// How often each crowd comes.
const ROUNDS: usize = 40;
/// How many snapshots they open together, each time.
const OPENED: usize = 12_000;

/// Cases 1, 2 and 4: choosing a snapshot and registering it is one step for the collector (surrealmx 76, turso 8992,
/// slatedb 1298, cubrid 98). Readers open snapshots, and find the version that they need; a collector removes beside them
/// without pause.
///
/// Fails on a tracker that chooses first and registers afterwards, that computes the horizon by a walk over places without
/// having read the last number before it, or in which two readers can get the same place.
pub fn collector_never_overtakes_a_reader<T: SnapshotTracker>(new: impl Fn() -> T) {
    LAW.decide(every_interleaving(
        &new,
        &[
            (Act::Open, Act::Collect(0)),
            (Act::Open, Act::OpenClose),
            (Act::OpenClose, Act::Collect(0)),
            (Act::Commit(0), Act::CollectOpen(1)),
            (Act::Collect(0), Act::Open),
            (Act::Collect(0), Act::OpenCommit(1)),
        ],
        &[
            (Act::Open, Act::Open, Act::Collect(0)),
            (Act::Open, Act::OpenClose, Act::Collect(0)),
            (Act::Open, Act::Collect(0), Act::OpenCommit(1)),
            (Act::Collect(0), Act::Open, Act::Commit(1)),
        ],
        |reader: &Reader<'_, T>| reader.stage.lost(&reader.held),
    ));
    LAW.decide(between_all_steps(
        &new,
        &[(Act::Open, Act::Collect(0)), (Act::Collect(0), Act::OpenCommit(1))],
        |reader: &Reader<'_, T>| reader.stage.lost(&reader.held),
    ));
    for round in 0..scale(ROUNDS) as u64 {
        for (readers, writer) in CROWDS {
            LAW.decide(free_running(new(), readers, writer, round));
        }
    }
}

fn free_running<T: SnapshotTracker>(
    tracker: T,
    readers: usize,
    writer: bool,
    round: u64,
) -> Result<(), String> {
    let readers = tracker.limit().map_or(readers, |limit| readers.min(limit));
    let stage = Stage::new(tracker);
    let reads: Turn<'_> = &|random| {
        let held = Held::open(&stage.tracker)?;
        stage.lost(&held)?;
        // Kept for a while, some for longer: what it needs stays.
        let looks = [0, 0, 0, 0, 0, 0, 1, 6][random.below(8) as usize];
        for _ in 0..looks {
            linger(random);
            stage.lost(&held)?;
        }
        Ok(())
    };
    let collects: Turn<'_> = &|_| {
        stage.commit(0, || {});
        stage.collect();
        Ok(())
    };
    let writes: Turn<'_> = &|random| {
        stage.commit(1, || linger(random));
        Ok(())
    };
    let beside = &[collects, writes][..1 + usize::from(writer)];
    crowd(round, (readers, OPENED / readers), reads, beside)
}
