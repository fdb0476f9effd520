//! The old-snapshot threshold behind a mutex, in two atomics, under a sequence lock, and in one 128-bit atomic.
