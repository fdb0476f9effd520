//! Models of the protocols: loom runs them under every interleaving and every value that the orderings allow.
//!
//! `RUSTFLAGS="--cfg snapshot_loom" LOOM_MAX_PREEMPTIONS=3 cargo test -p strategy-atomic-threshold --release --test loom`
//!
//! Small atomics of loom stand for the cells of the crates seqlock and portable-atomic: these are models of the protocol
//! round them.
#![cfg(snapshot_loom)]

use loom::{sync::Arc, thread};
use snapshot_api::{
    Pairing, Progress, Threshold, ThresholdFacts, ThresholdStrategy, Timestamp, Xid,
    dev::interleavings::{count, every},
    sync::{AtomicBool, AtomicU64, Mutex, Ordering},
};
use strategy_atomic_threshold::{
    MutexThreshold, OsMutexThreshold, PackedThreshold, SeqlockThreshold, SplitAtomicThreshold,
};

const fn pair(timestamp: u64, xid: u64) -> Threshold {
    Threshold { timestamp: Timestamp::from_micros(timestamp), xid: Xid::new(xid) }
}

/// What the setter of the models of law (b) advances to.
const TO: Threshold = pair(20, 700);
/// When the reader of these models took its snapshot: too old once the threshold stands at [`TO`].
const TAKEN: Timestamp = Timestamp::from_micros(15);

/// Runs both on one threshold, each of them as the thread that is spawned. Loom looks for interleavings from the first one
/// that it runs, in which the spawned thread comes last, and a load before a read-modify-write hides some from it.
fn side_by_side<T: ThresholdStrategy + Default + 'static>(
    one: fn(&T),
    other: fn(&T),
    at_rest: Threshold,
) {
    let both = [(one, other), (other, one)].map(|(spawned, own)| {
        count(move || {
            let threshold = Arc::new(T::default());
            let thread = thread::spawn({
                let threshold = threshold.clone();
                move || spawned(&threshold)
            });
            own(&threshold);
            thread.join().unwrap();
            assert_eq!(threshold.load(), at_rest, "an advance is lost");
        })
    });
    assert!(both.iter().sum::<usize>() > 2, "the threads do not meet: {both:?} interleavings");
}

/// Law (b), pruner: who gets the new xid gets its timestamp.
fn pruner<T: ThresholdStrategy + Default + 'static>() {
    side_by_side::<T>(
        |threshold| threshold.advance(TO),
        |threshold| {
            let Threshold { timestamp, xid } = threshold.load();
            assert!(
                xid < TO.xid || timestamp >= TO.timestamp,
                "wrong pair: new xid, old timestamp"
            );
        },
        TO,
    );
}

/// When the reader of the model tests its snapshot against the threshold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Test {
    AfterThePage,
    BeforeThePage,
}

/// A threshold and a page. The page holds one row, removed by a transaction below 700 at time 18: a snapshot of time 15
/// needs it.
#[derive(Default)]
struct Shared<T> {
    threshold: T,
    pruned: AtomicBool,
}

impl<T: ThresholdStrategy> Shared<T> {
    fn setter(&self) {
        self.threshold.advance(TO);
    }

    fn pruner(&self) {
        if self.threshold.load().xid >= TO.xid {
            // Release: the pruner gives up the page's latch; partner of the reader's Acquire.
            self.pruned.store(true, Ordering::Release);
        }
    }

    fn reader(&self, test: Test) {
        let too_old = || TAKEN < self.threshold.timestamp();
        let too_old_before = test == Test::BeforeThePage && too_old();
        // Acquire: the reader takes the page's latch.
        if self.pruned.load(Ordering::Acquire) {
            // The test of a page on which the row still stands cannot do harm, so the model leaves it out.
            let too_old = if test == Test::AfterThePage { too_old() } else { too_old_before };
            assert!(too_old, "wrong answer: accepted a page from which its row is gone");
        }
    }
}

