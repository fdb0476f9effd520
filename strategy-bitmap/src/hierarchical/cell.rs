//! [`Cell`]: the root pointer. An arc-swap; in models a lock, since loom does not know the arc-swap.

use std::sync::Arc;

#[cfg(not(snapshot_loom))]
pub(super) use swap::Cell;

#[cfg(snapshot_loom)]
pub(super) use locked::Cell;

#[cfg(not(snapshot_loom))]
mod swap {
    use arc_swap::ArcSwap;
    use snapshot_api::sync::step;

    use super::Arc;

    #[derive(Debug)]
    pub(crate) struct Cell<T>(ArcSwap<T>);

    impl<T> Cell<T> {
        pub(crate) fn new(value: Arc<T>) -> Self {
            Cell(ArcSwap::new(value))
        }

        /// Acquire: what the writer put into the value happens before.
        #[inline]
        pub(crate) fn load(&self) -> Arc<T> {
            step();
            self.0.load_full()
        }

        /// Release: the new value is whole. Returns the old one, on which every reader that has it holds a count.
        pub(crate) fn swap(&self, value: Arc<T>) -> Arc<T> {
            step();
            self.0.swap(value)
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

        pub(crate) fn swap(&self, value: Arc<T>) -> Arc<T> {
            std::mem::replace(&mut *self.0.lock(), value)
        }
    }
}
