//! The strategy that the guide builds passes the whole book, its mistakes fail the laws that the guide names, and the code
//! that the guide shows is the code that is tested here.
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "the guide's files, as a crate of their own has them"
)]

#[path = "guide/drift.rs"]
mod drift;

mod strategy {
    include!("guide/state.rs");
    include!("guide/steps.rs");
    include!("guide/strategy.rs");
    include!("guide/restore.rs");
    include!("guide/mistakes.rs");
}

use strategy::SortedVec;

snapshot_api::counting_allocator!();
snapshot_api::snapshot_laws!(sorted_vec, SortedVec, ());

/// In debug builds alone, where threads have steps.
#[cfg(debug_assertions)]
mod mistakes {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use snapshot_api::dev::laws;

    use crate::{
        drift::GUIDE,
        strategy::{EndsTheNext, VersionTooLate},
    };

    /// Sees that `law` is broken, and that the guide names its test.
    fn fails(test: &str, name: &str, law: impl FnOnce()) {
        let Err(cause) = catch_unwind(AssertUnwindSafe(law)) else {
            panic!("the mistake passes {test}");
        };
        let said = cause.downcast_ref::<String>().cloned().unwrap_or_default();
        let broken = format!("{name} is broken: ");
        assert!(said.starts_with(&broken), "it should break {name}, but: {said}");
        assert!(GUIDE.contains(&format!("`{test}`")), "the guide does not name {test}");
    }

    macro_rules! mistaken {
        ($($test:ident: $mistake:ty, $name:literal;)*) => {$(
            #[test]
            fn $test() {
                fails(stringify!($test), $name, || laws::$test::<$mistake>(&()));
            }
        )*};
    }

    mistaken! {
        idempotent_removal: EndsTheNext, "law 7 (idempotent removal)";
        progress_after_a_panic: EndsTheNext, "law 10 (progress after a panic)";
        monotone_per_observer: VersionTooLate, "law 5 (monotone per observer)";
        one_instant: VersionTooLate, "law 1 (one instant)";
    }

    #[test]
    fn the_guide_shows_what_two_of_them_say() {
        for said in ["law 7 (idempotent removal)", "law 5 (monotone per observer)"] {
            assert!(GUIDE.contains(&format!("\n{said} is broken: ")), "{said}");
        }
    }
}
