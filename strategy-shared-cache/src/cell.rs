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

        /// Puts `value` in place if it is newer than what is there, and hands out the one that is not in place.
        pub(crate) fn raise(&self, value: Arc<T>, newer: impl Fn(&T, &T) -> bool) -> Arc<T> {
            step();
            let mut there = self.0.load();
            while newer(&value, &there) {
                step();
                // Release: the copy has been built. Acquire: what is handed out may be looked into.
                let found = self.0.compare_and_swap(&*there, Arc::clone(&value));
                let swapped = Arc::ptr_eq(&found, &there);
                there = found;
                if swapped {
                    return Guard::into_inner(there);
                }
            }
            value
        }
    }
}

#[cfg(snapshot_loom)]
mod locked {
    use std::mem;

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

        pub(crate) fn raise(&self, value: Arc<T>, newer: impl Fn(&T, &T) -> bool) -> Arc<T> {
            let mut there = self.0.lock();
            if newer(&value, &there) { mem::replace(&mut *there, value) } else { value }
        }
    }
}
