#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod mutex;
pub mod os_mutex;
pub mod packed;
pub mod seqlock;
pub mod split;

pub use mutex::MutexThreshold;
pub use os_mutex::OsMutexThreshold;
pub use packed::PackedThreshold;
pub use seqlock::SeqlockThreshold;
pub use split::SplitAtomicThreshold;
