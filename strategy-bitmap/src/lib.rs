#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod bitmap;
mod padded;

pub use bitmap::{Bitmap, BitmapConfig};
