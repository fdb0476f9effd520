#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod bitmap;
pub mod hierarchical;

pub use bitmap::{Bitmap, BitmapConfig};
pub use hierarchical::{HierarchicalBitmap, HierarchicalSnapshot};
