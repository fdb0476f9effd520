//! The registry as a [`Catalogue`]: any strategy by its name, its type hidden.

use snapshot_api::{Catalogue, Restore, ThresholdStrategy};

use super::{
    SnapshotVisitor, THRESHOLDS, ThresholdVisitor, Unknown, snapshots, visit_snapshot,
    visit_threshold,
};

/// Every strategy of the workspace, snapshots and thresholds, for who chooses one when the program runs. What is measured
/// here goes by [`visit_snapshot`] instead, with no dynamic call on any path.
///
/// ```
/// use snapshot_api::{SnapshotStrategy, Xid};
///
/// let catalogue = harness::registry::catalogue();
/// let strategy = catalogue.strategy("hierarchical-bitmap", Xid::new(99), &[Xid::new(98)])?;
/// let threshold = catalogue.threshold("packed")?;
/// assert_eq!(strategy.facts().name, "hierarchical-bitmap");
/// # let _ = threshold;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::new();
    fill(&mut catalogue).expect("the registry knows its own names");
    catalogue
}

fn fill(catalogue: &mut Catalogue) -> Result<(), Unknown> {
    for name in snapshots() {
        visit_snapshot(name, Offer { name, to: catalogue })?;
    }
    for &name in THRESHOLDS {
        visit_threshold(name, Offer { name, to: catalogue })?;
    }
    Ok(())
}

struct Offer<'a> {
    name: &'static str,
    to: &'a mut Catalogue,
}

impl SnapshotVisitor for Offer<'_> {
    type Output = ();

    fn visit<S: Restore + 'static>(self, config: S::Config, _standby: bool) {
        self.to.offer::<S>(self.name, config);
    }
}

impl ThresholdVisitor for Offer<'_> {
    type Output = ();

    fn visit<T: ThresholdStrategy + 'static>(self, new: fn() -> T) {
        self.to.offer_threshold(self.name, new);
    }
}

#[cfg(test)]
mod tests;
