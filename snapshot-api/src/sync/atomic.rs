//! Atomics: loom's, the standard library's, or the latter with a step before each access.

#[cfg(snapshot_loom)]
pub use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

#[cfg(not(any(snapshot_loom, all(feature = "dev", debug_assertions))))]
pub use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

#[cfg(all(feature = "dev", debug_assertions, not(snapshot_loom)))]
pub use stepped::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

#[cfg(all(feature = "dev", debug_assertions, not(snapshot_loom)))]
mod stepped {
    use std::sync::atomic as std_atomic;
    pub use std::sync::atomic::Ordering;

    use crate::sync::step;

    /// The standard library's fence behind a step.
    pub fn fence(order: Ordering) {
        step();
        std_atomic::fence(order);
    }

    macro_rules! stepped {
        ($name:ident, $value:ty, { $($rmw:ident)* }) => {
            /// The standard library's atomic of the same name, with a step before each access.
            #[derive(Debug, Default)]
            #[repr(transparent)]
            pub struct $name(std_atomic::$name);

            #[allow(missing_docs, reason = "the standard library's methods, one for one")]
            impl $name {
                pub const fn new(value: $value) -> Self {
                    Self(std_atomic::$name::new(value))
                }
                #[inline]
                pub fn load(&self, order: Ordering) -> $value {
                    step();
                    self.0.load(order)
                }
                #[inline]
                pub fn store(&self, value: $value, order: Ordering) {
                    step();
                    self.0.store(value, order);
                }
                #[inline]
                pub fn compare_exchange(
                    &self,
                    current: $value,
                    new: $value,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$value, $value> {
                    step();
                    self.0.compare_exchange(current, new, success, failure)
                }
                #[inline]
                pub fn compare_exchange_weak(
                    &self,
                    current: $value,
                    new: $value,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$value, $value> {
                    step();
                    self.0.compare_exchange_weak(current, new, success, failure)
                }
                pub fn get_mut(&mut self) -> &mut $value {
                    self.0.get_mut()
                }
                pub fn into_inner(self) -> $value {
                    self.0.into_inner()
                }
                $(
                    #[inline]
                    pub fn $rmw(&self, value: $value, order: Ordering) -> $value {
                        step();
                        self.0.$rmw(value, order)
                    }
                )*
            }
        };
    }

    stepped!(AtomicBool, bool, { swap fetch_and fetch_or fetch_xor });
    stepped!(AtomicU32, u32, { swap fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_max fetch_min });
    stepped!(AtomicU64, u64, { swap fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_max fetch_min });
    stepped!(AtomicUsize, usize, { swap fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_max fetch_min });
}
