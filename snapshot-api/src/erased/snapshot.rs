//! [`BoxedSnapshot`]: a snapshot value whose type is hidden.

use std::{any::Any, fmt};

use super::running::Running;
use crate::{Snapshot, SnapshotStrategy, Xid};

/// A value of some strategy. [`BoxedStrategy`](super::BoxedStrategy) makes and fills it.
///
/// Any boxed strategy may take into it, also one of another type than filled it last: what was in it is dropped then, with
/// whatever it held of its strategy, and a new value put in its place.
pub struct BoxedSnapshot {
    value: Box<dyn ErasedSnapshot>,
}

/// [`Snapshot`] as an object. Implemented by [`Held`] alone.
trait ErasedSnapshot: Any + Send + Sync {
    fn xmin(&self) -> Xid;
    fn xmax(&self) -> Xid;
    fn is_running(&self, xid: Xid) -> bool;
    fn running(&self) -> Running<'_>;
}

/// A value of the strategy `S`. Two strategies may share a snapshot type; law 8 speaks of instances of *one* strategy
/// type, so that type is what a take asks for.
struct Held<S: SnapshotStrategy>(S::Snapshot);

impl<S: SnapshotStrategy + 'static> ErasedSnapshot for Held<S> {
    fn xmin(&self) -> Xid {
        self.0.xmin()
    }

    fn xmax(&self) -> Xid {
        self.0.xmax()
    }

    fn is_running(&self, xid: Xid) -> bool {
        self.0.is_running(xid)
    }

    fn running(&self) -> Running<'_> {
        Running::new(self.0.running())
    }
}

impl BoxedSnapshot {
    /// A new value of this strategy.
    pub(super) fn new<S: SnapshotStrategy + 'static>(strategy: &S) -> Self {
        BoxedSnapshot { value: Box::new(Held::<S>(strategy.snapshot())) }
    }

    /// Takes a snapshot of this strategy into it, whatever it holds.
    #[inline]
    pub(super) fn fill<S: SnapshotStrategy + 'static>(&mut self, strategy: &S) {
        let value: &mut dyn Any = &mut *self.value;
        match value.downcast_mut::<Held<S>>() {
            Some(held) => strategy.take(&mut held.0),
            None => self.replace(strategy),
        }
    }

    #[cold]
    fn replace<S: SnapshotStrategy + 'static>(&mut self, strategy: &S) {
        // Filled before the other one goes: should the take panic, this value is as it was.
        let mut value = strategy.snapshot();
        strategy.take(&mut value);
        self.value = Box::new(Held::<S>(value));
    }
}

impl Snapshot for BoxedSnapshot {
    #[inline]
    fn xmin(&self) -> Xid {
        self.value.xmin()
    }

    #[inline]
    fn xmax(&self) -> Xid {
        self.value.xmax()
    }

    #[inline]
    fn is_running(&self, xid: Xid) -> bool {
        self.value.is_running(xid)
    }

    fn running(&self) -> impl Iterator<Item = Xid> + '_ {
        self.value.running()
    }
}

impl fmt::Debug for BoxedSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoxedSnapshot")
            .field("xmin", &self.xmin())
            .field("xmax", &self.xmax())
            .finish_non_exhaustive()
    }
}
