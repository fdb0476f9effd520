//! The guide's strategy as a model, and its second mistake as one that must fail.
//!
//! `RUSTFLAGS="--cfg snapshot_loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p snapshot-api --test guide_loom`
#![cfg(snapshot_loom)]
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "the guide's files, as a crate of their own would have them"
)]

mod sorted_vec {
    include!("guide/state.rs");
    include!("guide/steps.rs");
    include!("guide/strategy.rs");
    include!("guide/restore.rs");
    include!("guide/mistakes.rs");
}

use sorted_vec::{SortedVec, VersionTooLate};

use loom::thread;
use snapshot_api::dev::interleavings::{every, ids, take_in_turn};
use snapshot_api::{Restore, SessionId, Xid};
use std::sync::Arc;

/// Two values of one reader beside an end: what one saw ended does not run in the other.
fn two_values_beside_an_end<S: Restore<Config = ()> + 'static>() {
    every(|| {
        let strategy = S::restore(&(), Xid::new(4), &ids([3])).expect("one id runs");
        let strategy = Arc::new(strategy);
        let ender = Arc::clone(&strategy);
        let ender = thread::spawn(move || ender.end(SessionId::new(0), &ids([3])));
        take_in_turn(&*strategy, 2, 3, &[(5, &[3]), (5, &[])]);
        ender.join().expect("no panic");
    });
}

#[test]
fn the_version_rises_under_the_lock() {
    two_values_beside_an_end::<SortedVec>();
}

#[test]
#[should_panic(expected = "back from")]
fn the_version_rises_after_it_fails() {
    two_values_beside_an_end::<VersionTooLate>();
}
