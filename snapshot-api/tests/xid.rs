//! Ids: reserved ones, epochs, widening, dense numbers, and both ends of the range.

#![cfg(not(snapshot_loom))]

use proptest::prelude::*;
use snapshot_api::{FullXid, Xid};

const LAST_LOW: u32 = u32::MAX;

/// Case 29: 0xFFFFFFFF + 1 wraps and skips the reserved ids (neon 6412).
#[test]
fn the_wrap_skips_reserved_ids() {
    let last = FullXid::from_parts(5, LAST_LOW);
    assert_eq!(last.next(), FullXid::from_parts(6, 3));
    assert_eq!(FullXid::from_parts(6, 3).prev(), last);
    // Also from a reserved id, should one turn up.
    assert_eq!(FullXid::from_parts(6, 1).next(), FullXid::from_parts(6, 3));
    assert_eq!(FullXid::from_parts(6, 2).prev(), last);
}

/// Case 28: an id before epoch 0 was widened to the far future; it is clamped to the first normal one (PostgreSQL
/// b3a83055).
#[test]
fn an_id_before_epoch_0_is_clamped() {
    let reference = FullXid::from_parts(0, 100);
    assert_eq!(FullXid::widen(LAST_LOW, reference), FullXid::FIRST_NORMAL);
    assert_eq!(FullXid::widen(1 << 31 | 100, reference), FullXid::FIRST_NORMAL);
    assert_eq!(FullXid::widen(3, reference), FullXid::FIRST_NORMAL);
    assert_eq!(FullXid::widen(99, reference), FullXid::from_parts(0, 99));
}

#[test]
fn an_id_beyond_the_last_epoch_is_clamped() {
    let reference = FullXid::from_parts(u32::MAX, LAST_LOW - 1);
    assert_eq!(FullXid::widen(5, reference), FullXid::from_parts(u32::MAX, LAST_LOW));
    assert_eq!(
        FullXid::from_parts(u32::MAX, LAST_LOW).next(),
        FullXid::from_parts(u32::MAX, LAST_LOW)
    );
}

#[test]
fn widening_takes_the_nearest() {
    let reference = FullXid::from_parts(7, 10);
    for (low, right) in [
        (10, FullXid::from_parts(7, 10)),
        (3, FullXid::from_parts(7, 3)),
        (LAST_LOW, FullXid::from_parts(6, LAST_LOW)),
        // 2³¹ − 1 above is above, 2³¹ below is below.
        ((1 << 31) + 9, FullXid::from_parts(7, (1 << 31) + 9)),
        ((1 << 31) + 10, FullXid::from_parts(6, (1 << 31) + 10)),
    ] {
        assert_eq!(FullXid::widen(low, reference), right, "{low} near {reference:?}");
    }
    for reserved in 0..3 {
        assert_eq!(FullXid::widen(reserved, reference), FullXid::new(u64::from(reserved)));
    }
}

/// Case 30: an id in a ring gets older than 2³¹ and compares as newer. 64-bit ids make it impossible.
#[test]
fn ids_further_apart_than_2_to_the_31_keep_their_order() {
    let old = FullXid::from_parts(0, 100);
    let new = FullXid::from_parts(1, 50);
    assert!(
        (new.low().wrapping_sub(old.low()) as i32) < 0,
        "as 32-bit ids the newer one looks older"
    );
    assert!(old < new && old.dense() < new.dense());
}

#[test]
fn both_ends_of_the_range() {
    assert!(!Xid::INVALID.is_normal() && !Xid::BOOTSTRAP.is_normal() && !Xid::FROZEN.is_normal());
    assert!(Xid::FIRST_NORMAL.is_normal() && Xid::LAST_NORMAL.is_normal());
    let bound = Xid::LAST_NORMAL.next();
    assert!(!bound.is_normal(), "latest completed + 1 exists for every id, and is none");
    assert_eq!((bound.next(), Xid::INVALID.prev()), (bound, Xid::INVALID));
    assert_eq!(FullXid::from_dense(Xid::LAST_NORMAL), None, "beyond the last epoch");
    assert_eq!(FullXid::FIRST_NORMAL.prev(), FullXid::FIRST_NORMAL);
    assert_eq!(
        format!("{} {:?} {}", Xid::new(7), Xid::new(7), FullXid::from_parts(1, 7)),
        "7 7 4294967303"
    );
}

proptest! {
    #[test]
    fn dense_ids_go_there_and_back(epoch: u32, low in 3..=LAST_LOW) {
        let full = FullXid::from_parts(epoch, low);
        prop_assert_eq!(FullXid::from_dense(full.dense()), Some(full));
    }

    #[test]
    fn dense_ids_have_no_holes(epoch in 0..u32::MAX, low in prop_oneof![3..=LAST_LOW, Just(LAST_LOW), Just(3)]) {
        let full = FullXid::from_parts(epoch, low);
        prop_assert_eq!(full.next().dense(), full.dense().next());
        prop_assert_eq!(full.next().prev(), full);
    }

    #[test]
    fn widening_finds_an_id_near_its_reference(epoch in 1..u32::MAX, low in 3..=LAST_LOW, away in -(1_i64 << 31)..(1 << 31)) {
        let reference = FullXid::from_parts(epoch, low);
        let near = FullXid::new(reference.get().wrapping_add_signed(away));
        prop_assume!(near.is_normal() && near >= FullXid::FIRST_NORMAL);
        prop_assert_eq!(FullXid::widen(near.low(), reference), near);
    }
}
