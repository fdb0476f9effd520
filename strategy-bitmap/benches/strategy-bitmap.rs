//! The benchmarks of the contract on every variant.

use strategy_bitmap::{Bitmap, BitmapConfig, HierarchicalBitmap};

snapshot_api::snapshot_benches!(Bitmap = BitmapConfig::default(), HierarchicalBitmap = ());
