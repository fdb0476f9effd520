//! [`Watch`]: looks on while the machine drives a strategy.

use std::sync::Arc;

/// Looks on while a [`Machine`](super::Machine) drives a strategy, to count its steps and to share its instances.
///
/// Every call of a strategy's operation is one step, and so is the making of a new instance.
pub trait Watch<S> {
    /// The next step begins.
    fn before_step(&mut self) {}

    /// It is done.
    fn after_step(&mut self) {}

    /// Queries are to use this instance from now on. Called inside a step, only once the standby accepts queries.
    fn share(&mut self, _instance: &Arc<S>) {}
}

/// Nobody looks on.
impl<S> Watch<S> for () {}
