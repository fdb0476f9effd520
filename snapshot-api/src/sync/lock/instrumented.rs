//! The standard library's locks as ThreadSanitizer needs them: compiled with the program.
//!
//! The standard library comes compiled, so that the sanitizer does not see how its locks order the threads that take them:
//! everything that such a lock protects is reported as a race. parking_lot's locks are compiled here, with the sanitizer's
//! calls in them. The signatures are the standard library's; no lock of parking_lot is ever poisoned.

use std::sync::{LockResult, TryLockError, TryLockResult};

pub use parking_lot::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

#[derive(Default)]
pub(super) struct Mutex<T>(parking_lot::Mutex<T>);

impl<T> Mutex<T> {
    pub(super) fn new(value: T) -> Self {
        Mutex(parking_lot::Mutex::new(value))
    }

    pub(super) fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        Ok(self.0.lock())
    }

    pub(super) fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        self.0.try_lock().ok_or(TryLockError::WouldBlock)
    }
}

#[derive(Default)]
pub(super) struct RwLock<T>(parking_lot::RwLock<T>);

impl<T> RwLock<T> {
    pub(super) fn new(value: T) -> Self {
        RwLock(parking_lot::RwLock::new(value))
    }

    pub(super) fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        Ok(self.0.read())
    }

    pub(super) fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        self.0.try_read().ok_or(TryLockError::WouldBlock)
    }

    pub(super) fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        Ok(self.0.write())
    }

    pub(super) fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        self.0.try_write().ok_or(TryLockError::WouldBlock)
    }
}