/// Law (b), reader: who accepts the page finds on it the row that its snapshot needs. Each of the three is once the thread
/// that is not spawned, for the reason given at [`side_by_side`].
fn reader<T: ThresholdStrategy + Default + 'static>(test: Test) {
    for turn in 0..3 {
        every(move || {
            let shared = Arc::new(Shared::<T>::default());
            let play = move |shared: &Shared<T>, role: usize| match role % 3 {
                0 => shared.setter(),
                1 => shared.pruner(),
                _ => shared.reader(test),
            };
            let spawned = [1, 2].map(|role| {
                let shared = shared.clone();
                thread::spawn(move || play(&shared, turn + role))
            });
            play(&shared, turn);
            for thread in spawned {
                thread.join().unwrap();
            }
        });
    }
}

/// Two setters, each the higher one in one half.
const A: Threshold = pair(10, 700);
const B: Threshold = pair(20, 600);

/// Law (a): no advance is lost, none is taken back, and one that has returned is in force.
fn two_setters<T: ThresholdStrategy + Default + 'static>() {
    side_by_side::<T>(
        |threshold| threshold.advance(A),
        |threshold| {
            let earlier = threshold.load();
            threshold.advance(B);
            let later = threshold.load();
            assert_eq!(later.max(earlier).max(B), later, "went back");
        },
        A.max(B),
    );
}

/// Law (a), watched by a third thread. Not for designs in which threads spin: loom lets two of them spin for ever while
/// the third could free them.
fn two_setters_watched<T: ThresholdStrategy + Default + 'static>() {
    every(|| {
        let threshold = Arc::new(T::default());
        let setters = [A, B].map(|to| {
            let threshold = threshold.clone();
            thread::spawn(move || threshold.advance(to))
        });
        let earlier = threshold.load();
        let later = threshold.load();
        assert_eq!(later.max(earlier), later, "went back");
        for setter in setters {
            setter.join().unwrap();
        }
        assert_eq!(threshold.load(), A.max(B));
    });
}

/// Law (a) over both calls: a pair is not behind a timestamp that was read before, nor the other way round.
fn timestamp_and_pair_agree<T: ThresholdStrategy + Default + 'static>() {
    side_by_side::<T>(
        |threshold| threshold.advance(TO),
        |threshold| {
            let first = threshold.timestamp();
            let second = threshold.load().timestamp;
            let third = threshold.timestamp();
            assert!(first <= second && second <= third, "went back");
        },
        TO,
    );
}

/// Law (c) of a design with whole pairs.
fn whole<T: ThresholdStrategy + Default + 'static>() {
    side_by_side::<T>(
        |threshold| threshold.advance(A),
        |threshold| {
            assert_eq!(threshold.facts().pairing, Pairing::Whole);
            let before = threshold.load();
            assert!([Threshold::NONE, A].contains(&before), "a mixture: {before:?}");
            threshold.advance(B);
            let after = threshold.load();
            assert!([B, A.max(B)].contains(&after), "a mixture: {after:?}");
        },
        A.max(B),
    );
}

macro_rules! models {
    ($($name:ident: $threshold:ty { $($model:ident)* })*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn law_b_pruner() {
                pruner::<$threshold>();
            }

            #[test]
            fn law_b_reader() {
                reader::<$threshold>(Test::AfterThePage);
            }

            #[test]
            fn law_a_two_setters() {
                two_setters::<$threshold>();
            }

            #[test]
            fn law_a_timestamp_and_pair_agree() {
                timestamp_and_pair_agree::<$threshold>();
            }

            $(
                #[test]
                fn $model() {
                    super::$model::<$threshold>();
                }
            )*
        }
    )*};
}

models! {
    mutex: MutexThreshold { whole }
    mutex_os: OsMutexThreshold { whole two_setters_watched }
    split_atomic: SplitAtomicThreshold { two_setters_watched }
    seqlock: SeqlockThreshold { whole }
    packed: PackedThreshold { whole two_setters_watched }
}

/// The orders that are wrong. Each must fail, and for the reason that it is wrong.
mod wrong {
    use super::*;

    /// The halves in two atomics; `ORDER` says what is wrong with `advance`.
    #[derive(Default)]
    struct Halves<const ORDER: u8> {
        timestamp: AtomicU64,
        xid: AtomicU64,
    }

    const XID_FIRST: u8 = 0;
    const XID_RELAXED: u8 = 1;
    /// Right but for the reader, or as the control that the other two differ from in one point each.
    const RIGHT: u8 = 2;

