//! The law book, run on every variant.

use strategy_bitmap::{Bitmap, BitmapConfig, HierarchicalBitmap};

snapshot_api::counting_allocator!();

snapshot_api::standby_laws!(bitmap, Bitmap, BitmapConfig::default());
snapshot_api::standby_laws!(hierarchical_bitmap, HierarchicalBitmap, ());
