//! What is the bitmap's own: how wide the window is, what it refuses, and where words begin and end.

use snapshot_api::{
    BeginError, CapacityExceeded, Restore, RestoreError, SessionId, Snapshot, SnapshotStrategy,
    Standby, Xid, dev::alloc::Account,
};
use strategy_bitmap::{Bitmap, BitmapConfig};

snapshot_api::counting_allocator!();

const SESSION: SessionId = SessionId::new(0);

/// A bitmap in which these ids run and nothing above `latest` has completed.
fn running(latest: u64, ids: impl IntoIterator<Item = u64>) -> Bitmap {
    let ids: Vec<Xid> = ids.into_iter().map(Xid::new).collect();
    Bitmap::restore(&BitmapConfig::default(), Xid::new(latest), &ids).expect("wide enough")
}

fn begin(bitmap: &Bitmap, id: u64) {
    bitmap.begin(SESSION, Xid::new(id)).expect("in order and near");
}

fn end(bitmap: &Bitmap, id: u64) {
    bitmap.end(SESSION, &[Xid::new(id)]);
}

fn take(bitmap: &Bitmap) -> (u64, Vec<u64>) {
    let mut snapshot = bitmap.snapshot();
    bitmap.take(&mut snapshot);
    (snapshot.xmax().get(), snapshot.running().map(Xid::get).collect())
}

#[test]
fn the_window_is_as_wide_as_the_oldest_id_makes_it() {
    let bitmap = running(63, []);
    begin(&bitmap, 64);
    assert_eq!(bitmap.words(), 1);
    for id in 65..6_400 {
        begin(&bitmap, id);
        end(&bitmap, id);
    }
    assert_eq!((bitmap.words(), take(&bitmap)), (99, (6_400, vec![64])));
    begin(&bitmap, 6_400);
    end(&bitmap, 64);
    assert_eq!((bitmap.words(), take(&bitmap)), (1, (6_400, vec![])));
    end(&bitmap, 6_400);
    assert_eq!(bitmap.words(), 0);
}

#[test]
fn words_behind_the_oldest_id_are_cut_off() {
    let bitmap = running(2, []);
    // Eight ids at once, through a thousand words and more: the window is never wider than two.
    for id in 3..100_000 {
        begin(&bitmap, id);
        if id >= 11 {
            end(&bitmap, id - 8);
            assert!(bitmap.words() <= 2, "{} words at id {id}", bitmap.words());
        }
    }
    assert_eq!(take(&bitmap), (99_992, vec![]), "eight run at or above xmax");
}

#[test]
fn a_wide_window_is_given_back() {
    let account = Account::open();
    account.enter(|| {
        let bitmap = running(2, []);
        begin(&bitmap, 3);
        for id in 4..1_000_000 {
            begin(&bitmap, id);
            end(&bitmap, id);
        }
        let wide = account.bytes();
        assert!((125_000..=262_144).contains(&wide), "{wide} bytes for a million ids");
        begin(&bitmap, 1_000_000);
        end(&bitmap, 3);
        let narrow = account.bytes();
        assert!(narrow < 2_048, "{narrow} bytes when the oldest id has ended");
    });
}

#[test]
fn a_window_that_nothing_runs_in_starts_anew_far_away() {
    let bitmap = running(2, [3, 90]);
    bitmap.prune(Xid::new(100));
    begin(&bitmap, 1 << 62);
    begin(&bitmap, (1 << 62) + 1);
    end(&bitmap, (1 << 62) + 1);
    assert_eq!((bitmap.words(), take(&bitmap)), (1, ((1 << 62) + 2, vec![1 << 62])));
}

#[test]
fn an_id_too_far_away_is_refused_and_all_is_as_before() {
    let config = BitmapConfig { widest: 1_000 };
    let bitmap = Bitmap::restore(&config, Xid::new(9), &[Xid::new(10)]).expect("one id");
    let full = CapacityExceeded { what: "places from the oldest running id on", limit: 1_000 };
    let before = take(&bitmap);
    assert_eq!(bitmap.begin(SESSION, Xid::new(1_010)), Err(BeginError::Full(full)));
    assert_eq!(take(&bitmap), before);
    begin(&bitmap, 1_009);
    assert_eq!(bitmap.begin(SESSION, Xid::new(1_010)), Err(BeginError::Full(full)));
    end(&bitmap, 10);
    begin(&bitmap, 1_010);
    bitmap.complete(Xid::new(1_010));
    assert_eq!(take(&bitmap), (1_011, vec![1_009, 1_010]));

    let apart = [10, 1_010].map(Xid::new);
    let refused = Bitmap::restore(&config, Xid::new(9), &apart).err();
    assert_eq!(refused, Some(RestoreError::Full(full)));
    assert!(Bitmap::restore(&config, Xid::new(9), &[10, 1_009].map(Xid::new)).is_ok());
    let whole_range = [Xid::FIRST_NORMAL, Xid::LAST_NORMAL];
    assert!(Bitmap::restore(&BitmapConfig::default(), Xid::new(9), &whole_range).is_err());
}

#[test]
fn xmax_cuts_a_word_at_each_of_its_bits() {
    for latest in 127..=193 {
        let bitmap = running(latest, 100..=200);
        assert_eq!(take(&bitmap), (latest + 1, (100..=latest).collect()));
    }
    assert_eq!(take(&running(90, 100..=200)), (91, vec![]), "below the window");
    assert_eq!(take(&running(300, 100..=200)), (301, (100..=200).collect()), "above it");
}

#[test]
fn a_prune_cuts_a_word_at_each_of_its_bits() {
    for below in (0..=70).chain(120..=140).chain([200, 201, 1 << 40, u64::MAX]) {
        let bitmap = running(500, 70..=200);
        bitmap.prune(Xid::new(below));
        assert_eq!(take(&bitmap), (501, (below.max(70)..=200).collect()));
        bitmap.prune(Xid::new(50));
        begin(&bitmap, 501);
        end(&bitmap, 502);
        let left = (below.max(70)..=200).chain([501]).collect();
        assert_eq!(take(&bitmap), (503, left), "what is counted as running is right");
    }
}

#[test]
fn a_line_of_words_that_is_zero_is_passed_over_and_no_other() {
    for id in (1_024..=2_048).step_by(31) {
        let bitmap = running(5_000, [3, id, 4_999]);
        assert_eq!(take(&bitmap), (5_001, vec![3, id, 4_999]));
    }
}

#[test]
fn an_id_that_ends_twice_is_counted_once() {
    let bitmap = running(9, [3, 4, 5]);
    bitmap.forget(&[4, 4, 1_000].map(Xid::new));
    end(&bitmap, 4);
    end(&bitmap, 3);
    // Were it counted twice, nothing would seem to run, and the next id would start the window anew.
    begin(&bitmap, 10_000);
    assert_eq!(take(&bitmap).1, [5]);
}
