//! Law 8: what a value held before does not matter, and what it holds stays.

use proptest::collection::vec;

use super::{
    law::Law,
    mirror::{Mirror, on_random, same},
};
use crate::{ListSnapshot, Restore, SnapshotStrategy};

const LAW: Law = Law::new("law 8", "reuse");

/// Law 8: a snapshot value used before, also by another instance, gives the same result as a fresh one; a value that is
/// kept stays as it was, also when the strategy is gone.
///
/// Both instances go through the same number of operations, so that any versions they count happen to match.
pub fn reuse<S: Restore>(config: &S::Config) {
    let act = (0..4_usize, 0..9_u32, 0..6_usize);
    on_random(LAW, 64, vec(act, 1..60), |script| {
        let mut one = Mirror::<S>::new(config);
        let mut other = Mirror::<S>::new(config);
        // The other one's ids differ from the start.
        other.begin(5, 3)?;
        one.begin(5, 0)?;
        let fresh = |_| (one.subject.snapshot(), None::<ListSnapshot>);
        let mut values: Vec<(S::Snapshot, Option<ListSnapshot>)> = (0..6).map(fresh).collect();
        for (session, what, pick) in script {
            match what {
                0 | 1 => {
                    one.begin(session, 0)?;
                    other.begin(session, 2)?;
                }
                2 | 3 => {
                    one.end(session, 1);
                    other.end(session, 1);
                }
                4 => {
                    // The other one ends as often, but something else.
                    one.end(session, 1);
                    other.end((session + 1) % 4, 1);
                }
                _ => {
                    let from = if what < 7 { &one } else { &other };
                    let (value, right) = &mut values[pick];
                    from.compare(value)?;
                    let mut taken = from.oracle.snapshot();
                    from.oracle.take(&mut taken);
                    *right = Some(taken);
                }
            }
        }
        let last = one.last.max(other.last);
        drop((one, other));
        for (value, right) in &values {
            if let Some(right) = right {
                same(value, right, last)
                    .map_err(|what| format!("a value that was kept: {what}"))?;
            }
        }
        Ok(())
    });
}
