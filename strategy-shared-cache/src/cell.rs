//! [`Cell`]: where the shared copy lies. An arc-swap; in models a lock, since loom does not know the arc-swap.

use std::sync::Arc;

#[cfg(not(snapshot_loom))]
pub(crate) use swap::Cell;

#[cfg(snapshot_loom)]
pub(crate) use locked::Cell;

#[cfg(not(snapshot_loom))]
mod swap {
    use arc_swap::{ArcSwap, Guard};
    use snapshot_api::sync::step;

    use super::Arc;

    #[derive(Debug)]
    pub(crate) struct Cell<T>(ArcSwap<T>);

    impl<T> Cell<T> {
        pub(crate) fn new(value: Arc<T>) -> Self {
            Cell(ArcSwap::new(value))
        }

        /// Acquire: what the builder wrote into the copy happens before.
        #[inline]
        pub(crate) fn load(&self) -> Guard<Arc<T>> {
            step();
            self.0.load()
        }

        /// Release: the copy has been built.
        pub(crate) fn store(&self, value: Arc<T>) {
            step();
            self.0.store(value);
        }
    }
}

#[cfg(snapshot_loom)]
mod locked {
    use snapshot_api::sync::Mutex;

    use super::Arc;

    #[derive(Debug)]
    pub(crate) struct Cell<T>(Mutex<Arc<T>>);

    impl<T> Cell<T> {
        pub(crate) fn new(value: Arc<T>) -> Self {
            Cell(Mutex::new(value))
        }

        pub(crate) fn load(&self) -> Arc<T> {
            Arc::clone(&self.0.lock())
        }

        pub(crate) fn store(&self, value: Arc<T>) {
            *self.0.lock() = value;
        }
    }
}
