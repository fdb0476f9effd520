//! The law book, run on every variant.

use strategy_bitmap::{Bitmap, BitmapConfig};

snapshot_api::counting_allocator!();

snapshot_api::standby_laws!(bitmap, Bitmap, BitmapConfig::default());
