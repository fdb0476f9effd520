//! The benchmarks of the contract on every variant.

use strategy_bitmap::{Bitmap, BitmapConfig};

snapshot_api::snapshot_benches!(Bitmap = BitmapConfig::default());