    impl<const ORDER: u8> ThresholdStrategy for Halves<ORDER> {
        fn facts(&self) -> ThresholdFacts {
            facts(Pairing::Split)
        }

        fn timestamp(&self) -> Timestamp {
            Timestamp::from_micros(self.timestamp.load(Ordering::Relaxed))
        }

        fn load(&self) -> Threshold {
            let xid = Xid::new(self.xid.load(Ordering::Acquire));
            Threshold { timestamp: self.timestamp(), xid }
        }

        fn advance(&self, to: Threshold) {
            let raise_timestamp =
                || self.timestamp.fetch_max(to.timestamp.as_micros(), Ordering::Relaxed);
            let raise_xid = |order| self.xid.fetch_max(to.xid.get(), order);
            match ORDER {
                XID_FIRST => {
                    raise_xid(Ordering::Release);
                    raise_timestamp();
                }
                XID_RELAXED => {
                    raise_timestamp();
                    raise_xid(Ordering::Relaxed);
                }
                _ => {
                    raise_timestamp();
                    raise_xid(Ordering::Release);
                }
            }
        }
    }

    /// The pair whole under a lock, the timestamp beside it for readers, but raised after the pair.
    #[derive(Default)]
    struct TimestampBesideTooLate {
        timestamp: AtomicU64,
        pair: Mutex<Threshold>,
    }

    impl ThresholdStrategy for TimestampBesideTooLate {
        fn facts(&self) -> ThresholdFacts {
            facts(Pairing::Whole)
        }

        fn timestamp(&self) -> Timestamp {
            Timestamp::from_micros(self.timestamp.load(Ordering::Acquire))
        }

        fn load(&self) -> Threshold {
            *self.pair.lock()
        }

        fn advance(&self, to: Threshold) {
            let raised = {
                let mut pair = self.pair.lock();
                *pair = pair.max(to);
                *pair
            };
            self.timestamp.fetch_max(raised.timestamp.as_micros(), Ordering::Release);
        }
    }

    fn facts(pairing: Pairing) -> ThresholdFacts {
        ThresholdFacts {
            name: "wrong".into(),
            source: "this file",
            readers: Progress::Blocking,
            writers: Progress::Blocking,
            pairing,
        }
    }

    #[test]
    fn the_right_order_holds() {
        pruner::<Halves<RIGHT>>();
        reader::<Halves<RIGHT>>(Test::AfterThePage);
    }

    #[test]
    #[should_panic(expected = "wrong pair: new xid, old timestamp")]
    fn xid_raised_first_gives_the_pruner_a_wrong_pair() {
        pruner::<Halves<XID_FIRST>>();
    }

    #[test]
    #[should_panic(expected = "wrong answer: accepted a page from which its row is gone")]
    fn xid_raised_first_gives_the_reader_a_wrong_answer() {
        reader::<Halves<XID_FIRST>>(Test::AfterThePage);
    }

    #[test]
    #[should_panic(expected = "wrong pair: new xid, old timestamp")]
    fn a_relaxed_xid_gives_the_pruner_a_wrong_pair() {
        pruner::<Halves<XID_RELAXED>>();
    }

    #[test]
    #[should_panic(expected = "wrong answer: accepted a page from which its row is gone")]
    fn a_relaxed_xid_gives_the_reader_a_wrong_answer() {
        reader::<Halves<XID_RELAXED>>(Test::AfterThePage);
    }

    #[test]
    #[should_panic(expected = "wrong answer: accepted a page from which its row is gone")]
    fn a_test_before_the_page_is_a_wrong_answer_in_two_atomics() {
        reader::<Halves<RIGHT>>(Test::BeforeThePage);
    }

    #[test]
    #[should_panic(expected = "wrong answer: accepted a page from which its row is gone")]
    fn a_test_before_the_page_is_a_wrong_answer_even_under_a_mutex() {
        reader::<OsMutexThreshold>(Test::BeforeThePage);
    }

    #[test]
    #[should_panic(expected = "wrong answer: accepted a page from which its row is gone")]
    fn a_timestamp_beside_the_pair_raised_after_it_is_a_wrong_answer() {
        reader::<TimestampBesideTooLate>(Test::AfterThePage);
    }
}
